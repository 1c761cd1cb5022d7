"""Findings about broken runs and shifted rows in the panel, with the lines that settle them."""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView
from sessions import open_in

from shrec_viewer.panels.files.findings import FindingsPanel

N = 12


def write_runs(folder):
    names = [f"m{number}" for number in range(N)]
    classes = "".join(f"\nc{part} 0 4\n" + "\n".join(names[4 * part : 4 * part + 4]) + "\n" for part in range(3))
    (folder / "test.cla").write_text(f"PSB 1\n3 {N}\n{classes}")
    points = np.random.default_rng(3).normal(size=(N, 5))
    values = np.linalg.norm(points[:, None] - points[None], axis=2)
    (folder / "runs").mkdir()
    np.save(folder / "runs" / "shifted.npy", np.roll(values, 1, axis=0))
    np.save(folder / "runs" / "sound.npy", values)
    (folder / "runs" / "cut.matrix").write_bytes(b"12345")
    return folder


def test_broken_run_and_shifted_rows_are_visible_in_the_panel(session, tmp_path, qtbot):
    opened = open_in(session, write_runs(tmp_path), qtbot)
    panel = FindingsPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(1000, 320)
    panel.show()
    qtbot.waitExposed(panel)
    view = panel.findChild(QAbstractItemView)
    model = view.model()
    texts = [
        " ".join(
            str(model.index(row, column).data(Qt.ItemDataRole.DisplayRole)) for column in range(model.columnCount())
        )
        for row in range(model.rowCount())
    ]
    assert any("runs/cut.matrix" in text and "is of no format of runs" in text for text in texts)
    (row,) = [row for row, text in enumerate(texts) if "the rows are probably shifted by 1" in text]
    assert "runs/shifted.npy" in texts[row]
