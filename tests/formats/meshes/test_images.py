"""Pictures are fitted, centred, upright and never an exception."""

import os
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.meshes.images import read_image


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".bmp"])
def test_a_wide_picture_is_centred_between_transparent_bands(tmp_path, suffix):
    path = tmp_path / f"wide{suffix}"
    Image.new("RGB", (80, 40), (200, 100, 50)).save(path)
    pixels = read_image(path, 64)
    assert pixels.shape == (64, 64, 4)
    assert pixels.dtype == np.uint8
    assert (pixels[:16, :, 3] == 0).all()
    assert (pixels[48:, :, 3] == 0).all()
    assert (pixels[16:48, :, 3] == 255).all()
    assert np.abs(pixels[16:48, :, :3].astype(int) - (200, 100, 50)).max() <= 3  # JPEG and WebP are lossy


def test_transparency_grey_and_palettes_are_kept(tmp_path):
    Image.new("RGBA", (10, 10), (255, 0, 0, 128)).save(tmp_path / "half.png")
    assert (read_image(tmp_path / "half.png", 20) == (255, 0, 0, 128)).all()
    Image.new("1", (10, 10), 1).save(tmp_path / "sketch.png")
    assert (read_image(tmp_path / "sketch.png", 20) == 255).all()
    Image.new("L", (10, 10), 77).convert("P").save(tmp_path / "palette.png")
    assert (read_image(tmp_path / "palette.png", 20) == (77, 77, 77, 255)).all()


def test_photographs_are_rotated_by_exif(tmp_path):
    picture = Image.new("RGB", (40, 20), (0, 0, 255))
    exif = picture.getexif()
    exif[0x0112] = 6  # turned by a quarter
    picture.save(tmp_path / "upright.jpg", exif=exif)
    pixels = read_image(tmp_path / "upright.jpg", 40)
    assert (pixels[:, :10, 3] == 0).all()
    assert (pixels[:, 10:30, 3] == 255).all()


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"no picture", b"\xff\xd8\xff\xe0"])
def test_non_image_is_an_error(tmp_path, data):
    path = tmp_path / "broken.png"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"broken\.png: cannot be read as an image"):
        read_image(path, 64)
    with pytest.raises(FormatError, match="No such file"):
        read_image(tmp_path / "none.png", 64)


def test_the_content_decides_on_the_format(tmp_path):
    Image.new("RGB", (20, 20), (9, 8, 7)).save(tmp_path / "really.jpg", "PNG")
    assert (read_image(tmp_path / "really.jpg", 20) == (9, 8, 7, 255)).all()
    eps = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 20 20\n%%EndComments\n0 0 20 20 rectfill\n%%EOF\n"
    (tmp_path / "sketch.png").write_bytes(eps)
    with pytest.raises(FormatError, match="cannot identify image file"):  # Pillow would run Ghostscript
        read_image(tmp_path / "sketch.png", 20)


def huge_png(side):
    """A valid PNG of one colour whose rows compress to almost nothing."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes((side + 7) // 8 + 1) * side, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_too_many_pixels_are_not_decoded(tmp_path):
    (tmp_path / "huge.png").write_bytes(huge_png(8_200))
    with pytest.raises(FormatError, match="8,200 x 8,200 pixels, too many to read"):
        read_image(tmp_path / "huge.png", 20)
    (tmp_path / "large.png").write_bytes(huge_png(4_000))
    assert (read_image(tmp_path / "large.png", 20) == (0, 0, 0, 255)).all()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(FormatError, match="is a device or a pipe"):
        read_image(tmp_path / "pipe.png", 20)
