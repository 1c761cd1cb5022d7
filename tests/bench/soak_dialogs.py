"""Stubs of system dialogs and of calls to other programs, and a writable copy of the benchmark."""

import random
import shutil
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QDrag
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog


class DialogStubs:
    """Replaces file and number dialogs by random results; no other program is started."""

    def __init__(self, rng: random.Random, scratch: Path, folders: list[Path]) -> None:
        self._rng, self._scratch, self._folders = rng, scratch, folders
        QFileDialog.getSaveFileName = staticmethod(self._save_name)
        QFileDialog.getOpenFileName = staticmethod(self._open_name)
        QFileDialog.getExistingDirectory = staticmethod(self._folder)
        QInputDialog.getInt = staticmethod(self._number)
        QDesktopServices.openUrl = staticmethod(self._opened)
        QDrag.exec = self._dragged
        QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)

    def path(self, suffix: str) -> Path:
        """A file to write; sometimes an existing one."""
        return self._scratch / f"saved{self._rng.randrange(4)}{suffix}"

    def _save_name(self, *args, **_named):
        texts = [str(arg) for arg in args]
        kind = next((form for form in (".shrec", ".png", ".csv", ".json", ".svg") if any(form in t for t in texts)), "")
        return ("", "") if self._rng.random() < 0.2 else (str(self.path(kind)), "")

    def _open_name(self, *_args, **_named):
        return ("", "") if self._rng.random() < 0.3 else (str(self._rng.choice(self._folders)), "")

    def _folder(self, *_args, **_named):
        return "" if self._rng.random() < 0.3 else str(self._rng.choice(self._folders))

    def _number(self, _parent, _title, _label, _value, least, most, *_others):
        return self._rng.randint(least, most), self._rng.random() < 0.8

    def _opened(self, _url):
        return True

    def _dragged(self, *_args):
        return Qt.DropAction.IgnoreAction


def write_projects(folder: Path, benchmarks: list[Path]) -> list[Path]:
    """A project of each benchmark, in which the last query and two runs are selected; indices differ most so."""
    from shrec_viewer.formats.discovery.benchmark import read_benchmark
    from shrec_viewer.formats.manifest.project import Project, write_project

    folder.mkdir()
    paths = []
    for number, root in enumerate(benchmarks):
        benchmark = read_benchmark(root)
        runs = [run.name for run in benchmark.runs]
        view = {
            "query": benchmark.queries.ids[-1],
            "run": runs[-1],
            "compared": runs[0],
            "rank": len(benchmark.collection),
        }
        path = folder / f"project{number}.shrec"
        write_project(Project(path, root.resolve(), benchmark.name, view=view))
        paths.append(path)
    return paths


def copy_folder(folder: Path, scratch: Path) -> Path:
    """A copy of the benchmark that the test may modify."""
    shutil.copytree(folder, scratch / "benchmark")
    return scratch / "benchmark"
