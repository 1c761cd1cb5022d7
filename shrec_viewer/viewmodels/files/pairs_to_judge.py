"""Write the pairs of query and model that are not judged to a file."""

from functools import partial
from pathlib import Path

from shrec_viewer.content.practical import PracticalRequest
from shrec_viewer.evaluation.practical import pairs_to_judge
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task


def save_pairs_to_judge(session: Session, path: Path, options: PracticalRequest) -> None:
    """Write the pairs in a background task and report the result; see `pairs_to_judge`."""
    benchmark = session.benchmark
    if not session.is_open or not session.may_write(path):
        return
    make = partial(pairs_to_judge, benchmark, session.profile, scope=options.judged, sample_size=options.sample)

    def write(_task: Task) -> int:
        text = make()
        write_text_atomic(path, text)
        return sum(not line.startswith("#") for line in text.splitlines())

    def report(number: int) -> None:
        session.written.emit(f"Saved {count_of(number, 'pair')} to judge: {path}", str(path))

    problem = f"{path.name} cannot be written"
    session.tasks.run(f"save pairs to {path}", write, report, problem, title=f"Saving {path.name}")
