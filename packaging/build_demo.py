"""Rebuilds the bundled demo benchmark, resources/demo, from nothing: python packaging/build_demo.py."""

import shutil
import tempfile
from pathlib import Path

from shrec_viewer.demo.build import build_demo

TARGET = Path(__file__).resolve().parent.parent / "resources" / "demo"


def main() -> None:
    """Build beside the target and swap the two, so that a broken build leaves the old demo in place."""
    with tempfile.TemporaryDirectory(dir=TARGET.parent) as scratch:
        fresh = Path(scratch) / "demo"
        build_demo(fresh)
        files = [path for path in fresh.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        if TARGET.exists():
            TARGET.rename(Path(scratch) / "old")
        shutil.move(fresh, TARGET)
    print(f"{len(files)} files, {size / 1e6:.2f} MB in {TARGET}")


if __name__ == "__main__":
    main()
