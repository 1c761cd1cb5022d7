"""Read and write the text of a settings file in the INI format of QSettings."""

# QSettings itself is not used: it deserialises each value ``@Variant(...)`` of a file, also of unknown keys, with a
# recursion for each nested list. A file of 1 MB ends the process (PySide6 6.10.3: segmentation fault).

import re
from collections.abc import Mapping, Sequence

GENERAL = "general"
"""Section of keys without a group."""

BLANKS = " \t\r"
"""Characters around keys and values that do not belong to them; other white space does."""

ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}

_PLAIN = re.compile(r"[A-Za-z0-9_./:+-]+")
_TOKEN = re.compile(r'\\x([0-9A-Fa-f]+)|\\(.)|(")|(,)|([^\\",]+)')


class SerialisedValue:
    """A value of a class of Qt, as ``@ByteArray(…)``, which is not read."""

    def __repr__(self) -> str:
        return "a serialised value"


IniValue = str | list[str] | SerialisedValue


def parse_ini(text: str) -> dict[str, IniValue]:
    r"""The keys without a group, with their values: text, a list of texts, or a serialised value.

    Lines without ``=``, and all groups but ``[General]``, are ignored.

    Examples
    --------
    >>> parse_ini('[General]\nname="a, b"\nnames=one, two\nnone=@Invalid()')
    {'name': 'a, b', 'names': ['one', 'two'], 'none': []}
    """
    values: dict[str, IniValue] = {}
    section = GENERAL
    for line in text.split("\n"):
        line = line.strip(BLANKS)
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip().lower()
        elif section == GENERAL and not line.startswith((";", "#")) and "=" in line:
            key, _, value = line.partition("=")
            values[key.strip(BLANKS)] = _parse_value(value)
    return values


def format_ini(values: Mapping[str, bool | int | str | Sequence[str]]) -> str:
    """Text of a settings file; QSettings reads the same values from it.

    Examples
    --------
    >>> print(format_ini({"on": True, "name": "a, b", "names": ["one", "@two"], "none": []}), end="")
    [General]
    on=true
    name="a, b"
    names=one, "@@two"
    none=@Invalid()
    """
    return "[General]\n" + "".join(f"{key}={_format_value(value)}\n" for key, value in values.items())


def _parse_value(text: str) -> IniValue:
    items, current, end, is_quoted = [], "", 0, False
    for token in _TOKEN.finditer(text):
        code, escaped, quote, comma, plain = token.groups()
        if quote:
            is_quoted = not is_quoted
            end = len(current)  # blanks before it belong to the value
        elif comma and not is_quoted:
            items.append(_trimmed(current, end))
            current, end = "", 0
        elif plain or comma:
            current += (plain or comma) if is_quoted or current else (plain or comma).lstrip(BLANKS)
            end = len(current) if is_quoted else end
        else:
            current += _character(code) if code else ESCAPES.get(escaped, escaped)
            end = len(current)
    items.append(_trimmed(current, end))
    if len(items) > 1:
        return [item.replace("@@", "@", 1) if item.startswith("@@") else item for item in items]
    value = items[0]
    if value.startswith("@@"):
        return value[1:]
    if value == "@Invalid()":
        return []
    return SerialisedValue() if value.startswith("@") else value


def _trimmed(text: str, end: int) -> str:
    """Text without blanks at its end, except those that were quoted or escaped: before index `end`."""
    return text[:end] + text[end:].rstrip(BLANKS)


def _character(code: str) -> str:
    number = int(code[:8], 16)
    return chr(number) if number < 0xD800 or 0xDFFF < number <= 0x10FFFF else "\N{REPLACEMENT CHARACTER}"


def _format_value(value: bool | int | str | Sequence[str]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _quoted(value)
    return ", ".join(_quoted(item) for item in value) or "@Invalid()"


def _quoted(text: str) -> str:
    text = "@" + text if text.startswith("@") else text
    if _PLAIN.fullmatch(text):
        return text
    # A hexadecimal escape ends at the first character that is no digit: control codes are followed by an empty quote.
    escaped = re.sub(r'[\\"]', r"\\\g<0>", text).replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return '"' + re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", _escape_code, escaped) + '"'


def _escape_code(match: re.Match[str]) -> str:
    return f'\\x{ord(match[0]):x}""'
