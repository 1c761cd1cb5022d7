"""Frozen records as schemas of documents: read plain data value by value, and write records as plain data."""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, time
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints, is_typeddict

from msgspec import Meta, ValidationError, convert

from shrec_viewer.formats.io.limits import MAX_DEPTH, MAX_NAME_BYTES

#: Text, which may be empty.
Text = Annotated[str, Meta(max_length=MAX_NAME_BYTES)]

#: Text that is not blank.
Name = Annotated[str, Meta(max_length=MAX_NAME_BYTES, pattern=r"\S")]

#: Relevance level; levels are stored as uint8.
Level = Annotated[int, Meta(ge=0, le=255)]

#: Keys and 0-based indices that lead from a document to a value.
Place = tuple[str | int, ...]

Record = TypeVar("Record")


class Fault(NamedTuple):
    """A value of a document that was left out.

    Attributes
    ----------
    place : the value.
    problem : what is wrong with it, to follow its name: ``"is not text"``.
    known : the keys that are known; only for an unknown key.
    """

    place: Place
    problem: str
    known: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The place as text: ``view.panels.heat_map.values``."""
        return ".".join(map(str, self.place))

    def __str__(self) -> str:
        return f"'{self.path}' {self.problem}" if self.place else f"it {self.problem}"


class Codec(NamedTuple):
    """How a type is stored as another one.

    Attributes
    ----------
    kind : the other type.
    decode : the value from what is stored; ValueError, with a text as `Fault.problem`, if it is wrong.
    encode : what is stored for a value; texts and numbers are stored as they are.
    """

    kind: Any
    decode: Callable[[Any], Any]
    encode: Callable[[Any], Any] = str


#: Codecs by type as it is written in annotations: a class, or ``Annotated[str, "what is special about it"]``.
Codecs = Mapping[Any, Codec]


def stored(key: str | None = "", **metadata: Any) -> dict[str, Any]:
    """Metadata of a field of a record, for `dataclasses.field`; fields without it are stored under their names.

    Parameters
    ----------
    key : key in the document, with those of the tables around it: ``"benchmark.name"``; "" for the name of the field,
        `INDEX` for the index of the record in its list, None for a field that is not stored.
    **metadata : ``choices``, the valid values; ``is_open=True`` if others are valid, too; ``is_inline=True`` for a
        record whose keys are those of the table `key`, or of the record that contains it if `key` is "".
    """
    return {"key": key, **metadata}


#: Key of a field that is the index of the record in its list.
INDEX = "#"


class StoredField(NamedTuple):
    """A field of a record that is stored.

    Attributes
    ----------
    name : of the field.
    tables : keys of the tables around it.
    key : its key in them; None for a record whose keys are those of the innermost table.
    kind : its type.
    is_required : whether it has no default.
    """

    name: str
    tables: tuple[str, ...]
    key: str | None
    kind: Any
    is_required: bool


@cache
def stored_fields(record: Any) -> tuple[StoredField, ...]:
    """The fields of a record that are stored."""
    hints, found = get_type_hints(record, include_extras=True), []
    for field in fields(record):
        key, kind = field.metadata.get("key", ""), hints[field.name]
        if key is None:
            continue
        *tables, last = (key or field.name).split(".")
        if "is_inline" in field.metadata:
            tables, last = key.split(".") if key else [], None
        if "choices" in field.metadata and "is_open" not in field.metadata:
            kind = Literal[tuple(field.metadata["choices"])]
        elif NoneType in get_args(kind):
            (kind,) = (one for one in get_args(kind) if one is not NoneType)
        is_required = field.default is MISSING and field.default_factory is MISSING
        found.append(StoredField(field.name, tuple(tables), last, kind, is_required))
    return tuple(found)


@cache
def known_keys(record: Any) -> dict[str, Any]:
    """The keys of a record in a document; tables around its fields have their keys as the value, others None."""
    known: dict[str, Any] = {}
    for field in stored_fields(record):
        table = known
        for key in field.tables:
            table = table.setdefault(key, {})
        if field.key != INDEX:
            table.update(known_keys(field.kind) if field.key is None else {field.key: None})
    return known


def read_data(kind: Any, data: object, codecs: Codecs | None = None, **given: Any) -> tuple[Any, list[Fault]]:
    """A value from plain data; what is wrong is left out, so that fields of records have their defaults.

    Parameters
    ----------
    kind : type of the value, such as a dataclass. A ValueError of its ``__post_init__`` is a fault of the record.
    data : of any kind; None is a missing value.
    codecs : types that are stored as other ones.
    **given : fields of the record that are not stored.

    Returns
    -------
    value
        None if the data are of another type, or a field without a default is missing or wrong.
    faults
        What was left out.
    """
    reader = _Reader(codecs or {})
    found = reader.record(kind, data, (), given) if given else reader.value(kind, data, ())
    return None if found is MISSING else found, reader.faults


def to_data(value: Any, codecs: Codecs | None = None, kind: Any = None) -> Any:
    """Dictionaries, lists and plain values for a record, or another value of type `kind`.

    None, and empty tables and lists of fields with a default, are left out. Sets are sorted.
    """
    codecs = codecs or {}
    if value is None or isinstance(value, str | int | float | date | time):  # TOML has dates
        return value
    if (codec := codecs.get(kind)) is not None:
        return to_data(codec.encode(value), codecs, codec.kind)
    if _is_record(value):
        return _record_to_data(value, value.__class__, codecs)
    inner = next((arg for arg in reversed(get_args(_unwrapped(kind)[0])) if arg is not ...), None)
    if isinstance(value, Mapping):
        return {key: to_data(item, codecs, inner) for key, item in value.items() if item is not None}
    items = sorted(value) if isinstance(value, frozenset) else list(value)
    return [to_data(item, codecs, inner) for item in items]


def _record_to_data(record: Any, kind: Any, codecs: Codecs) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for field in stored_fields(kind):
        item = getattr(record, field.name)
        if item is None or field.key == INDEX or (not field.is_required and item in ((), {}, frozenset())):
            continue
        table, found = data, to_data(item, codecs, field.kind)
        for key in field.tables:
            table = table.setdefault(key, {})
        table.update(found if field.key is None else {field.key: found})
    return data


class _Reader:
    """Reads values, and collects what is wrong; a method returns MISSING for a wrong value."""

    def __init__(self, codecs: Codecs) -> None:
        self.faults: list[Fault] = []
        self._codecs = codecs

    def value(self, kind: Any, data: Any, place: Place) -> Any:
        if (codec := self._codecs.get(kind)) is not None:
            inner = self.value(codec.kind, data, place)
            return MISSING if inner is MISSING else self._made(lambda: codec.decode(inner), place)
        if len(place) > MAX_DEPTH:
            return self._fault(place, f"is nested more than {MAX_DEPTH} levels deep, the limit")
        base, limits = _unwrapped(kind)
        origin, args = get_origin(base), get_args(base)
        if origin is UnionType and _is_record(args[0]):
            base = max(args, key=lambda one: len(_keys(data) & known_keys(one).keys()))
        if _is_record(base):
            return self.record(base, data, place)
        if is_typeddict(base) or origin is Mapping:
            return self._table(base, data, place)
        if origin is frozenset or (origin is tuple and args[-1] is ...):
            return self._list(base, data, place, limits.max_length)
        try:
            return convert(data, kind)
        except ValidationError:
            return self._fault(place, _problem(base, limits, data))

    def record(self, record: Any, data: object, place: Place, given: Mapping[str, Any] | None = None) -> Any:
        if not isinstance(data, dict):
            return self._fault(place, "is not a table")
        self._check_keys(data, known_keys(record), place)
        return self._fields(record, data, place, given or {})

    def _check_keys(self, data: Mapping[str, Any], known: Mapping[str, Any], place: Place) -> None:
        for key, value in data.items():
            if key not in known:
                self._fault((*place, key), "is unknown", tuple(known))
            elif known[key] and isinstance(value, dict):
                self._check_keys(value, known[key], (*place, key))
            elif known[key] and value is not None:
                self._fault((*place, key), "is not a table")

    def _fields(self, record: Any, data: object, place: Place, given: Mapping[str, Any]) -> Any:
        values = dict(given)
        for field in stored_fields(record):
            keys = field.tables if field.key is None else (*field.tables, field.key)
            item = place[-1] if field.key == INDEX else _at(data, keys)
            if field.key is None:
                value = self._fields(field.kind, item, (*place, *keys), {})
            elif item is not None:
                value = self.value(field.kind, item, (*place, *keys))
            elif field.is_required:
                value = self._fault(place, f"has no '{'.'.join(keys)}'")
            else:
                continue
            if value is not MISSING:
                values[field.name] = value
            elif field.is_required:
                return MISSING
        return self._made(lambda: record(**values), place)

    def _table(self, kind: Any, data: object, place: Place) -> Any:
        if not isinstance(data, dict):
            return self._fault(place, "is not a table")
        if is_typeddict(kind):
            kinds = get_type_hints(kind, include_extras=True)
        else:
            keys, kind = get_args(kind)
            kinds = dict.fromkeys(get_args(keys) if get_origin(keys) is Literal else data, kind)
        self._check_keys(data, dict.fromkeys(kinds), place)
        found = {key: self.value(kinds[key], item, (*place, key)) for key, item in data.items() if key in kinds}
        return {key: item for key, item in found.items() if item is not MISSING}

    def _list(self, kind: Any, data: Any, place: Place, limit: int | None) -> Any:
        make, inner = get_origin(kind), get_args(kind)[0]
        if not isinstance(data, list):
            return self._fault(place, "is not a list of tables" if _is_record(inner) else "is not a list")
        if limit is not None and len(data) > limit:
            self._fault((*place, limit), f"is one of {len(data):,} entries, more than {limit:,}, the limit")
        found = [self.value(inner, item, (*place, index)) for index, item in enumerate(data[:limit])]
        return make(item for item in found if item is not MISSING)

    def _made(self, make: Callable[[], Any], place: Place) -> Any:
        try:
            return make()
        except ValueError as error:
            return self._fault(place, str(error))

    def _fault(self, place: Place, problem: str, known: tuple[str, ...] = ()) -> Any:
        self.faults.append(Fault(place, problem, known))
        return MISSING


def _is_record(kind: Any) -> bool:
    return is_dataclass(kind)


def _keys(data: object) -> Set[Any]:
    return data.keys() if isinstance(data, dict) else frozenset()


def _at(data: Any, keys: tuple[str, ...]) -> Any:
    """A value in tables inside each other; None if it is missing."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _unwrapped(kind: Any) -> tuple[Any, Meta]:
    """A type without its limits, and these."""
    limits = next((limit for limit in getattr(kind, "__metadata__", ()) if isinstance(limit, Meta)), Meta())
    return (kind.__origin__ if get_origin(kind) is Annotated else kind), limits


def _problem(base: Any, limits: Meta, data: object) -> str:
    """What is wrong with a value that is none of a type, in words."""
    if get_origin(base) is Literal:
        return f"must be one of {', '.join(map(str, get_args(base)))}, not {str(data)[:80]!r}"
    if base is str:
        if isinstance(data, str) and limits.max_length is not None and len(data) > limits.max_length:
            return f"has more than {limits.max_length:,} characters, the limit"
        return f"must be {limits.description}" if limits.description else "is not text"
    if base not in (int, float):
        return "must be true or false" if base is bool else "has another type"
    what = limits.description or ("an integer" if base is int else "a number")
    if limits.le is not None:
        return f"must be {what} from {limits.ge:g} to {limits.le:g}"
    return f"must be {what}" + ("" if limits.ge is None else f" of {limits.ge:g} or more")


def suggestion(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that is most similar; "" if none is."""
    from difflib import get_close_matches  # most documents have no faults

    close = get_close_matches(word, list(known), 1)
    return f" (did you mean '{close[0]}'?)" if close else ""
