"""The textures that the pictures of an OpenGL renderer pass through on their way from samples to pixels."""

from typing import Any

from shrec_viewer.render.relief import relief_reach

Room = tuple[int, int, int, int]
"""Left, bottom, width and height in pixels."""


class Targets:
    """What pictures of one size pass through.

    Attributes
    ----------
    key : width, height, and samples along each side of a pixel.
    samples, colours, depths : frame of all samples, and its textures.
    nearest_buffer, nearest : frame and texture of the nearest depth of each pixel, `pad` pixels larger on each side.
    picture : frame of the pixels, likewise; it shares the depth buffer of `nearest_buffer`.
    """

    def __init__(self, context: Any, width: int, height: int, count: int) -> None:
        self.key = (width, height, count)
        large = (width * count, height * count)
        self.colours = context.texture(large, 4)
        self.depths = context.depth_texture(large)
        self.depths.compare_func = ""  # its numbers are wanted, not whether they are smaller
        self.pad = relief_reach(min(width, height))  # so that every neighbour of every pixel is there, inside or not
        padded = (width + 2 * self.pad, height + 2 * self.pad)
        self.nearest = context.texture(padded, 1, dtype="f4")
        picture, covered = context.renderbuffer(padded, 4), context.depth_renderbuffer(padded)
        self.samples = context.framebuffer([self.colours], self.depths)
        self.nearest_buffer = context.framebuffer([self.nearest], covered)
        self.picture = context.framebuffer([picture], covered)
        self.picture.depth_mask = False  # it asks what is covered, and is not to forget it when it is emptied
        frames = [self.samples, self.nearest_buffer, self.picture]
        self._held = [*frames, self.colours, self.depths, self.nearest, picture, covered]

    def release(self) -> None:
        """Give the memory back to the driver."""
        for held in self._held:
            held.release()


def begin(frame: Any, room: Room, ground: float = 0.0) -> None:
    """Draw into `room` of a frame from now on; the whole is emptied first, which costs less than a part."""
    frame.scissor = None
    frame.use()
    frame.clear(red=ground)
    frame.scissor = room
