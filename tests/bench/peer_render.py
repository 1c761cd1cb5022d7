"""One peer program that renders files 256 x 256 pixels, in a separate process: ``python peer_render.py NAME FILE...``.

Prints the number of images that are not empty. Each peer creates its scene for each file, as for thumbnails,
and draws several samples a pixel, as we do; only ``f3d-plain`` draws one, which is its default.
"""

import sys

SIZE = 256


def f3d(paths, antialiasing="ssaa"):
    import f3d as peer

    engine = peer.Engine.create(True)
    engine.window.size = SIZE, SIZE
    engine.options["render.effect.antialiasing.mode"] = antialiasing
    peer.Log.set_verbose_level(peer.Log.QUIET)
    for path in paths:
        engine.scene.clear()
        engine.scene.add(path)
        engine.window.camera.reset_to_bounds()
        yield engine.window.render_to_image().content


def f3d_plain(paths):
    return f3d(paths, "none")


def pyvista(paths):
    import pyvista as peer

    peer.OFF_SCREEN = True
    plotter = peer.Plotter(off_screen=True, window_size=(SIZE, SIZE))
    plotter.enable_anti_aliasing("ssaa")
    for path in paths:
        plotter.clear()
        plotter.add_mesh(peer.read(path), color="tan")
        plotter.reset_camera()
        yield plotter.screenshot(None, return_img=True)


if __name__ == "__main__":
    drawn = {"f3d": f3d, "f3d-plain": f3d_plain, "pyvista": pyvista}[sys.argv[1]](sys.argv[2:])
    sys.stdout.write(f"{sum(1 for picture in drawn if len(set(bytes(picture)[::97])) > 1)}\n")
