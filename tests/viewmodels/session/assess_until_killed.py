"""Process of a test: changes levels and reviews pairs until it is killed, and logs each decision after it was made.

python assess_until_killed.py BENCHMARK JOURNALS LOG
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[3]), str(Path(__file__).parents[2])]


def main() -> None:
    from PySide6.QtWidgets import QApplication

    from shrec_viewer.viewmodels.session.project import EditJournal
    from shrec_viewer.viewmodels.session.session import Session
    from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

    benchmark, journals, log = map(Path, sys.argv[1:])
    app = QApplication([])
    session = Session(Thumbnails(None))
    EditJournal(session, journals)
    session.open(benchmark)
    while session.scores is None or session.tasks.is_busy():
        app.processEvents()
    n_models = len(session.benchmark.collection)
    with log.open("a", buffering=1) as file:
        for number in range(10_000):
            query, model = number // n_models % len(session.benchmark.queries), number % n_models
            level = 2 - number % 2
            if number % 3:
                session.edits.set_level(query, [model], level)
            else:
                session.edits.review_pair(query, model, level)
            names = session.benchmark.queries.ids[query], session.benchmark.collection.ids[model]
            is_edit = names in session.edits.edited.levels  # not if it is the level of the files
            kind = "review" if number % 3 == 0 else "edit" if is_edit else "none"
            file.write(f"{kind}\t{names[0]}\t{names[1]}\t{level}\n")
            app.processEvents()


if __name__ == "__main__":
    main()
