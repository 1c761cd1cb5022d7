"""Where the window keeps what large text files were parsed into."""

from pathlib import Path

from shrec_viewer.formats.parse_cache import ParseCache


def parsed_folder() -> Path:
    """Folder of the cache, where this system keeps caches; the command line uses the same."""
    from platformdirs import user_cache_path

    return user_cache_path("shrec-viewer", appauthor=False) / "parsed"


def parse_cache() -> ParseCache:
    """The cache; making it touches no file."""
    return ParseCache(parsed_folder())


def limit_parsed(limit: int) -> None:
    """Let parsed files take so many bytes from now on; what was not used for longest goes at once.

    Raises
    ------
    OSError
        Where the limit cannot be written down.
    """
    parse_cache().limit(limit)


def clear_parsed() -> None:
    """Forget all parsed files; what is open stays open."""
    parse_cache().clear()
