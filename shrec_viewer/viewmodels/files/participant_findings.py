"""The findings about the runs of a participant, as a text to send back."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from shrec_viewer.domain import Finding, Severity
from shrec_viewer.viewmodels.files.finding_location import locate_finding
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text

#: What a participant is asked to do about the findings of a severity; notes only say how files were read.
REQUESTS = {
    Severity.ERROR: "Please correct this, and send the files again:",
    Severity.WARNING: "Please check this; if it is not intended, correct it and send the files again:",
}


def copy_for_participant(session: Session, run: int | None = None) -> None:
    """Copy the findings about all runs of the participant of a run; of the selected run, if it is None."""
    benchmark = session.benchmark
    chosen = session.run if run is None else benchmark.runs[run]
    if chosen is None:
        session.done.emit("Select a run first: the findings of its participant are copied")
        return
    of_participant = {index for index, one in enumerate(benchmark.runs) if one.participant == chosen.participant}
    found = [one for one in session.findings if locate_finding(benchmark, one).run in of_participant]
    submitted = [benchmark.stored_path(benchmark.runs[index].source) for index in of_participant]
    QGuiApplication.clipboard().setText(participant_text(benchmark.name, chosen.participant, found, submitted))
    counted = count_text(sum(one.severity in REQUESTS for one in found), "finding")
    session.done.emit(f"Copied for {chosen.participant}: {counted}")


def participant_text(
    benchmark: str, participant: str, findings: Sequence[Finding], submitted: Sequence[Path] = ()
) -> str:
    """Plain text with what a participant should correct or check, the most severe first.

    Parameters
    ----------
    benchmark : its name.
    participant : name, "" where no run was read.
    findings : about the files of the participant.
    submitted : files, folders and archives of the participant, of which only the names are given.
    """
    of = f" of {participant}" if participant else ""
    lines = [f"{benchmark}: submission{of}", "", "Thank you for your submission."]
    numbers = count(1)
    for severity, request in REQUESTS.items():
        chosen = [one for one in findings if one.severity is severity]
        lines += ["", request] if chosen else []
        for finding in chosen:
            path = Path(finding.file)
            file = next(
                (path.relative_to(one.parent).as_posix() for one in submitted if path.is_relative_to(one)), path
            )
            place = f"{file}" if finding.line is None else f"{file}, line {finding.line:,}"
            times = f" ({finding.count:,} times; this is the first)" if finding.count > 1 else ""
            lines += ["", f"{next(numbers)}. {place}: {finding.message}{times}."]
            # The last part says how to settle it in the program.
            action = finding.action.rpartition("; ")[0] if finding.setting else finding.action
            lines += [f"   In the evaluation so far: {action}."] if action else []
    if next(numbers) == 1:
        lines += ["All files were read without errors or warnings."]
    return "\n".join(lines) + "\n"
