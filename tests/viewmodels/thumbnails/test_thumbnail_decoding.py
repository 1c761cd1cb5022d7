"""Decoding stored thumbnails: scaling and rounded corners, compared with Qt."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from shrec_viewer.render.thumbnails.thumbnail import CORNER_RADIUS, encode_png, encode_webp
from shrec_viewer.viewmodels.thumbnails.thumbnails import decode_scaled


def noise(width, height, seed=0):
    """Random patches of colour, some transparent."""
    patches = np.random.default_rng(seed).integers(0, 256, (-(-height // 8), -(-width // 8), 4), dtype=np.uint8)
    patches[..., 3] = np.where(patches[..., 3] > 90, 255, 0)
    return np.kron(patches, np.ones((8, 8, 1), np.uint8))[:height, :width]


def pixels_of(image):
    """(H, W, 4) RGBA, premultiplied."""
    plain = image.convertToFormat(QImage.Format.Format_RGBA8888_Premultiplied)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 4 * plain.width()].reshape(plain.height(), plain.width(), 4).astype(int)


@pytest.mark.parametrize(
    ("width", "height", "edge", "shape"),
    [(256, 256, 128, (128, 128)), (256, 128, 96, (48, 96)), (64, 64, 128, (64, 64)), (100, 256, 256, (256, 100))],
)
def test_image_fits_and_is_never_enlarged(qapp, width, height, edge, shape):
    image = decode_scaled(encode_webp(noise(width, height)), edge)
    assert (image.height(), image.width()) == shape
    assert image.format() == QImage.Format.Format_ARGB32_Premultiplied


@pytest.mark.parametrize("edge", [128, 192])
def test_interior_equals_scaling_by_qt(qapp, edge):
    source = noise(256, 256)
    ours = pixels_of(decode_scaled(encode_png(source), edge))
    keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    theirs = pixels_of(QImage.fromData(encode_png(source)).scaled(edge, edge, keep, smooth))
    middle = np.abs(ours - theirs)[6:-6, 6:-6]
    assert middle.mean() < 5  # colours in another order, or not multiplied, are off by 40 and more
    assert np.abs(ours - theirs[..., [2, 1, 0, 3]])[6:-6, 6:-6].mean() > 20
    assert (ours[..., :3] <= ours[..., 3:]).all()


def test_corners_are_round_and_symmetric(qapp):
    edge = 128
    alpha = pixels_of(decode_scaled(encode_webp(np.full((256, 256, 4), 255, np.uint8)), edge))[..., 3]
    radius = edge * CORNER_RADIUS
    at = np.arange(edge) + 0.5
    inset = np.minimum(at, edge - at)
    across, down = np.meshgrid(np.maximum(radius - inset, 0), np.maximum(radius - inset, 0))
    outside = np.hypot(across, down) - radius
    assert (alpha[outside < -0.75] == 255).all()
    assert (alpha[outside > 0.75] == 0).all()
    assert ((alpha > 0) & (alpha < 255)).sum() >= 8  # smooth
    assert np.abs(alpha - alpha[::-1]).max() <= 2
    assert np.abs(alpha - alpha[:, ::-1]).max() <= 2


@pytest.mark.parametrize("stored", [b"", b"RIFF", b"no picture at all", encode_webp(noise(64, 64))[:40]])
def test_invalid_image_is_none(qapp, stored):
    assert decode_scaled(stored, 128) is None
