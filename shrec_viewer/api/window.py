"""The window on a contest, in a separate process."""

import atexit
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

from shrec_viewer.api.files import (
    RUNS_FOLDER,
    require_printable,
    run_files,
    write_published,
    write_quantities,
    write_run,
    write_truth,
)
from shrec_viewer.domain import Assessment, Benchmark, Run
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, ManifestEdit, write_manifest

#: Seconds that a window has to close.
CLOSING_S = 5.0

#: Prints why no window can be opened, in 40 ms: a notebook does not show what the process of the window prints.
CHECK = "from shrec_viewer.cli.display import window_unavailable_reason as reason; print(reason())"


def window_problem() -> str:
    """Why no window can be opened; "" if one probably can."""
    return subprocess.run([sys.executable, "-c", CHECK], stdout=subprocess.PIPE, text=True).stdout.strip()


class ContestWindow:
    """A window that shows a contest as it is now and after each change, while the caller goes on.

    The window opens a temporary folder, into which `update` writes what changed, and reloads it by itself.

    Raises
    ------
    ShrecViewerError
        If a name is one that files cannot hold.

    Attributes
    ----------
    folder : what the window shows; deleted with it.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        require_printable(benchmark)
        self.folder = Path(mkdtemp(prefix="shrec-viewer-"))
        (self.folder / RUNS_FOLDER).mkdir()
        self._assessment: Assessment | None = None
        self._runs: dict[str, Run] = {}
        self._files: dict[str, str] = {}
        self.update(benchmark)
        # The window stays when the script ends: with the pipes of the script it would keep `python script.py | tee log`
        # from ending.
        messages = None if sys.__stderr__ and sys.__stderr__.isatty() else subprocess.DEVNULL
        self._process = subprocess.Popen(
            [sys.executable, "-m", "shrec_viewer", str(self.folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=messages,
        )
        atexit.register(self._remove)

    @property
    def is_open(self) -> bool:
        """Whether the window is open."""
        return self._process.poll() is None

    def wait(self) -> None:
        """Return when the window was closed."""
        self._process.wait()

    def close(self) -> None:
        """Close the window; edits made in it are not kept."""
        self._process.terminate()
        try:
            self._process.wait(CLOSING_S)
        except subprocess.TimeoutExpired:  # it was asked while it started
            self._process.kill()
            self._process.wait()
        self._remove()

    def __repr__(self) -> str:
        return f"<window, {'open' if self.is_open else 'closed'}>"

    def update(self, benchmark: Benchmark) -> None:
        """Write the runs and the relevance that differ from those written before; `benchmark.toml` last."""
        names = [run.name for run in benchmark.runs]
        taken = list(self._files)
        self._files |= dict(zip(names, run_files([*taken, *names])[len(taken) :], strict=True)) | self._files
        edits: list[ManifestEdit] = []
        if benchmark.assessment is not self._assessment or not (self.folder / MANIFEST_NAME).exists():
            edits += write_truth(benchmark, self.folder)
            self._assessment = benchmark.assessment
        for run in benchmark.runs:
            if self._runs.get(run.name) is not run:
                edits += write_run(run, benchmark, self.folder / RUNS_FOLDER / self._files[run.name])
                self._runs[run.name] = run
        edits += write_quantities(benchmark)
        write_manifest(self.folder, [*edits, *write_published(benchmark, self.folder)])

    def _remove(self) -> None:
        """Delete the folder, unless the window still shows it."""
        if not self.is_open:
            shutil.rmtree(self.folder, ignore_errors=True)
