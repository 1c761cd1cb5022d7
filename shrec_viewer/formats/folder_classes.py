"""Classes that only the folders of the models tell: ``chair/chair_0001.off`` (ModelNet, OS-MN40)."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shrec_viewer.domain import ROOT, Finding, Severity
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.placing import ids_of

FEWEST_CLASSES = 2

FEWEST_PER_CLASS = 2.0
"""Models per folder, on average, below which a folder is a model's own (Princeton: ``m1119/m1119.off``)."""

SPLIT = re.compile(r"train|test|val|validation", re.IGNORECASE)
"""Folders that say to what a model is put, not what it is: ``chair/train/chair_0001.off``."""


def classes_of_folders(files: Sequence[Path], root: Path) -> LabelTable | None:
    """The models with their folders as classes; None where the folders do not look like classes.

    They do where all lie equally deep below one folder, in two or more others with two or more models on average.

    Parameters
    ----------
    files : of the collection, one for each model.
    root : folder of the benchmark.
    """
    if not files:
        return None
    folders = [_class_folder(path) for path in files]
    parents = {folder.parent for folder in folders}
    names = list(dict.fromkeys(folder.name for folder in folders))
    if len(parents) != 1 or not FEWEST_CLASSES <= len(names) <= len(files) / FEWEST_PER_CLASS:
        return None
    (above,) = parents
    if not above.is_relative_to(root):
        return None
    message = f"nothing but the folders tells classes: {len(names):,} of them"
    action = "the folder of a model is its class"
    return LabelTable(
        above,
        ids_of(files, root),
        np.array([names.index(folder.name) for folder in folders], np.int32),
        tuple(names),
        np.full(len(names), ROOT, np.int32),
        findings=(Finding(Severity.WARNING, str(above), None, message, action),),
    )


def _class_folder(path: Path) -> Path:
    folder = path.parent
    return folder.parent if SPLIT.fullmatch(folder.name) else folder
