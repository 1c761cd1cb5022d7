"""Rendered thumbnails: camera, cache, findings."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from shrec_viewer.domain import Severity
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.thumbnails.cache import ThumbnailCache
from shrec_viewer.render.thumbnails.thumbnail import thumbnail_findings
from shrec_viewer.viewmodels.thumbnails import thumbnails
from shrec_viewer.viewmodels.thumbnails.thumbnails import (
    RenderedThumbnails,
    clear_thumbnail_cache,
    open_rendered_thumbnails,
)

WEDGE = "OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 3\n3 0 1 2\n3 0 1 3\n3 0 2 3\n"


@pytest.fixture
def images(tmp_path: Path):
    opened = RenderedThumbnails(tmp_path / "cache")
    yield opened
    opened.close()


def results(images: RenderedThumbnails, paths: list[Path]) -> dict[Path, tuple[bytes | None, str]]:
    images.request(paths, 64)
    found: dict[Path, tuple[bytes | None, str]] = {}
    for _ in range(120):
        found |= {path: (stored, problem) for path, stored, problem in images.wait(0.5)}
        if len(found) == len(paths):
            break
    return found


def as_array(stored: bytes | None) -> np.ndarray:
    assert stored is not None
    straight = QImage.fromData(stored).convertToFormat(QImage.Format.Format_RGBA8888)
    return np.frombuffer(straight.constBits(), np.uint8).reshape(64, 64, 4).astype(int)


def test_thumbnails_use_camera(qapp: object, tmp_path: Path, images: RenderedThumbnails):
    path = tmp_path / "wedge.off"
    path.write_text(WEDGE)
    upright = as_array(results(images, [path])[path][0])
    assert "OpenGL" in images.renderer or "software" in images.renderer
    images.set_camera(Camera(up="Z"))
    rotated = as_array(results(images, [path])[path][0])
    assert np.abs(upright - rotated).mean() > 10
    images.set_camera(Camera())
    assert np.array_equal(as_array(results(images, [path])[path][0]), upright)
    assert images.findings(tmp_path) == ()
    assert images.problems() == ()


def test_render_problems_become_findings(qapp: object, tmp_path: Path, images: RenderedThumbnails):
    (tmp_path / "broken.off").write_text("broken")
    (tmp_path / "short.off").write_text(WEDGE.rsplit("\n", 2)[0])
    (tmp_path / "good.off").write_text(WEDGE)
    found = results(images, [tmp_path / name for name in ("broken.off", "short.off", "good.off")])
    assert found[tmp_path / "broken.off"] == (None, "does not start with 'OFF'")
    assert sorted(map(str, images.findings(tmp_path))) == [
        "broken.off: warning: does not start with 'OFF'; a placeholder is shown instead of the thumbnail",
        "short.off: info: the file ends after 2 of 3 faces; drawn as far as possible",
    ]


def test_findings_are_created_once_for_each_thumbnail(qapp, tmp_path, images, monkeypatch):
    created = []

    def record(path, thumbnail, root):
        created.append((path.name, root))
        return thumbnail_findings(path, thumbnail, root)

    monkeypatch.setattr(thumbnails, "thumbnail_findings", record)
    files = [tmp_path / name for name in ("a.off", "b.off")]
    for path in files:
        path.write_text("broken")
        results(images, [path])
        first = images.findings(tmp_path)
        assert images.findings(tmp_path) == first
    assert created == [("a.off", tmp_path), ("b.off", tmp_path)]
    files[0].write_text(WEDGE.rsplit("\n", 2)[0])
    results(images, files[:1])
    assert [finding.file for finding in images.findings(tmp_path)] == ["a.off", "b.off"]
    assert images.findings(tmp_path)[0].severity is Severity.INFO
    assert [finding.file for finding in images.findings(tmp_path.parent)] == [
        f"{tmp_path.name}/{path.name}" for path in files
    ]
    assert len(created) == 5
    images.clear_findings()
    assert images.findings(tmp_path) == ()


def test_cache_is_cleared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr("shrec_viewer.viewmodels.thumbnails.thumbnails.cache_folder", lambda: tmp_path)
    cache = ThumbnailCache(tmp_path)
    empty = cache.size()
    cache.put({b"1" * 16: bytes(200_000)})
    assert cache.size() > empty + 190_000
    cache.close()
    clear_thumbnail_cache()
    cache = ThumbnailCache(tmp_path)
    assert cache.size() <= empty
    cache.close()
    open_rendered_thumbnails().close()
