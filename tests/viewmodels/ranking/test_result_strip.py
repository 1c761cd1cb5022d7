"""The ranked list as an image: content, rendering in the background, cancelling."""

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle

from shrec_viewer.viewmodels.ranking.ranked_list import ResultStrip
from shrec_viewer.viewmodels.thumbnails.qimage import qimage_to_rgba


@pytest.fixture
def opened(session, tmp_path, qtbot):
    open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    session.select(query=0, run=1)
    settle(session, qtbot)
    return session


@pytest.fixture
def strip(opened):
    return ResultStrip(opened, opened)


@pytest.fixture(scope="module")
def module_session(module_qtbot, tmp_path_factory):
    """The sample benchmark for the tests that only render."""
    for session in a_session():
        open_in(session, write_sample_benchmark(tmp_path_factory.mktemp("strips") / "sample_benchmark"), module_qtbot)
        session.select(query=0, run=1)
        settle(session, module_qtbot)
        yield session


@pytest.fixture
def module_strip(module_session):
    strip = ResultStrip(module_session, module_session)
    yield strip
    strip.deleteLater()


def created(strip, qtbot, count=4):
    with qtbot.waitSignal(strip.rendered) as received:
        strip.render(count)
    return received.args[0]


def test_strip_shows_query_and_models_with_frames(module_strip, qtbot):
    image = created(module_strip, qtbot)
    one = created(module_strip, qtbot, 1)
    assert image.width() > image.height()
    assert image.width() > one.width()
    pixels = qimage_to_rgba(image)[..., :3].astype(int)
    assert tuple(pixels[0, 0]) == (255, 255, 255), "white in all themes"
    blue = np.abs(pixels - (0x00, 0x56, 0x9B)).sum(axis=2) < 30
    assert blue.sum() > 1000, "m1 has the frame of a highly relevant model"


def test_strip_has_six_columns(module_strip, qtbot):
    assert created(module_strip, qtbot, 8).height() > 1.5 * created(module_strip, qtbot, 6).height()


def test_broken_file_has_placeholder(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "broken")
    (folder / "models" / "m5.off").write_text("")
    open_in(session, folder, qtbot)
    session.select(run=1)
    settle(session, qtbot)
    assert not created(ResultStrip(session, session), qtbot).isNull()


def test_strip_is_cancelled_with_benchmark(strip, opened, qtbot):
    with qtbot.assertNotEmitted(strip.rendered, wait=300):
        strip.render()
        opened.close()
    strip.render()


def test_strip_is_finished_by_another_renderer(strip, opened, qtbot):
    with qtbot.waitSignal(strip.rendered):
        strip.render(4)
        opened.mesh_view_state.source.set_preference("software")


def test_pixels_round_trip_through_qimage():
    expected = np.random.default_rng(5).integers(0, 255, (7, 5, 4), dtype=np.uint8)
    expected[..., 3] = 255
    from shrec_viewer.viewmodels.thumbnails.qimage import rgba_to_qimage

    assert np.array_equal(qimage_to_rgba(rgba_to_qimage(expected)), expected)
