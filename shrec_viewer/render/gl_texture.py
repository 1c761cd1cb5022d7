"""Pictures upon a mesh in the memory of the graphics card."""

from typing import Any

from shrec_viewer.render.texture import Skin, levels

_SRGB_ALPHA = 0x8C43
"""GL_SRGB8_ALPHA8: the card turns bytes into light before it mixes them."""


class GlSkin:
    """The pictures of a body as textures, and the drawing of its faces picture after picture.

    Parameters
    ----------
    skin : of the body.
    context : a moderngl context, current whenever this object is used.
    """

    def __init__(self, skin: Skin, context: Any) -> None:
        import moderngl

        self._runs: list[tuple[Any, int, int]] = []
        for page, first, count in skin.runs():
            pyramid = levels(skin.pictures[page])
            height, width = pyramid[0].shape[:2]
            texture = context.texture((width, height), 4, pyramid[0].tobytes(), internal_format=_SRGB_ALPHA)
            texture.build_mipmaps()  # makes room for the halves; ours are put in, as drivers make them differently
            for number, level in enumerate(pyramid[1:], 1):
                texture.write(level.tobytes(), level=number)
            texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
            self._runs.append((texture, first, count))

    def render(self, array: Any) -> None:
        """Draw the faces of a vertex array, each with its picture."""
        import moderngl

        for texture, first, count in self._runs:
            texture.use(0)
            array.render(moderngl.TRIANGLES, vertices=3 * count, first=3 * first)

    def free(self) -> None:
        """Give the memory back to the driver."""
        for texture, _, _ in self._runs:
            texture.release()
        self._runs = []
