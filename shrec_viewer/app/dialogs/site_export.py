"""Dialog that exports the contest site."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QFormLayout,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from shrec_viewer.app.dialogs.standard_dialogs import WindowDialog, replace_dialog
from shrec_viewer.domain import FormatError
from shrec_viewer.printable import printable
from shrec_viewer.report.site.builder import SiteOptions, SiteSummary, build_site, site_scores
from shrec_viewer.report.site.file_names import safe_file_names
from shrec_viewer.report.site.images import cached_images, no_images
from shrec_viewer.report.site.pages import OPTIONAL_PAGES
from shrec_viewer.report.site.site_folder import check_target
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg
from shrec_viewer.widgets.controls import file_dialogs
from shrec_viewer.widgets.controls.layouts import column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE

#: Key of the task.
SITE_TASK = "site"

#: Processes that draw missing images: the window needs the other cores.
MAX_PROCESSES = 4

#: Value of the field for the number of models that follows from the number of lists.
AUTOMATIC = -1

#: Columns of the check boxes of pages.
PAGE_COLUMNS = 3

#: Width of the field for the folder in average characters.
FIELD_CHARACTERS = 48


class SiteExportDialog(WindowDialog):
    """Folder and contents of the contest site, which is built in the background.

    Parameters
    ----------
    session : the `Session` with the benchmark.
    """

    def __init__(self, parent: QWidget, session: Any) -> None:
        super().__init__(parent, "site_export", "Export contest site")
        self._session = session
        self.folder, self.names, self.first = QLineEdit(), QComboBox(), QSpinBox()
        self.pages = {row.key: QCheckBox(row.title) for row in OPTIONAL_PAGES}
        self.problem = PlainLabel(wraps=True)
        self._fill()
        choose = QPushButton("Choose…")
        choose.clicked.connect(self._choose_folder)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton("Export", QDialogButtonBox.ButtonRole.AcceptRole)
        form = QFormLayout()
        folder = PlainLabel("&Folder:")
        folder.setBuddy(self.folder)  # a row that is a layout has none, and shows the "&"
        form.addRow(folder, row_of((self.folder, 1), choose))
        form.addRow("&Names:", self.names)
        form.addRow("&Models of each list:", self.first)
        boxes = QGridLayout()
        for index, box in enumerate(self.pages.values()):
            boxes.addWidget(box, *divmod(index, PAGE_COLUMNS))
        form.addRow("Optional pages:", boxes)
        self.setLayout(column_of(form, self.problem, buttons, spacing=2 * SPACE, margins=4 * SPACE))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)

    def _fill(self) -> None:
        benchmark = self._session.benchmark
        name = safe_file_names([f"{benchmark.name} site"])[0]
        start = file_dialogs.start_folder(file_dialogs.EXPORT, Path.home())
        self.folder.setText(str(start / name))
        self.folder.setAccessibleName("Folder")
        self.folder.setMinimumWidth(FIELD_CHARACTERS * self.fontMetrics().averageCharWidth())
        self.names.addItem("All names", SiteOptions())
        self.names.addItem("Pseudonyms for all participants", SiteOptions(blind=True))
        for participant in dict.fromkeys(run.participant for run in benchmark.runs if not run.expression):
            options = SiteOptions(participant=participant)
            self.names.addItem(f"Pseudonyms for all but {printable(participant)}", options)
        self.names.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.names.setAccessibleName("Names")
        self.first.setRange(AUTOMATIC, 1000)
        self.first.setValue(AUTOMATIC)
        self.first.setSpecialValueText("automatic")
        set_tooltip(self.first, "automatic: 50, fewer if there are more than 3,000 lists; 0 for no images")
        self.first.setAccessibleName("Models of each list")
        for row in OPTIONAL_PAGES:
            self.pages[row.key].setChecked(bool(row.is_public))

    @Slot()
    def _choose_folder(self) -> None:
        chosen = file_dialogs.choose_folder(self, "Folder of the site", file_dialogs.EXPORT, Path.home())
        if chosen is not None:
            self.folder.setText(str(chosen))

    @property
    def _target(self) -> Path:
        return Path(os.path.expanduser(self.folder.text().strip())).absolute()

    def accept(self) -> None:
        """Start the export and close, ask whether to replace a site, or report why the folder cannot be used."""
        target = self._target
        try:
            if not self.folder.text().strip():
                raise FormatError(target, "is no folder")
            check_target(target)
        except FormatError as error:
            self.problem.setText(error.standalone_message)
            self.folder.setFocus()
            self.folder.selectAll()
            return
        if target.is_dir() and any(target.iterdir()):
            question = replace_dialog(self, target, "a contest site")
            question.accepted.connect(self._export)
            question.open()
        else:
            self._export()

    @Slot()
    def _export(self) -> None:
        first = self.first.value()
        options: SiteOptions = self.names.currentData()
        without = tuple(key for key, box in self.pages.items() if not box.isChecked())
        options = replace(options, first=None if first == AUTOMATIC else first, without=without)
        super().accept()
        export_site(self._session, self._target, options)


def export_site(session: Any, target: Path, options: SiteOptions) -> None:
    """Build the site of the open benchmark in the background; progress and cancellation are in the Tasks panel."""
    scores, benchmark = session.scores, session.benchmark
    measures = [] if scores is None else [measure.key for measure in scores.measures]
    images = no_images if options.first == 0 else cached_images(
        read_image_or_svg, processes=min(os.cpu_count() or 2, MAX_PROCESSES)
    )  # fmt: skip
    profile = session.profile

    def work(task: Task) -> SiteSummary:
        found = site_scores(
            benchmark, profile, extra_measures=measures, cancelled=task.cancelled, progress=task.progress
        )
        return build_site(found, target, images, options, cancelled=task.cancelled, progress=task.progress)

    def report(summary: SiteSummary) -> None:
        text = f"Contest site written: {count_text(summary.pages, 'page')} in {target}"
        session.written.emit(text, str(target / "index.html"))

    problem = "The site cannot be exported"
    session.tasks.run(SITE_TASK, work, report, problem, title="Contest site", listed=True, export=True)
