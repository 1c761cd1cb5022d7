"""Read TOML and JSON documents with limits on size, depth, keys and integers."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.limits import (
    MAX_DEPTH,
    MAX_DOCUMENT_BYTES,
    MAX_KEYS,
    MAX_NAME_BYTES,
    MAX_STATE_BYTES,
    limit_error,
)
from shrec_viewer.formats.io.text import read_text

#: Integers of TOML.
INTEGER_RANGE = range(-(2**63), 2**63)

#: Strings and comments of TOML; possessive quantifiers keep the time linear.
_TOML_TEXTS = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"""'
    r"|'''(?:[^']++|'(?!''))*+'''"
    r"|(?P<unclosed>\"\"\"|''')"
    r'|"(?:[^"\\\n]++|\\[^\n])*+"'
    r"|'[^'\n]*+'"
    r"|(?P<comment>\#[^\n]*+)",
    re.DOTALL,
)

#: A key of more than `MAX_DEPTH` parts, in a text without strings.
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}", re.ASCII)

_JSON_TEXT = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)

_LONG_INTEGER = re.compile(r"(?<![0-9_])[0-9_]{1000}")


def read_toml(path: Path) -> tuple[dict[str, Any], str]:
    """A TOML document, and its text.

    Raises
    ------
    FormatError
        With the line, when it is not valid TOML, or exceeds a limit of `formats.io.limits`.
    """
    text = read_text(path, MAX_DOCUMENT_BYTES)
    check_toml(path, text)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(path, *_toml_fault(error, text)) from error
    except RecursionError as error:
        raise _too_deep(path, None) from error
    except ValueError as error:  # Python refuses to convert integers of more than 4,300 digits
        message = "is not valid TOML: an integer does not fit into 64 bits"
        raise FormatError(path, message, _line_of_integer(text)) from error
    _check_values(path, text, document)
    return document, text


def check_toml(path: Path, text: str) -> None:
    """FormatError, with the line, for tables and keys nested too deeply; without parsing, in linear time."""
    is_open = False

    def blank(found: re.Match[str]) -> str:
        nonlocal is_open
        is_open = is_open or found["unclosed"] is not None
        if is_open or found["comment"] is not None:
            return ""
        return "s" + "\n" * found[0].count("\n")

    bare = _TOML_TEXTS.sub(blank, text)
    if is_open:
        return  # a syntax error, which tomllib reports
    line = _deep_line(bare)
    found = _LONG_KEY.search(bare)
    if found is not None and (line is None or _line_at(bare, found.start()) < line):
        raise limit_error(MAX_DEPTH, "parts in a dotted key", path, _line_at(bare, found.start()))
    if line is not None:
        raise _too_deep(path, line)


def parse_json(path: Path, text: str, object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Content of a JSON text; `object_pairs_hook` is that of `json.loads`.

    Raises
    ------
    FormatError
        With the line, when it is not valid or nested too deeply.
    """
    try:
        return json.loads(text, object_pairs_hook=object_pairs_hook)
    except json.JSONDecodeError as error:
        message = f"is not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise FormatError(path, message, error.lineno) from error
    except RecursionError as error:
        raise _too_deep(path, _deep_line(_JSON_TEXT.sub(_lines_of, text))) from error
    except ValueError as error:  # Python refuses to convert integers of more than 4,300 digits
        raise FormatError(path, "has an integer of more than 4,300 digits", _line_of_integer(text)) from error


def read_state(path: Path) -> Any:
    """Content of a JSON file that this program wrote, such as stored cameras; FormatError when it cannot be read."""
    return parse_json(path, read_text(path, MAX_STATE_BYTES))


def _toml_fault(error: tomllib.TOMLDecodeError, text: str) -> tuple[str, int]:
    """Message and line of a syntax error, which `tomllib` (Python 3.11) returns as one text."""
    message = str(error)
    location = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    line = int(location[1]) if location and location[1] else text.count("\n") + 1
    reason = re.sub(r"\('(.*?)',?\)", r"'\1'", message[: location.start()] if location else message)
    return f"is not valid TOML: {reason[:1].lower()}{reason[1:]}", line


def _check_values(path: Path, text: str, document: dict[str, Any]) -> None:
    """FormatError for too many or too long keys, and for integers beyond 64 bits."""
    n_keys = 0
    pending: list[Any] = [document]
    while pending:
        value = pending.pop()
        for key, inner in value.items() if isinstance(value, dict) else [("", inner) for inner in value]:
            n_keys += bool(key)
            if n_keys > MAX_KEYS:
                raise limit_error(MAX_KEYS, "keys", path)
            if len(key) > MAX_NAME_BYTES:
                raise limit_error(MAX_NAME_BYTES, "characters in a key", path, _line_at(text, text.find(key)))
            if isinstance(inner, int) and inner not in INTEGER_RANGE:
                line = _line_at(text, text.find(str(inner)))
                raise FormatError(path, "is not valid TOML: an integer does not fit into 64 bits", line)
            if isinstance(inner, dict | list):
                pending.append(inner)


def _deep_line(bare: str) -> int | None:
    """Line in which brackets are nested more than `MAX_DEPTH` deep, in a text without strings; None for none."""
    codes = np.frombuffer(bare.encode("utf-8", "replace"), np.uint8)
    opening = (codes == ord("[")) | (codes == ord("{"))
    closing = (codes == ord("]")) | (codes == ord("}"))
    deep = np.cumsum(opening.astype(np.int8) - closing.astype(np.int8), dtype=np.int32) > MAX_DEPTH
    first = int(deep.argmax()) if len(deep) else 0
    return 1 + int(np.count_nonzero(codes[:first] == ord("\n"))) if len(deep) and deep[first] else None


def _lines_of(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _line_of_integer(text: str) -> int | None:
    found = _LONG_INTEGER.search(text)
    return None if found is None else _line_at(text, found.start())


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, max(offset, 0)) + 1


def _too_deep(path: Path, line: int | None) -> FormatError:
    return FormatError(path, f"is nested more than {MAX_DEPTH} levels deep, the limit", line)
