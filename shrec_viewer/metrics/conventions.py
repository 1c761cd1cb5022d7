"""Conventions that a person may change: what each allows, in words, and the profile with one of them changed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shrec_viewer.metrics.choices import CHOICES, Choice, Value, word
from shrec_viewer.metrics.measure import UnknownKeyError, suggestion
from shrec_viewer.metrics.profile import Profile

CHANGE = re.compile(r"\+(?=[a-z_]+=)")
"""Where a change begins in a key such as ``psb+ties=trec``; the plus sign in ``log2(i+1)`` is none."""


def find_choice(name: str) -> Choice:
    """The row of `CHOICES` for a field of `Profile`; UnknownKeyError when nobody may change such a field."""
    for choice in CHOICES:
        if choice.field == name:
            return choice
    raise UnknownKeyError(f"there is no convention '{name}'{suggestion(name, [choice.field for choice in CHOICES])}")


def parse_choice(text: str) -> tuple[str, Value]:
    """Field and value of ``"ties=trec"``, ``"list_cut=none"`` or ``"relevant_from=2"``.

    Raises
    ------
    UnknownKeyError
        When there is no such field, or it does not allow that.

    Examples
    --------
    >>> parse_choice("list_cut=1000")
    ('list_cut', 1000)
    """
    name, sign, said = text.partition("=")
    if not sign:
        raise UnknownKeyError(f"a convention is changed by NAME=VALUE, such as ties=index, not by '{text}'")
    choice = find_choice(name.strip().replace("-", "_"))
    for allowed in choice.values:
        if said.strip() in (word(allowed.value), str(allowed.value)):
            return choice.field, allowed.value
    if choice.least is not None and said.strip().isdecimal() and int(said) >= choice.least:
        return choice.field, int(said)
    raise UnknownKeyError(f"{choice.field} is {_allowed(choice)}, not '{said}'")


def with_choice(profile: Profile, field: str, value: Value) -> Profile:
    """The profile with one convention changed, under a key and a title that say so.

    Changed back, it is the profile of the contest again. `find_profile` knows the new key: ``psb+ties=trec``.

    Raises
    ------
    UnknownKeyError
        When nobody may change that field, or it does not allow that value.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_profile
    >>> changed = with_choice(find_profile("psb"), "ties", "trec")
    >>> changed.key, changed.ties
    ('psb+ties=trec', 'trec')
    >>> with_choice(changed, "ties", "index") == find_profile("psb")
    True
    """
    return with_choices(profile, {field: value})


def with_choices(profile: Profile, changes: Mapping[str, Value]) -> Profile:
    """The profile with several conventions changed; see `with_choice`."""
    origin = profile.changed_from or profile
    for field, value in changes.items():
        check_choice(field, value)
    changed: Any = {**profile.changes, **changes}
    found = replace(origin, changed_from=origin, **changed)
    if not found.changes:
        return origin
    rows = [(find_choice(field), value) for field, value in found.changes.items()]
    key = origin.key + "".join(f"+{row.field}={word(value)}" for row, value in rows)
    said = "; ".join(f"{row.label.lower()}: {row.words_of(value)}" for row, value in rows)
    description = f"{origin.title} with other conventions ({said}). {origin.description}"
    return replace(found, key=key, title=f"{origin.title}, changed", description=description)


def check_choice(field: str, value: Value) -> None:
    """UnknownKeyError where a convention may not be changed to `value`."""
    choice = find_choice(field)
    if any(type(allowed.value) is type(value) and allowed.value == value for allowed in choice.values):
        return
    if choice.least is None or not isinstance(value, int) or isinstance(value, bool) or value < choice.least:
        raise UnknownKeyError(f"{field} is {_allowed(choice)}, not {value!r}")


def split_key(key: str) -> tuple[str, Sequence[str]]:
    """Key of a profile and the changes behind it.

    Examples
    --------
    >>> split_key("trec+discount=log2(i+1)+ties=file")
    ('trec', ['discount=log2(i+1)', 'ties=file'])
    """
    first, *changes = CHANGE.split(key)
    return first, changes


def _allowed(choice: Choice) -> str:
    words = [word(allowed.value) for allowed in choice.values]
    if choice.least is not None:
        words = [*(text for text in words if not text.isdecimal()), f"a whole number from {choice.least} on"]
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
