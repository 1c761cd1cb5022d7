"""The cache command: size and clearing of the disk caches."""

from pathlib import Path

import click

from shrec_viewer.cli.options import parse_cache
from shrec_viewer.cli.terminal import print_message, write_result

MEGABYTE = 1_000_000


@click.command("cache", short_help="Size of the disk caches; --clear empties them.")
@click.option("--clear", is_flag=True, help="Delete all cached files; they are created again when needed.")
def cache_command(clear: bool) -> int:
    """Print the size of the disk caches: thumbnails of models, and parsed large text files.

    Clearing them is safe: the files are created again when needed. Each cache has a size limit, beyond which the least
    recently used files are deleted.
    """
    from shrec_viewer.render.thumbnails.cache import ThumbnailCache, cache_folder

    parsed = parse_cache()
    thumbnails = ThumbnailCache(cache_folder())
    if clear:
        parsed.clear()
        thumbnails.clear()
    lines = (("parsed files", parsed.size, parsed.folder), ("thumbnails", thumbnails.size(), cache_folder()))
    thumbnails.close()
    write_result("".join(f"{_megabytes(size):>12}  {name:<12}  {folder}\n" for name, size, folder in lines), Path("-"))
    if clear:
        print_message("the caches were cleared")
    return 0


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.1f} MB"
