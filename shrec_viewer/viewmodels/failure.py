"""What to say when work broke."""

import logging
from traceback import format_exception

from shrec_viewer.domain import ShrecError

_log = logging.getLogger(__name__)


def failure_words(what: str, error: Exception) -> tuple[str, str]:
    """A sentence and its details: an error of ours says all itself, any other comes with its traceback and is logged.

    Parameters
    ----------
    what : could not be done, ``"demo cannot be opened"``.
    """
    if isinstance(error, ShrecError):
        return error.sentence, ""
    _log.error("%s", what, exc_info=error)
    return f"{what}: {type(error).__name__}: {error}", "".join(format_exception(error))
