"""The rules of the house, read from the source tree: each yields sentences that say where, what, and what to do."""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGE = "shrec_viewer"

LARGEST_ROOM = 320
"""Lines a file may have: what one still reads in one sitting."""

LONGEST_FUNCTION = 60
"""Lines a function may have without its docstring: what fits on one screen."""

LARGE_ROOMS: Mapping[str, str] = {}
"""Files that may be longer, each with the reason why splitting it would hurt."""

LONG_FUNCTIONS: Mapping[str, str] = {}
"""Functions (``path:name``) that may be longer, each with its reason."""

BELOW_QT = ("domain", "metrics", "formats", "render", "evaluation", "report", "demo")
GROUND = ("domain", "metrics", "formats", "render")
FREE = ("resources", "numerals", "")
"""The finder of shipped files, how numbers are written, and the package itself (its version)."""

MAY_IMPORT: Mapping[str, tuple[str, ...]] = {
    "domain": (),
    "metrics": (),
    "formats": ("domain", *FREE),
    "render": ("domain", *FREE),
    "evaluation": (*GROUND, *FREE),
    "report": (*GROUND, "evaluation", *FREE),
    "demo": (*GROUND, "evaluation", *FREE),
    "viewmodels": (*BELOW_QT, *FREE),
    "widgets": ("domain.mesh", "render.camera", "render.palette", *FREE),
    "panels": (*BELOW_QT, "viewmodels", "widgets", *FREE),
    "app": (*BELOW_QT, "viewmodels", "widgets", "panels", *FREE),
    "cli": (*BELOW_QT, "viewmodels", "widgets", "panels", "app", *FREE),
    "resources": (),
    "numerals": (),
    "__main__": ("cli",),
    "": (),
}
"""What each floor may import of ours, itself left out. The order is the order of the floors, ground first."""

ANYWHERE = tuple(MAY_IMPORT)
QT_FLOORS = ("viewmodels", "widgets", "panels", "app")
SCREEN_FLOORS = ("widgets", "panels", "app")

HOSTS: Mapping[str, tuple[str, ...]] = {
    "numpy": ANYWHERE,
    "platformdirs": ("render", "viewmodels", "app", "cli"),
    "tomlkit": ("formats",),
    "trimesh": ("formats.meshes",),
    "PIL": ("formats.images", "render"),
    "moderngl": ("render",),
    "matplotlib": ("report",),
    "jinja2": ("report",),
    "click": ("cli",),
    "rich": ("cli",),
    "PySide6": QT_FLOORS,
    "shiboken6": QT_FLOORS,
    "PySide6.QtWidgets": SCREEN_FLOORS,
    "PySide6.QtOpenGLWidgets": SCREEN_FLOORS,
    "qtawesome": SCREEN_FLOORS,
    "pyqtgraph": ("widgets",),
    "PySide6.QtCore.QThread": ("viewmodels.tasks",),
    "PySide6.QtCore.QThreadPool": ("viewmodels.tasks",),
    "PySide6.QtCore.QRunnable": ("viewmodels.tasks",),
    "PySide6.QtConcurrent": ("viewmodels.tasks",),
    "threading": ("viewmodels.tasks", "app.errors"),
    "threading.Thread": ("viewmodels.tasks",),
    "threading.Timer": ("viewmodels.tasks",),
    "threading.Lock": ANYWHERE,
    "threading.RLock": ANYWHERE,
    "threading.Event": ANYWHERE,
    "threading.ExceptHookArgs": ("app",),
    "concurrent": ("viewmodels.tasks",),
    "multiprocessing": ("render.processes",),
    "multiprocessing.freeze_support": ("cli",),
    "asyncio": (),
    "importlib": (),
    "importlib.metadata": ANYWHERE,
}
"""Where each third party, and each dangerous part of the standard library, may be imported; the longest name counts."""

HEAVY = ("trimesh", "matplotlib", "PIL", "moderngl", "tomlkit", "jinja2", "rich", "multiprocessing")
"""Imported inside the functions that need them, so that the program starts quickly."""

DRAWERS = ("util", "utils", "helper", "helpers", "common", "manager", "managers", "base", "misc")
"""Names of rooms that say nothing about what is in them."""


@dataclass(frozen=True)
class Imported:
    """One imported name: ``PySide6.QtCore.Signal``, ``shrec_viewer.domain.mesh``."""

    line: int
    name: str
    at_start: bool


@dataclass(frozen=True)
class Room:
    """One source file."""

    path: str
    module: str
    source: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source, self.path)

    def at(self, line: int, sentence: str) -> str:
        return f"{self.path}:{line}: {sentence}"

    @property
    def floor(self) -> str:
        return self.module.removeprefix(PACKAGE).removeprefix(".").partition(".")[0]

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        at_start = {id(node) for node in _run_at_import(self.tree.body)}
        found: list[Imported] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module or ''}.{alias.name}" for alias in node.names]
            else:
                continue
            found += [Imported(node.lineno, name, id(node) in at_start) for name in names]
        return tuple(found)


def rooms(root: Path) -> list[Room]:
    """Every source file of the package below `root`."""
    found = []
    for path in sorted((root / PACKAGE).rglob("*.py")):
        relative = path.relative_to(root)
        parts = relative.with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Room(relative.as_posix(), module, path.read_text(encoding="utf-8")))
    return found


def _run_at_import(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported; blocks for type checkers only are left out."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and _is_name(node.test, "TYPE_CHECKING"):
            continue
        for part in ("body", "orelse", "finalbody"):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _run_at_import(getattr(node, part, []))


def _is_name(node: ast.expr, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)


def _within(name: str, place: str) -> bool:
    return name == place or name.startswith(f"{place}.")


def _our_target(imported: Imported, modules: Mapping[str, Room]) -> str | None:
    """The module of ours that an import reaches, or None for a third party."""
    if not _within(imported.name, PACKAGE):
        return None
    if imported.name in modules:
        return imported.name
    return imported.name.rpartition(".")[0] or imported.name


# ---------------------------------------------------------------------------------------------------------- the rules


def arrows(house: Sequence[Room]) -> Iterator[str]:
    """A floor imports only from floors below it; siblings never know each other."""
    modules = {room.module: room for room in house}
    for room in house:
        if room.floor not in MAY_IMPORT:
            yield room.at(1, f"'{room.floor}' is no floor of the house; use a folder of the design")
            continue
        for imported in room.imports:
            target = _our_target(imported, modules)
            if target is None:
                continue
            inner = target.removeprefix(PACKAGE).removeprefix(".")
            allowed = (room.floor, *MAY_IMPORT[room.floor])
            if any(inner == place if place == "" else _within(inner, place) for place in allowed):
                continue
            known = ", ".join(place for place in MAY_IMPORT[room.floor] if place) or "nothing of ours"
            yield room.at(
                imported.line, f"{room.floor} imports {target}, but may know {known}; move it down, or pass it in"
            )


def cycles(house: Sequence[Room]) -> Iterator[str]:
    """No module reaches itself through its imports, lazy ones included."""
    modules = {room.module: room for room in house}
    edges = {
        room.module: {
            target: imported.line
            for imported in room.imports
            if (target := _our_target(imported, modules)) in modules and target != room.module
        }
        for room in house
    }
    seen: set[str] = set()
    for start in edges:
        if start in seen:
            continue
        ring = _way_back(start, edges)
        if ring:
            seen.update(ring)
            line = edges[ring[0]][ring[1]]
            yield modules[ring[0]].at(line, f"{' -> '.join(ring)} is a cycle; move what both need into a third module")


def _way_back(start: str, edges: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Shortest way from `start` to itself, or an empty list."""
    ways = [[start, target] for target in edges[start]]
    visited: set[str] = set()
    while ways:
        way = ways.pop(0)
        if way[-1] == start:
            return way
        if way[-1] not in visited:
            visited.add(way[-1])
            ways += [[*way, target] for target in edges[way[-1]]]
    return []


def hosts(house: Sequence[Room]) -> Iterator[str]:
    """Third parties, threads and processes live where their hosts are."""
    for room in house:
        inner = room.module.removeprefix(PACKAGE).removeprefix(".")
        for imported in room.imports:
            top = imported.name.partition(".")[0]
            if top == PACKAGE or imported.name.startswith("."):
                continue
            party = max((name for name in HOSTS if _within(imported.name, name)), key=len, default=None)
            if party is None:
                if top not in sys.stdlib_module_names:
                    yield room.at(imported.line, f"{top} has no host; give it one in HOSTS and pyproject.toml")
            elif HOSTS[party] is not ANYWHERE and not any(_within(inner, place) for place in HOSTS[party]):
                places = ", ".join(place.replace(".", "/") for place in HOSTS[party]) or "nowhere"
                yield room.at(imported.line, f"{party} is imported, but lives in: {places}; ask its host instead")


def heavy_imports(house: Sequence[Room]) -> Iterator[str]:
    """What takes long to import is imported by the function that needs it."""
    for room in house:
        for imported in room.imports:
            top = imported.name.partition(".")[0]
            if imported.at_start and top in HEAVY:
                yield room.at(imported.line, f"{top} slows the start; import it inside the function that needs it")


def relative_imports(house: Sequence[Room]) -> Iterator[str]:
    """Imports are absolute."""
    for room in house:
        for node in ast.walk(room.tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                dots = "." * node.level
                yield room.at(node.lineno, f"'from {dots}{node.module or ''}' is relative; write the whole name")


def docstrings(house: Sequence[Room]) -> Iterator[str]:
    """Every module says in one line what is in it."""
    for room in house:
        text = ast.get_docstring(room.tree, clean=False)
        if not text:
            yield room.at(1, "the module has no docstring; say in one line what is in it")
        elif "\n" in text:
            yield room.at(1, "the module's docstring has several lines; one is enough")


def only_definitions(house: Sequence[Room]) -> Iterator[str]:
    """Nothing happens at import but definitions."""
    quiet = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    for room in house:
        for node in room.tree.body:
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            is_guard = isinstance(node, ast.If) and (
                _is_name(node.test, "TYPE_CHECKING") or ast.unparse(node.test).startswith("__name__ ==")
            )
            if not (isinstance(node, quiet) or is_text or is_guard):
                shown = ast.unparse(node).splitlines()[0]
                yield room.at(node.lineno, f"'{shown}' runs at import; put it into a function that someone calls")


def connections(house: Sequence[Room]) -> Iterator[str]:
    """Signals are connected to bound methods: lambdas, partials and local functions leak and crash."""
    for room in house:
        for call, local in _calls(room.tree, frozenset()):
            if not (isinstance(call.func, ast.Attribute) and call.func.attr == "connect" and call.args):
                continue
            receiver = call.args[0]
            kind = None
            if isinstance(receiver, ast.Lambda):
                kind = "a lambda"
            elif isinstance(receiver, ast.Call) and _is_name(receiver.func, "partial"):
                kind = "a partial"
            elif isinstance(receiver, ast.Name) and receiver.id in local:
                kind = "a local function"
            if kind:
                yield room.at(call.lineno, f"a signal is connected to {kind}; connect a bound method")


def _calls(node: ast.AST, local: frozenset[str]) -> Iterator[tuple[ast.Call, frozenset[str]]]:
    """Every call, with the names of the functions defined inside the functions around it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        inner = {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n is not node}
        local = local | inner
    if isinstance(node, ast.Call):
        yield node, local
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, local)


def silencers(house: Sequence[Room]) -> Iterator[str]:
    """No one blocks signals: `set_x` does not emit, so there is nothing to block."""
    for room in house:
        for node in ast.walk(room.tree):
            name = getattr(node, "attr", getattr(node, "id", None))
            if name in ("blockSignals", "QSignalBlocker") and isinstance(node, ast.Attribute | ast.Name):
                yield room.at(node.lineno, f"{name} hides a set_x that emits; mend that set_x instead")


def silent_setters(house: Sequence[Room]) -> Iterator[str]:
    """`set_x` of a widget shows and never emits."""
    for room in house:
        if room.floor != "widgets":
            continue
        for node in ast.walk(room.tree):
            if not (isinstance(node, ast.FunctionDef) and node.name.startswith("set_")):
                continue
            for inner in ast.walk(node):
                if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "emit":
                    yield room.at(inner.lineno, f"{node.name} emits; a set_x shows, only x_picked tells")


def sizes(house: Sequence[Room]) -> Iterator[str]:
    """Rooms and functions are small; the exceptions are named and needed."""
    for room in house:
        lines = room.source.count("\n")
        if lines > LARGEST_ROOM and room.path not in LARGE_ROOMS:
            yield room.at(lines, f"{lines} lines; give half of it a door ({LARGEST_ROOM} at most)")
        if lines <= LARGEST_ROOM and room.path in LARGE_ROOMS:
            yield room.at(1, f"{lines} lines; it needs no exception in LARGE_ROOMS any more")
        for node in ast.walk(room.tree):
            if isinstance(node, ast.FunctionDef):
                length = _length(node)
                if length > LONGEST_FUNCTION and f"{room.path}:{node.name}" not in LONG_FUNCTIONS:
                    yield room.at(node.lineno, f"{node.name} has {length} lines; name a part of it")


def _length(node: ast.FunctionDef) -> int:
    first = node.body[0]
    has_text = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    text = (first.end_lineno or 0) - first.lineno + 1 if has_text else 0
    return (node.end_lineno or 0) - node.lineno + 1 - text


def names(house: Sequence[Room]) -> Iterator[str]:
    """Rooms are named after what is in them."""
    for room in house:
        for part in room.module.split("."):
            for word in part.split("_"):
                if word in DRAWERS:
                    yield room.at(1, f"'{word}' says nothing about what is in it; name the thing")


def promises(house: Sequence[Room]) -> Iterator[str]:
    """Nothing is left for later in a comment."""
    marks = ("TO" + "DO", "FIX" + "ME")
    for room in house:
        for number, line in enumerate(room.source.splitlines(), 1):
            if any(mark in line for mark in marks):
                yield room.at(number, "a note for later; do it now, or write an issue")


RULES: tuple[Callable[[Sequence[Room]], Iterator[str]], ...] = (
    arrows,
    cycles,
    hosts,
    heavy_imports,
    relative_imports,
    docstrings,
    only_definitions,
    connections,
    silencers,
    silent_setters,
    sizes,
    names,
    promises,
)
