"""Notices a folder that holds several benchmarks side by side."""

from pathlib import Path

from shrec_viewer.formats.survey import MESH, Survey

TRUTH = ("cla", "truth", "classes", "qrels", "pairs")
ANSWERS = ("matrix", "trec", "submission", "rank_list", MESH)


def benchmarks_in(survey: Survey) -> list[Path]:
    """Folders directly below with truth and meshes or runs of their own; none where the folder itself has truth."""
    kinds: dict[Path, set[str]] = {}
    for folder, files in survey.folders.items():
        parts = folder.relative_to(survey.root).parts
        top = survey.root / parts[0] if parts else survey.root
        kinds.setdefault(top, set()).update(found.kind for found in files)
    if kinds.pop(survey.root, set()) & {*TRUTH, "manifest"}:
        return []
    return [folder for folder, found in kinds.items() if found & set(TRUTH) and found & set(ANSWERS)]
