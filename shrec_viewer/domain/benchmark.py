"""A benchmark: collection, queries, assessment, runs and findings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shrec_viewer.domain.assessment import Assessment
from shrec_viewer.domain.classification import Classification
from shrec_viewer.domain.collection import Collection, Queries
from shrec_viewer.domain.finding import Finding, Severity
from shrec_viewer.domain.run import Run


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A benchmark read from a folder.

    Attributes
    ----------
    name : for titles, ``"SHREC 2006"``.
    root : folder that relative paths and findings refer to.
    profile : key of the profile set by the benchmark (``"shrec2006"``), else ``"default"``.
    collection, queries : may be empty.
    assessment : None without relevance assessment; then rankings can be shown, but not measured.
    classification : None without class tree.
    runs : in the order of the manifest, else in natural order of their names.
    findings : in reading order.
    camera : camera settings of the benchmark, as `render.scene.camera.Camera.as_settings` returns them; empty for the
        default.
    sources : files, and folders of lists, that it was read from: runs, truth, tables, benchmark.toml and archives;
        without meshes, images and files in archives.
    """

    name: str
    root: Path
    collection: Collection
    queries: Queries
    assessment: Assessment | None = None
    classification: Classification | None = None
    runs: tuple[Run, ...] = ()
    profile: str = "default"
    findings: tuple[Finding, ...] = field(default=())
    camera: Mapping[str, str | float] = field(default_factory=dict)
    sources: tuple[Path, ...] = ()

    def run(self, name: str) -> Run:
        """The run of that name; KeyError if there is none."""
        for run in self.runs:
            if run.name == name:
                return run
        raise KeyError(name)

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)
