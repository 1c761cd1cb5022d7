"""Settings of findings that take another reading: written to benchmark.toml, or set for this session."""

import os
from functools import partial
from pathlib import Path

from shrec_viewer.domain import Finding, Setting
from shrec_viewer.formats.manifest.manifest import ManifestEdit
from shrec_viewer.metrics import with_conventions
from shrec_viewer.viewmodels.files.finding_location import locate_finding
from shrec_viewer.viewmodels.files.import_dialog import write_edits
from shrec_viewer.viewmodels.files.run_submission import unwritable_reason
from shrec_viewer.viewmodels.session.session import Session

#: Key of the task that writes benchmark.toml.
WRITE_KEY = "write remedy"

#: `Setting.table` of a field of the profile.
CONVENTIONS = "conventions"


def remedy_text(finding: Finding) -> str:
    """What `apply_remedy` does: ``order = "classification"``, ``self_match = keep``; "" for findings without one."""
    setting = finding.setting
    if setting is None or not setting.table:
        return ""
    return setting.lines[-1] if setting.lines else f"{setting.key} = {_value_text(setting)}"


def _value_text(setting: Setting) -> str:
    return str(setting.value).lower() if isinstance(setting.value, bool) else str(setting.value)


def remedy_problem(session: Session, finding: Finding) -> str:
    """Why the remedy of a finding cannot be applied; "" if it can."""
    setting, path = finding.setting, session.path
    if setting is None or path is None or setting.table == CONVENTIONS:
        return ""
    if not setting.lines:
        is_read = locate_finding(session.benchmark, finding).run is not None
        return "" if is_read else "the run is not read, and benchmark.toml cannot name it"
    target = _target(session)
    if reason := unwritable_reason(session, path):
        return reason
    place = target if os.path.exists(target) else target.parent
    return "" if os.access(place, os.W_OK) else f"{target} cannot be written"


def apply_remedy(session: Session, finding: Finding) -> None:
    """Write the setting of a finding to benchmark.toml and read the benchmark again, or set the convention.

    A run that benchmark.toml cannot name, as one in an archive, is read so until the benchmark is opened again.
    """
    setting = finding.setting
    if setting is None or not setting.table or remedy_problem(session, finding):
        return
    if setting.table == CONVENTIONS:
        session.set_conventions(with_conventions(session.profile, {setting.key: str(setting.value)}))
        return
    location = locate_finding(session.benchmark, finding)
    if not setting.lines and location.run is not None:
        session.set_read_option([location.run], setting.key, _value_text(setting))
        return
    run = None
    if setting.table == "runs":
        run = session.benchmark.root / finding.file
        if location.run is not None:
            run = session.benchmark.runs[location.run].source
    work = partial(write_edits, _target(session), (ManifestEdit(setting.table, setting.key, setting.value, run),))
    done, problem = partial(_reload, session, remedy_text(finding)), "The setting cannot be written"
    session.tasks.run(WRITE_KEY, work, done, problem, title="Writing benchmark.toml", listed=True)


def _target(session: Session) -> Path:
    return session.manifest or session.benchmark.root


def _reload(session: Session, text: str, path: Path) -> None:
    session.reload_because(f"{text} was written to {path.name}; the benchmark was read again")
