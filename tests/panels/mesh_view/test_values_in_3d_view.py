"""Quantities in the 3D view: choice, common range, legend, value at the pointer, thumbnails, project and export."""

from itertools import groupby

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication
from sample_benchmark import write_sample_benchmark
from sessions import open_in, settle

from shrec_viewer.content.images import camera_settings
from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.panels.export.content import figure_content
from shrec_viewer.panels.mesh_view.mesh_view import MeshViewPanel
from shrec_viewer.panels.ranking.ranked_list import RankedListPanel
from shrec_viewer.render.scene.values import palette_bytes, scale_of
from shrec_viewer.viewmodels.content.data import camera_of, content_data
from shrec_viewer.viewmodels.session.project import _selection_by_name

QUALITY = """ply
format ascii 1.0
element vertex 8
property float x
property float y
property float z
property float quality
element face 12
property list uchar int vertex_indices
end_header
"""


def write_valued_benchmark(folder):
    """The sample benchmark as PLY files, whose quality is from 0 to 7 for the first model, to 14 for the second one."""
    write_sample_benchmark(folder)
    (folder / "bend").mkdir()
    (folder / "match").mkdir()
    for number, path in enumerate(sorted(folder.glob("*/*.off"))):
        mesh = read_mesh(path)
        points = [f"{x} {y} {z} {index * (number + 1)}" for index, (x, y, z) in enumerate(mesh.vertices.tolist())]
        faces = [f"3 {a} {b} {c}" for a, b, c in mesh.faces.tolist()]
        path.with_suffix(".ply").write_text(QUALITY + "\n".join([*points, *faces]) + "\n")
        path.unlink()
        np.savetxt(folder / "bend" / f"{path.stem}.txt", np.arange(12) - 6.0)
        np.savetxt(folder / "match" / f"{path.stem}.txt", np.arange(8))
    reference = sorted((folder / "models").glob("*.ply"))[0].stem
    with (folder / "benchmark.toml").open("a") as manifest:
        manifest.write(
            '\n[values]\nbend = { path = "bend", unit = "1/m", zero = 0.0 }\n'
            f'match = {{ path = "match", correspondence = "{reference}" }}\n'
        )
    return folder


def opened(session, folder, qtbot):
    open_in(session, folder, qtbot)
    session.select(query=0, run=1, rank=1)
    settle(session, qtbot)
    made = MeshViewPanel(session)
    qtbot.addWidget(made)
    made.resize(820, 420)
    made.show()
    qtbot.waitExposed(made)
    qtbot.waitUntil(lambda: all(made.view_grid.view(key).image is not None for key in made.view_grid.shown))
    return made


@pytest.fixture
def panel(session, tmp_path, qtbot):
    return opened(session, write_valued_benchmark(tmp_path / "valued"), qtbot)


def image_of(panel, key):
    return panel.view_grid.view(key).image.copy()


def values_of(panel):
    """Quality of each model shown, as in its file."""
    paths = [pane.path for pane in panel.scene.panes if pane.key in panel.view_grid.shown]
    return [read_mesh(path).values[0].numbers for path in paths]


def test_without_quantities_there_is_no_field(session, tmp_path, qtbot):
    panel = opened(session, write_sample_benchmark(tmp_path / "plain"), qtbot)
    assert not panel.view_grid.scale_bar.isVisible()
    assert panel.options.values == ""


def test_quantity_in_view_legend_pointer_project_and_export(panel, session, qtbot, subtests):
    bar, field = panel.view_grid.scale_bar, panel.view_grid.scale_bar._field
    plain = {key: image_of(panel, key) for key in panel.view_grid.shown}

    def pick(name):
        field.setCurrentIndex(field.findData(name))
        field.activated.emit(field.currentIndex())

    with subtests.test("choices"):
        assert bar.isVisible()
        assert [field.itemData(index) for index in range(field.count())] == ["", "quality", "bend", "match"]
        assert bar.legend is None
    with subtests.test("one range for all models shown"):
        pick("quality")
        qtbot.waitUntil(lambda: panel.camera_controller.style.values is not None)
        for key in panel.view_grid.shown:
            qtbot.waitUntil(lambda key=key: image_of(panel, key) != plain[key])
        percentiles = [np.percentile(numbers, np.arange(101)) for numbers in values_of(panel)]
        low, high = np.percentile(np.concatenate(percentiles), [2, 98])
        scale = panel.camera_controller.style.values
        assert (scale.low, scale.high) == pytest.approx((low, high))
        assert bar.legend.ticks[-1][1].startswith("≥ "), "the largest value is beyond the range"
        assert panel.options.state() == {"values": "quality"}
    with subtests.test("value at the pointer"):
        view = panel.view_grid.view("a")
        box = view._box()

        def hover(position):
            event = QMouseEvent(
                QEvent.Type.MouseMove, position, view.mapToGlobal(position), Qt.MouseButton.NoButton,
                Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            )  # fmt: skip
            QApplication.sendEvent(view, event)

        qtbot.waitUntil(lambda: not panel.camera_controller._is_moving)
        hover(QPointF(box.center()))
        qtbot.waitUntil(lambda: bar.reading != "")
        text, _, index = bar.reading.partition(" at vertex ")
        pane = next(pane for pane in panel.scene.panes if pane.key == "a")
        numbers = read_mesh(pane.path).values[0].numbers
        assert float(text) == numbers[int(index)]
        hover(QPointF(box.topLeft() + QPointF(2, 2)))
        qtbot.waitUntil(lambda: bar.reading == "")
    with subtests.test("exported as shown"):
        request = panel.request()
        assert scale_of(camera_settings(request.camera)) == ValueScale(
            "quality", float(format(low, ".10g")), float(format(high, ".10g"))
        )
        sheet = figure_content(request, content_data(session), lambda: False)
        assert (sheet.key.legend.title, sheet.key.legend.ticks) == (bar.legend.title, bar.legend.ticks)
        assert panel.view_grid.picture().height() > panel.view_grid._floor.height()
    with subtests.test("normals hide it"):
        panel.set_option("shading", "normals")
        assert bar.legend is None
        panel.set_option("shading", "flat")
        assert bar.legend is not None
    with subtests.test("thumbnails, with undo and in the project"):
        session.edits.change_scale(panel.shown_scale, "colours of the 3D view")
        assert scale_of(camera_settings(camera_of(session))).name == "quality"
        assert session.mesh_view_state.style.values == panel.shown_scale, "cards that are turned look the same"
        assert _selection_by_name(session)["camera"]["values"] == "quality"
        session.edits.stack.undo()
        assert camera_of(session) == ""
    with subtests.test("values of faces in files beside the meshes, with unit and zero"):
        pick("bend")
        qtbot.waitUntil(
            lambda: bar.legend is not None and bar.legend.scale.name == "bend" and bar.legend.labels is None
        )
        scale = bar.legend.scale
        assert (bar.legend.title, scale.zero, scale.low) == ("bend in 1/m", 0.0, -scale.high)
        assert [text for _, text in bar.legend.ticks][1] == "0.0000"
        assert (bar.legend.colours == palette_bytes(has_zero=True, has_labels=False)).all()
        qtbot.waitUntil(lambda: not panel.camera_controller._is_moving)
        hover(QPointF(box.center()))
        qtbot.waitUntil(lambda: " 1/m at face " in bar.reading)
    with subtests.test("colours of a correspondence"):
        former = image_of(panel, "a")
        pick("match")
        qtbot.waitUntil(lambda: image_of(panel, "a") not in (former, plain["a"]))
        assert bar.legend is None
        assert panel.camera_controller.style.values is None
    with subtests.test("difference to the query has its own colours"):
        pick("quality")
        panel.set_option("difference", "side")
        qtbot.waitUntil(lambda: panel.view_grid.view("a").footer.startswith(("Mean ", "Same ")))
        requested = panel.camera_controller._panes["a"].source.comparison
        assert requested is not None
    with subtests.test("none again"):
        panel.set_option("difference", "")
        pick("")
        qtbot.waitUntil(lambda: image_of(panel, "a") == plain["a"])
        assert bar.isVisible()
        assert bar.legend is None


def palette_width(view):
    """Pixels of the longest line of one colour other than the background, which is the edge of the palette."""
    image = view.grab().toImage()
    background = image.pixel(0, 0)
    runs = [
        len(list(run))
        for y in range(image.height())
        for pixel, run in groupby(image.pixel(x, y) for x in range(image.width()))
        if pixel != background
    ]
    return max(runs)


def test_palette_has_eighty_pixels_in_the_dock_of_a_small_screen(panel, session, qtbot):
    bar = panel.view_grid.scale_bar
    bar.quantity_chosen.emit("bend")  # with a unit
    settle(session, qtbot)
    for width, is_below in ((820, False), (300, True), (820, False)):
        panel.resize(width, 420)
        qtbot.waitUntil(lambda: (bar.view.y() > bar.layout().itemAt(0).geometry().y()) == is_below)  # noqa: B023
        qtbot.waitUntil(lambda: 2 * palette_width(bar.view) >= 80)  # the mark of zero divides it
        field = bar.layout().itemAt(0).widget()
        qtbot.waitUntil(lambda: bar.rect().contains(field.geometry().united(bar.view.geometry())))  # noqa: B023
        assert field.height() >= field.sizeHint().height()


def test_legend_above_the_ranked_list(session, tmp_path, qtbot):
    open_in(session, write_valued_benchmark(tmp_path / "valued"), qtbot)
    session.select(query=0, run=1, rank=1)
    panel = RankedListPanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 400)
    panel.show()
    qtbot.waitExposed(panel)
    settle(session, qtbot)
    assert not panel.value_legend.isVisible()
    session.mesh_view_state.set_scale(ValueScale("bend"))
    qtbot.waitUntil(panel.value_legend.isVisible)
    legend = panel.value_legend.legend
    assert (legend.title, legend.scale.zero, legend.scale.low) == ("bend in 1/m", 0.0, -legend.scale.high)
    assert "bend in 1/m" in panel.value_legend.accessibleName()
    session.mesh_view_state.set_scale(None)
    qtbot.waitUntil(lambda: not panel.value_legend.isVisible())
