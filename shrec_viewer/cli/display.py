"""Whether a window can be opened at all; Qt itself would end the process without a word of help."""

import os

from shrec_viewer.app.display import missing_display
from shrec_viewer.cli.libraries import missing_libraries


def why_no_window() -> str:
    """The sentence that says why no window can be opened here; "" where nothing speaks against it."""
    on_x11 = os.environ.get("QT_QPA_PLATFORM", "xcb").startswith("xcb") and not os.environ.get("WAYLAND_DISPLAY")
    missing = missing_libraries(with_x11=on_x11)
    if not missing:
        return missing_display()
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    packages = " ".join(package for _, package in missing)
    return (
        f"no window can be opened: Qt lacks the system library {missing[0][0]}{more} "
        f"(on Debian and Ubuntu: sudo apt-get install {packages})"
    )
