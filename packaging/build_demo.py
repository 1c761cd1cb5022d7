"""Rebuild the bundled demo benchmark, resources/demo: python packaging/build_demo.py."""

import tempfile
from pathlib import Path

from demo_benchmark.build import build_demo

TARGET = Path(__file__).resolve().parent.parent / "resources" / "demo"


def main() -> None:
    """Build in a temporary folder and swap; after an error the previous demo is still complete."""
    with tempfile.TemporaryDirectory(dir=TARGET.parent) as scratch:
        fresh, old = Path(scratch) / "demo", Path(scratch) / "old"
        build_demo(fresh)
        sizes = [path.stat().st_size for path in fresh.rglob("*") if path.is_file()]
        if TARGET.exists():
            TARGET.rename(old)
        try:
            fresh.rename(TARGET)
        except OSError:
            old.rename(TARGET)
            raise
    print(f"{len(sizes)} files, {sum(sizes) / 1e6:.2f} MB in {TARGET}")


if __name__ == "__main__":
    main()
