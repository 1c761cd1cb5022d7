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
    """A benchmark as read from a folder.

    Attributes
    ----------
    name : for titles, ``"SHREC 2006"``.
    root : folder that relative paths and findings refer to.
    profile : key of the profile that the benchmark asks for (``"shrec2006"``), ``"default"`` where it says nothing.
    collection, queries : may be empty, never missing.
    assessment : None where no truth was found; then there are rankings to look at but nothing to measure.
    classification : None where there is no class tree.
    runs : in the order of the manifest, else natural order of their names.
    findings : what was noticed, in reading order.
    camera : how the benchmark asks its models to be looked at, as `render.camera.Camera.as_settings` writes it; empty
        where it says nothing.
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

    def run(self, name: str) -> Run:
        """The run called `name`; KeyError when there is none."""
        for run in self.runs:
            if run.name == name:
                return run
        raise KeyError(name)

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)
