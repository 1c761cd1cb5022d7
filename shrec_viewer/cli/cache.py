"""The cache command: size and clearing of the disk caches."""

from pathlib import Path

import click

from shrec_viewer.cli.options import parse_cache
from shrec_viewer.cli.terminal import print_message, write_result

MEGABYTE = 1_000_000


@click.command("cache", short_help="What is kept between calls; --clear forgets it.")
@click.option("--clear", is_flag=True, help="Forget all of it; it is made again when it is needed.")
def cache_command(clear: bool) -> int:
    """Say how much is kept between calls: pictures of models, and large text files as they were parsed.

    Nothing is lost by clearing it but time. Both parts have a limit of their own, and forget what was not used for
    longest.
    """
    from shrec_viewer.render.thumbnails.cache import ThumbnailCache, cache_folder

    parsed = parse_cache()
    pictures = ThumbnailCache(cache_folder())
    if clear:
        parsed.clear()
        pictures.clear()
    lines = (("parsed files", parsed.size, parsed.folder), ("pictures", pictures.size(), cache_folder()))
    pictures.close()
    write_result("".join(f"{_megabytes(size):>12}  {name:<12}  {folder}\n" for name, size, folder in lines), Path("-"))
    if clear:
        print_message("the cache is cleared")
    return 0


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.1f} MB"
