"""Sentences about what the system lacks or refuses: memory, open files, threads, permissions; and interrupted calls."""

import errno
from collections.abc import Mapping

MEMORY = "too little memory; close other programs, or raise the limit (`ulimit -v`)"

OPEN_FILES = "too many files are open at the same time; raise the limit (`ulimit -n`)"

THREADS = "no thread or process can be started; raise the limit (`ulimit -u`), or use fewer processes"

SENTENCES: Mapping[int | None, str] = {
    errno.ENOMEM: MEMORY,
    errno.EMFILE: OPEN_FILES,
    errno.ENFILE: OPEN_FILES,
    errno.EAGAIN: THREADS,
    errno.EINTR: "a call of the system was interrupted by a signal; repeat the command",
}

#: Texts in exceptions without a number, in lower case.
TEXTS = {
    "failed to map segment": MEMORY,  # of the loader of libraries, as ImportError
    "cannot allocate memory": MEMORY,
    "too many open files": OPEN_FILES,
    "can't start new thread": THREADS,
}


def shortage(error: BaseException) -> str | None:
    """What the system lacks or refuses, as a sentence; None for errors of other kinds."""
    if isinstance(error, MemoryError):
        detail = " ".join(str(error).split())
        return f"{MEMORY}: {detail[0].lower()}{detail[1:]}" if detail else MEMORY
    if isinstance(error, OSError) and error.errno in SENTENCES:
        return SENTENCES[error.errno]
    if isinstance(error, PermissionError) and error.filename is not None:
        return f"{error.filename}: {(error.strerror or 'permission denied').lower()}"
    if isinstance(error, OSError | ImportError | RuntimeError):
        text = str(error).lower()
        return next((sentence for part, sentence in TEXTS.items() if part in text), None)
    return None
