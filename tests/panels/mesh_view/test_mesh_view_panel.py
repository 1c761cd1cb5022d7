"""3D view panel: rendered images, keys, and no rendering while hidden."""

import time

import pytest
from PIL import Image, ImageSequence
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QFileDialog, QMainWindow, QTextEdit
from sample_benchmark import write_sample_benchmark
from sessions import open_in, settle

from shrec_viewer.content.images import POINT_SIZES
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.panels.mesh_view import mesh_view, turntable
from shrec_viewer.panels.mesh_view.mesh_view import MeshViewPanel, mesh_description
from shrec_viewer.panels.ranking.ranked_list import RankedListPanel
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.thumbnails.thumbnail import MeshComparison
from shrec_viewer.render.workers.model_readers import ModelInfo, ModelReaderPool
from shrec_viewer.viewmodels.mesh_view.state import open_camera_store
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg
from shrec_viewer.widgets.mesh_view.actions import CUT_STEP
from shrec_viewer.widgets.mesh_view.mesh_view import MODEL_MIME

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session, tmp_path, qtbot):
    open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    session.select(query=0, run=1)
    settle(session, qtbot)
    made = MeshViewPanel(session)
    qtbot.addWidget(made)
    made.resize(820, 380)
    made.show()
    qtbot.waitExposed(made)
    return made


def images(panel):
    return {key: panel.view_grid.view(key).image for key in panel.view_grid.shown}


def wait_drawn(panel, qtbot):
    """Wait until every visible part has an image for the current camera in its size."""

    def drawn():
        sizes = panel.view_grid.sizes()
        return all(
            image is not None and (image.width(), image.height()) == sizes[key] for key, image in images(panel).items()
        )

    qtbot.waitUntil(drawn)


def middle(image):
    return image.pixelColor(image.width() // 2, image.height() // 2)


@pytest.mark.parametrize("prefer", ["gl", "software"])
def test_query_and_results_are_drawn_side_by_side(panel, session, qtbot, prefer):
    session.mesh_view_state.source.set_preference(prefer)
    session.select(rank=2, compared=0)
    settle(session, qtbot)
    assert panel.view_grid.shown == ("query", "a", "b")
    wait_drawn(panel, qtbot)
    assert all(middle(image).alpha() == 255 for image in images(panel).values())
    assert panel.view_grid.view("a").footer == "8 vertices · 12 faces"
    assert panel.view_grid.view("a").text.role == "A2, rank 2"


def test_difference_to_the_query_is_aligned_coloured_and_described(panel, session, qtbot):
    wait_drawn(panel, qtbot)
    footer, before = panel.view_grid.view("query").footer, {key: image.copy() for key, image in images(panel).items()}

    def described():
        return panel.view_grid.view("a").footer.startswith(("Mean ", "Same "))

    qtbot.keyClick(panel.view_grid, Qt.Key.Key_D)
    assert panel.options.difference == "side"
    assert panel.view_grid.bar.actions_by_name["difference"].isChecked()
    qtbot.waitUntil(described)
    assert panel.view_grid.view("query").footer == footer, "the query is the reference"
    assert images(panel)["query"] == before["query"]
    qtbot.waitUntil(lambda: images(panel)["a"] != before["a"])
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_D)
    qtbot.waitUntil(lambda: images(panel)["a"] == before["a"])
    assert panel.view_grid.view("a").footer == "8 vertices · 12 faces"


def act(panel, name):
    panel.view_grid.bar.actions_by_name[name].trigger()


def checked(panel, *names):
    return [name for name in names if panel.view_grid.bar.actions_by_name[name].isChecked()]


def test_overlay_contains_the_reference_and_flip_alternates(panel, session, qtbot):
    session.select(rank=2, compared=0)
    settle(session, qtbot)
    wait_drawn(panel, qtbot)
    layouts = ("side", "overlay", "alternate")

    def described(*keys):
        return all(panel.view_grid.view(key).footer.startswith(("Mean ", "Same ")) for key in keys)

    act(panel, "overlay")
    assert (panel.options.difference, panel.view_grid.shown) == ("overlay", ("a", "b"))
    assert checked(panel, "difference", *layouts) == ["difference", "overlay"]
    qtbot.waitUntil(lambda: described("a", "b"))
    assert panel.view_grid.view("a").toolTip().count("q1")
    act(panel, "alternate")
    assert checked(panel, "difference", *layouts) == ["difference", "alternate"]
    assert panel.view_grid.shown == ("a",)
    assert set(panel.view_grid._views) == {"query", "a"}
    views = panel.view_grid.view("query"), panel.view_grid.view("a")

    def both_drawn():
        size = panel.view_grid.sizes()["a"]
        return all(view.image is not None and view.image.size().toTuple() == size for view in views)

    qtbot.waitUntil(both_drawn, timeout=20_000)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_Space)
    assert panel.view_grid.shown == ("query",)
    assert panel.request().queries == ("q1",), "what is hidden is exported, too"
    assert panel.request().models == ("m1",)
    table = panel.requests()[1]
    assert (table.kind, table.models, table.queries) == ("difference", ("m1",), ("q1",))
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_D)
    assert (panel.options.difference, panel.view_grid.shown) == ("", ("query", "a", "b"))
    assert len(panel.requests()) == 1
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_D)
    assert panel.options.difference == "flip", "the last layout"
    panel.set_state({"difference": True})  # as projects of a former version
    assert panel.options.difference == "side"


def test_distances_of_several_models_have_one_range_with_its_scale(panel, session, qtbot):
    """The largest of their ranges, once all were read."""
    act(panel, "side")
    scale_bar, alone = panel.view_grid.scale_bar, {}

    def drawn(*answers):
        views = [panel.view_grid.view(key) for key in panel.view_grid.shown if key != "query"]
        names = [view.text.title for view in views if view.image is not None and view.footer.startswith("Mean ")]
        return names == list(answers) and scale_bar.legend is not None

    for run, model in ((1, "m6"), (0, "m3")):
        session.select(run=run, rank=3, compared=-1)
        settle(session, qtbot)
        qtbot.waitUntil(lambda model=model: drawn(model), timeout=20_000)
        alone[model] = scale_bar.legend.scale.high, images(panel)["a"].copy()
    assert alone["m3"][0] < alone["m6"][0]
    session.select(run=1, rank=3, compared=0)
    settle(session, qtbot)
    qtbot.waitUntil(lambda: drawn("m6", "m3"), timeout=20_000)
    qtbot.waitUntil(lambda: scale_bar.legend.scale.high == alone["m6"][0], timeout=20_000)
    assert scale_bar.isVisible()
    qtbot.waitUntil(lambda: darkest(images(panel)["b"]) > darkest(alone["m3"][1]) + 20, timeout=20_000)


def darkest(image):
    """Least green of the surface, which distances lack."""
    colours = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    return min(colour.green() for colour in colours if colour.alpha() == 255)


def test_models_are_compared_with_each_other(panel, session, qtbot):
    actions = panel.view_grid.bar.actions_by_name
    assert not actions["against_b"].isEnabled()
    assert not actions["against_pinned"].isEnabled()
    session.select(rank=2, compared=0)
    settle(session, qtbot)
    assert actions["against_b"].isEnabled()
    act(panel, "against_b")
    assert (panel.options.against, panel.options.difference) == ("b", "side")
    assert dict(panel._compared.comparisons) == {
        "a": MeshComparison(session.benchmark.collection.paths[session.benchmark.collection.index["m2"]])
    }
    assert panel.requests()[1].models == ("m2", "m1")
    qtbot.waitUntil(lambda: "\n" in panel.view_grid.view("a").footer or panel.view_grid.view("a").footer == "Same mesh")
    assert "Compared with m2" in panel.view_grid.view("a").toolTip()
    act(panel, "mirror")
    assert not panel._compared.comparisons["a"].may_mirror
    session.select(compared=-1)
    settle(session, qtbot)
    assert panel._compared.reference.key == "query", "without the model of run B"
    session.mesh_view_state.open_pair(session.benchmark.collection.index["m3"])
    assert (panel.options.against, panel._compared.reference.title) == ("pinned", "m3")


def test_mesh_that_cannot_be_compared_is_shown_with_the_reason(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "point")
    (folder / "queries" / "q1.off").write_text("OFF\n2 0 0\n1 1 1\n1 1 1\n")
    open_in(session, folder, qtbot)
    session.select(query=0, run=1)
    settle(session, qtbot)
    panel = MeshViewPanel(session)
    qtbot.addWidget(panel)
    panel.set_state({"difference": "overlay"})
    panel.resize(820, 380)
    panel.show()
    answer = panel.view_grid.view("a")
    qtbot.waitUntil(lambda: answer.image is not None)
    assert answer.footer == "Not compared: the other mesh has no extent: all of its points are equal"


def test_camera_stays_while_stepping_through_ranks(panel, session, qtbot):
    wait_drawn(panel, qtbot)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_3)
    camera = panel.camera_controller.camera
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_Right)
    assert session.selection.rank == 1
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_Right)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_Right)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_Left)
    assert session.selection.rank == 2
    assert panel.view_grid.view("a").text.title == "m1"
    assert panel.camera_controller.camera == camera
    for _ in range(12):
        qtbot.keyClick(panel.view_grid, Qt.Key.Key_Right)
    assert session.selection.rank == 8, "the list ends"


def test_all_views_share_one_camera(panel, session, qtbot):
    session.select(rank=1, compared=0)
    settle(session, qtbot)
    wait_drawn(panel, qtbot)
    before = {key: image.copy() for key, image in images(panel).items()}
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_7)
    qtbot.waitUntil(lambda: all(image != before[key] for key, image in images(panel).items()))
    assert panel.view_grid.camera == panel.camera_controller.camera


def test_shadings_and_options_change_the_image_and_are_restored(panel, qtbot):
    wait_drawn(panel, qtbot)
    plain = images(panel)["a"].copy()
    for key, name in ((Qt.Key.Key_N, "normals"), (Qt.Key.Key_W, "wireframe"), (Qt.Key.Key_B, "box")):
        qtbot.keyClick(panel.view_grid, key)
        assert panel.view_grid.bar.actions_by_name[name].isChecked()
        qtbot.waitUntil(lambda: images(panel)["a"] != plain)
        qtbot.keyClick(panel.view_grid, key)
        assert not panel.view_grid.bar.actions_by_name[name].isChecked()
        qtbot.waitUntil(lambda: images(panel)["a"] == plain)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_S)
    assert panel.camera_controller.style.shading == "smooth"
    assert panel.view_grid.bar.actions_by_name["smooth"].isChecked()


def test_shading_and_box_of_a_former_project(panel):
    panel.set_state({"shading": "normals", "wireframe": False, "box": True})
    style, buttons = panel.camera_controller.style, panel.view_grid.bar.actions_by_name
    assert (style.shading, style.wireframe, style.box, style.axes) == ("normals", False, True, True)
    assert [name for name in ("flat", "normals", "wireframe", "box") if buttons[name].isChecked()] == ["normals", "box"]
    assert panel.options.state() == {"shading": "normals", "box": True}
    panel.set_state({"shading": 2})
    assert (panel.camera_controller.style.shading, panel.options.state()) == ("flat", {})


def test_turntable_stops_when_the_user_drags(panel, qtbot):
    wait_drawn(panel, qtbot)
    before = panel.camera_controller.camera
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_T)
    qtbot.waitUntil(lambda: panel.camera_controller.camera.azimuth > before.azimuth + 1)
    assert panel.view_grid.bar.actions_by_name["turn"].isChecked()
    qtbot.mousePress(panel.view_grid.view("a"), LEFT, pos=QPoint(60, 120))
    qtbot.mouseMove(panel.view_grid.view("a"), QPoint(90, 120))
    qtbot.mouseRelease(panel.view_grid.view("a"), LEFT, pos=QPoint(90, 120))
    assert not panel.camera_controller.is_spinning
    assert not panel.view_grid.bar.actions_by_name["turn"].isChecked()


def test_model_can_be_pinned_and_unpinned(panel, session, qtbot):
    session.select(rank=2)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_P)
    session.select(rank=3)
    settle(session, qtbot)
    assert panel.view_grid.shown == ("query", "pinned", "a")
    assert [panel.view_grid.view(key).text.title for key in panel.view_grid.shown] == ["q1", "m1", "m6"]
    wait_drawn(panel, qtbot)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_P)
    assert panel.view_grid.shown == ("query", "a")


def drop(panel, key, model):
    data = QMimeData()
    data.setData(MODEL_MIME, model.encode())
    rest = (Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(panel.view_grid.view(key), QDragEnterEvent(QPoint(40, 90), *rest))
    QApplication.sendEvent(panel.view_grid.view(key), QDropEvent(QPointF(40, 90), *rest))


def test_card_dropped_on_the_result_view_is_selected_elsewhere_pinned(panel, session, qtbot):
    drop(panel, "a", "m8")
    assert session.selection.rank == 7
    drop(panel, "query", "m3")
    assert panel.view_grid.view("pinned").text.title == "m3"
    drop(panel, "query", "nobody")
    assert panel.view_grid.view("pinned").text.title == "m3"


def test_dragged_cards_carry_the_model(panel, session, qtbot):
    results = RankedListPanel(session)
    qtbot.addWidget(results)
    mime = results.card_preview.drag.mime(results.model.index(2, 0))
    assert bytes(mime.data(MODEL_MIME).data()) == b"m6"
    assert mime.text() == "m6"


def test_dragged_card_is_not_selected(panel, session, qtbot, monkeypatch):
    results = RankedListPanel(session)
    qtbot.addWidget(results)
    results.resize(700, 500)
    results.show()
    qtbot.waitExposed(results)
    session.select(rank=2)
    monkeypatch.setattr("shrec_viewer.widgets.cards.card_hover.QDrag.exec", lambda *_: None)
    viewport, grid = results.grid.viewport(), results.grid
    start = grid.visualRect(grid.model().index(0, 0)).center()
    qtbot.mousePress(viewport, LEFT, pos=start)
    assert session.selection.rank == 1
    qtbot.mouseMove(viewport, start + QPoint(60, 0))
    assert session.selection.rank == 2
    qtbot.mouseRelease(viewport, LEFT, pos=start + QPoint(60, 0))
    assert session.selection.rank == 2


def test_up_axis_can_be_changed_and_is_stored(panel, session, tmp_path, qtbot):
    assert panel.camera_controller.camera.up == "Y"
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_U)
    assert panel.camera_controller.camera.up == "Z"
    assert panel.view_grid.bar.actions_by_name["upright"].isChecked()
    assert open_camera_store().camera_of(tmp_path / "sample_benchmark") == Camera(up="Z")
    session.close()
    settle(session, qtbot)
    open_in(session, tmp_path / "sample_benchmark", qtbot)
    assert panel.camera_controller.camera.up == "Z"
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_U)
    assert open_camera_store().camera_of(tmp_path / "sample_benchmark") == Camera()


def test_other_up_axis_is_suggested_but_not_applied(panel, session, tmp_path, qtbot):
    votes = panel._upright.votes
    for number in range(12):
        votes[tmp_path / str(number)] = "Z"
    wait_drawn(panel, qtbot)
    panel.camera_controller.redraw()
    qtbot.waitUntil(lambda: bool(panel.up_axis_prompt.text))
    assert panel.up_axis_prompt.isVisible()
    assert "12 of" in panel.up_axis_prompt.text
    assert panel.camera_controller.camera.up == "Y"
    qtbot.mouseClick(panel.up_axis_prompt._accept, LEFT)
    assert panel.camera_controller.camera.up == "Z"
    assert not panel.up_axis_prompt.isVisible()


def test_dismissed_suggestion_is_not_repeated(panel, session, tmp_path, qtbot):
    for number in range(12):
        panel._upright.votes[tmp_path / str(number)] = "Z"
    panel.camera_controller.redraw()
    qtbot.waitUntil(lambda: bool(panel.up_axis_prompt.text))
    qtbot.mouseClick(panel.up_axis_prompt._decline, LEFT)
    panel.camera_controller.redraw()
    qtbot.wait(200)
    assert panel.up_axis_prompt.text == ""
    assert panel.camera_controller.camera.up == "Y"


def test_hidden_panels_are_not_drawn(panel, session, qtbot):
    wait_drawn(panel, qtbot)
    panel.hide()
    heard = []
    session.mesh_view_state.source.rendered.connect(heard.append)
    session.select(rank=4)
    qtbot.wait(150)
    assert heard == []
    panel.show()
    wait_drawn(panel, qtbot)


def test_broken_file_shows_the_reason(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "broken")
    (folder / "models" / "m1.off").write_text("")
    open_in(session, folder, qtbot)
    session.select(run=0)
    settle(session, qtbot)
    panel = MeshViewPanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 380)
    panel.show()
    qtbot.waitUntil(lambda: panel.view_grid.view("a").text.problem != "")
    assert "empty" in panel.view_grid.view("a").text.problem
    session.select(rank=2)
    wait_drawn(panel, qtbot)


def test_sketch_query_is_shown_as_an_image(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sketches")
    (folder / "queries" / "q1.off").unlink()
    sketch = QImage(60, 60, QImage.Format.Format_RGB32)
    sketch.fill(0xFF2255)
    assert sketch.save(str(folder / "queries" / "q1.png"))
    open_in(session, folder, qtbot)
    panel = MeshViewPanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 380)
    panel.show()
    qtbot.waitUntil(lambda: panel.view_grid.view("query").image is not None)
    assert middle(panel.view_grid.view("query").image).red() == 255
    assert panel.view_grid.view("query").footer == "image"
    before = panel.camera_controller.camera
    qtbot.mousePress(panel.view_grid.view("query"), LEFT, pos=QPoint(60, 120))
    qtbot.mouseMove(panel.view_grid.view("query"), QPoint(120, 150))
    qtbot.mouseRelease(panel.view_grid.view("query"), LEFT, pos=QPoint(120, 150))
    assert panel.camera_controller.camera == before


def test_3d_view_can_be_copied_and_saved(panel, session, tmp_path, qtbot, monkeypatch):
    wait_drawn(panel, qtbot)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().image()
    assert copied.width() >= 800 * panel.devicePixelRatioF()
    monkeypatch.setattr(mesh_view, "choose_image_path", lambda *_: tmp_path / "view.PNG")
    with qtbot.waitSignal(session.written) as reported:
        panel.view_grid.action_requested.emit("save")
    assert reported.args == [f"Saved {tmp_path / 'view.PNG'}", str(tmp_path / "view.PNG")]
    saved = QImage(str(tmp_path / "view.PNG"))
    assert saved.size() == copied.size()
    assert [path.name for path in tmp_path.glob("view*")] == ["view.PNG"]
    monkeypatch.setattr(mesh_view, "choose_image_path", lambda *_: tmp_path / "nowhere" / "view.png")
    with qtbot.waitSignal(session.failed) as reported:
        panel.view_grid.action_requested.emit("save")
    assert reported.args[0] == f"{tmp_path / 'nowhere' / 'view.png'} is in a folder that does not exist"


def test_opened_3d_view_gets_the_focus_and_keeps_its_size(session, tmp_path, qtbot):
    open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    window, dock, results = QMainWindow(), QDockWidget("3D"), RankedListPanel(session)
    qtbot.addWidget(window)
    panel = MeshViewPanel(session)
    dock.setWidget(panel)
    window.setCentralWidget(results)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    window.resize(1200, 700)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    window.resizeDocks([dock], [300], Qt.Orientation.Horizontal)
    qtbot.wait(60)
    width, scroll = dock.width(), results.grid.verticalScrollBar().value()
    results.grid.setFocus()
    session.select(rank=2)
    session.mesh_view_state.open()
    qtbot.wait(60)
    qtbot.waitUntil(panel.view_grid.hasFocus)
    assert dock.width() == width
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_Escape)
    qtbot.waitUntil(results.grid.hasFocus)
    assert dock.width() == width
    assert results.grid.verticalScrollBar().value() == scroll


def test_text_field_receives_single_letter_keys(panel, qtbot):
    """Single-letter keys of the view work only while it has the focus."""
    field = QTextEdit()
    qtbot.addWidget(field)
    field.show()
    field.setFocus()
    qtbot.keyClicks(field, "wn1")
    assert field.toPlainText() == "wn1"
    assert not panel.camera_controller.style.wireframe


def test_mesh_description():
    assert mesh_description(ModelInfo(8, 12)) == "8 vertices · 12 faces"
    assert mesh_description(ModelInfo(1, 0)) == "1 vertex · point cloud"
    assert mesh_description(ModelInfo(3, 1, notes=("a", "b"))) == "3 vertices · 1 face · 2 notes"
    assert mesh_description(ModelInfo(is_image_file=True)) == "image"


def read_unless_it_hangs(path):
    if path.stem == "m1":
        time.sleep(1000)
    return read_mesh(path)


def test_hanging_mesh_reader_shows_a_message_and_does_not_block(session, tmp_path, qtbot):
    source = session.mesh_view_state.source
    source._readers.close()
    source._readers = ModelReaderPool(read_unless_it_hangs, read_image_or_svg, timeout_s=5.0)
    source._requests.wake = source._readers.wake
    open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    session.select(query=0, run=1, rank=2)  # m1
    settle(session, qtbot)
    panel = MeshViewPanel(session)
    qtbot.addWidget(panel)
    panel.resize(820, 380)
    panel.show()
    qtbot.waitExposed(panel)
    query, answer = panel.view_grid.view("query"), panel.view_grid.view("a")
    qtbot.waitUntil(lambda: query.image is not None)
    qtbot.waitUntil(lambda: answer.is_loading)
    first = query.image.copy()
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_7)
    qtbot.waitUntil(lambda: query.image != first)  # is rotated while the other one is read
    qtbot.waitUntil(lambda: answer.text.problem == "takes longer than 5 seconds to read")
    session.select(rank=3)
    qtbot.waitUntil(lambda: answer.image is not None)
    assert answer.text.problem == ""


def test_models_are_cut_open_and_the_cut_is_moved(panel, qtbot):
    wait_drawn(panel, qtbot)
    grid, before = panel.view_grid, images(panel)
    qtbot.keyClick(grid, Qt.Key.Key_C)
    camera = panel.camera_controller.camera
    assert camera.cut == "z"
    assert grid.bar.actions_by_name["cut"].isChecked()
    assert "cut=z" in panel.request().camera
    qtbot.keyClick(grid, Qt.Key.Key_BracketRight)
    assert panel.camera_controller.camera.cut_at == pytest.approx(CUT_STEP)
    view = grid.view("a")
    place = QPointF(view.rect().center())
    for modifier, moves in ((Qt.KeyboardModifier.ControlModifier, True), (Qt.KeyboardModifier.NoModifier, False)):
        at, zoom = panel.camera_controller.camera.cut_at, panel.camera_controller.camera.zoom
        wheel = QWheelEvent(
            place,
            place,
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            modifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(view, wheel)
        camera = panel.camera_controller.camera
        assert (camera.cut_at > at, camera.zoom > zoom) == (moves, not moves)
    qtbot.waitUntil(lambda: images(panel)["a"] not in (None, before["a"]))
    qtbot.keyClick(grid, Qt.Key.Key_Home)
    assert panel.camera_controller.camera.cut == ""


def test_sizes_of_points_are_limited_and_kept(panel, qtbot):
    for _ in range(3):
        qtbot.keyClick(panel.view_grid, Qt.Key.Key_Period)
    assert panel.camera_controller.style.point_size == pytest.approx(1.25**3)
    for _ in range(20):
        qtbot.keyClick(panel.view_grid, Qt.Key.Key_Comma)
    assert panel.options.point_size == POINT_SIZES[0] == panel.camera_controller.style.point_size


@pytest.mark.parametrize("name", ["turn.gif", "turn"])
def test_a_turn_is_saved_as_animation_or_as_images(panel, session, tmp_path, qtbot, monkeypatch, name):
    monkeypatch.setattr(turntable, "N_IMAGES", 5)
    wait_drawn(panel, qtbot)
    camera = panel.camera_controller.camera
    size = panel.view_grid.picture().size()
    monkeypatch.setattr(mesh_view, "choose_image_path", lambda *_: tmp_path / name)
    with qtbot.waitSignal(session.written) as reported:
        panel.view_grid.action_requested.emit("save")
    assert reported.args == [f"Saved {tmp_path / name}", str(tmp_path / name)]
    assert panel.camera_controller.camera == camera
    if name.endswith("gif"):
        with Image.open(tmp_path / name) as animation:
            assert (animation.n_frames, animation.info["loop"]) == (5, 0)
            frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(animation)]
    else:
        files = sorted((tmp_path / name).iterdir())
        assert [file.name for file in files] == [f"turn-0{number}.png" for number in range(1, 6)]
        frames = [Image.open(file).convert("RGB") for file in files]
    assert {frame.size for frame in frames} == {(size.width(), size.height())}
    assert len({frame.tobytes() for frame in frames}) == 5
    # Into the folder again: nothing is replaced.
    if not name.endswith("gif"):
        with qtbot.waitSignal(session.failed) as reported:
            panel.view_grid.action_requested.emit("save")
        assert "turn" in reported.args[0]


@pytest.mark.parametrize(("typed", "folder"), [("chair 1.5 m", "chair 1.5 m"), ("Q01 M014.png", "Q01 M014")])
def test_the_folder_of_a_turn_has_the_name_that_was_typed(panel, session, tmp_path, qtbot, monkeypatch, typed, folder):
    """Without the suffix that the dialog proposes for an image."""
    monkeypatch.setattr(turntable, "N_IMAGES", 2)
    wait_drawn(panel, qtbot)

    def choose(_parent, _title, _start, filters):
        return str(tmp_path / typed), filters.split(";;")[2]

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    with qtbot.waitSignal(session.written):
        panel.view_grid.action_requested.emit("save")
    assert sorted(path.name for path in (tmp_path / folder).iterdir()) == [f"{folder}-01.png", f"{folder}-02.png"]


def test_turning_the_models_by_hand_ends_the_recording(panel, session, tmp_path, qtbot, monkeypatch):
    wait_drawn(panel, qtbot)
    monkeypatch.setattr(mesh_view, "choose_image_path", lambda *_: tmp_path / "turn.gif")
    panel.view_grid.action_requested.emit("save")
    assert session.tasks.is_busy(turntable.TURNTABLE_KEY)
    qtbot.keyClick(panel.view_grid, Qt.Key.Key_4)
    assert not session.tasks.is_busy(turntable.TURNTABLE_KEY)
    settle(session, qtbot)
    assert not list(tmp_path.glob("turn*"))


def test_two_clicks_measure_a_distance(panel, qtbot):
    wait_drawn(panel, qtbot)
    grid, view = panel.view_grid, panel.view_grid.view("a")
    box = view._box()
    places = [QPoint(round(box.left() + x * box.width()), round(box.center().y())) for x in (0.4, 0.6)]
    qtbot.mouseClick(view, LEFT, pos=places[0])  # not measuring yet
    qtbot.keyClick(grid, Qt.Key.Key_M)
    assert grid.bar.actions_by_name["measure"].isChecked()
    for place in places:
        with qtbot.waitSignal(panel.camera_controller.marked) as marked:
            qtbot.mouseClick(view, LEFT, pos=place)
        assert marked.args[0] == "a"
    qtbot.waitUntil(lambda: "distance" in view.footer)
    number = float(view.footer.split()[1])
    assert number > 0
    assert view.footer.endswith("% of the diameter")
    with qtbot.waitSignal(panel.camera_controller.marked):
        qtbot.mouseClick(view, LEFT, pos=places[0])
    qtbot.waitUntil(lambda: "distance" not in view.footer)  # a third click begins another one
    qtbot.keyClick(grid, Qt.Key.Key_Escape)
    assert not grid.bar.actions_by_name["measure"].isChecked()
