"""The structure rules, read from the source tree: each rule yields sentences with file, line and what to do."""

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGE = "shrec_viewer"

MAX_MODULES = 20
"""Modules that a folder may hold, `__init__.py` not counted; a reader scans about fifteen names at a glance."""

BELOW_QT = (
    "domain",
    "metrics",
    "formats",
    "geometry",
    "render",
    "charts",
    "evaluation",
    "diagnosis",
    "content",
    "report",
)
GROUND = ("domain", "metrics", "formats", "geometry", "render")
FREE = ("resources", "number_format", "printable", "read_only", "shortages", "version")
"""Importable from every layer, `domain` and `metrics` only `read_only`: files, numbers, text, shortages, version."""

BELOW_API = (*GROUND, "charts", "evaluation", "diagnosis", "content", "report", *FREE)

ALLOWED_IMPORTS: Mapping[str, tuple[str, ...]] = {
    "domain": ("read_only",),
    "metrics": ("read_only",),
    "formats": ("domain", *FREE),
    "geometry": ("domain", *FREE),
    "render": ("domain", "geometry", *FREE),
    "charts": ("domain", *FREE),
    "evaluation": (*GROUND, *FREE),
    "diagnosis": (*GROUND, "evaluation", *FREE),
    "content": (*GROUND, "charts", "evaluation", "diagnosis", *FREE),
    "report": (*GROUND, "charts", "evaluation", "diagnosis", "content", *FREE),
    "api": (*BELOW_API, "plugins", "entry_points"),
    "viewmodels": (*BELOW_QT, *FREE),
    "widgets": ("charts", "domain.mesh", "domain.value_scale", "render.scene.camera", "render.scene.palette", *FREE),
    "panels": (*BELOW_QT, "viewmodels", "widgets", *FREE),
    "entry_points": (),
    "plugins": ("domain", "metrics", "formats", "charts", "content", "report", "panels", "entry_points", "printable"),
    "app": (*BELOW_QT, "viewmodels", "widgets", "panels", "plugins", *FREE),
    "cli": (*BELOW_QT, "viewmodels", "widgets", "panels", "plugins", "entry_points", "app", *FREE),
    "resources": (),
    "number_format": (),
    "printable": (),
    "read_only": (),
    "shortages": (),
    "__main__": ("cli",),
    "version": (),
    "": ("api", "domain", "version"),
}
"""Layers in order, bottom first, with what each may import of this package besides itself."""

ANYWHERE = tuple(ALLOWED_IMPORTS)
QT_LAYERS = ("viewmodels", "widgets", "panels", "app")
WIDGET_LAYERS = ("widgets", "panels", "app")

IMPORTERS: Mapping[str, tuple[str, ...]] = {
    "numpy": ANYWHERE,
    "platformdirs": ("entry_points", "render", "viewmodels", "app", "cli"),
    "tomlkit": ("formats",),
    "msgspec": ("formats", "app.startup.settings", "app.docking.saved_layout"),
    "trimesh": ("formats.meshes",),
    "PIL": ("formats.meshes.images", "render", "report.sheets"),
    "moderngl": ("render",),
    "matplotlib": ("report", "api"),
    "pandas": ("api.results",),
    "jinja2": ("report",),
    "openTSNE": ("diagnosis.model_map",),
    "dask": ("evaluation",),
    "distributed": ("evaluation",),
    "zarr": ("formats.matrices",),
    "pyarrow": ("formats.matrices",),
    "click": ("cli",),
    "rich": ("cli",),
    "PySide6": QT_LAYERS,
    "shiboken6": QT_LAYERS,
    "PySide6.QtWidgets": WIDGET_LAYERS,
    "PySide6.QtOpenGLWidgets": WIDGET_LAYERS,
    "qtawesome": WIDGET_LAYERS,
    "pyqtgraph": ("widgets",),
    "PySide6.QtCore.QThread": ("viewmodels.tasks",),
    "PySide6.QtCore.QThreadPool": ("viewmodels.tasks",),
    "PySide6.QtCore.QRunnable": ("viewmodels.tasks",),
    "PySide6.QtConcurrent": ("viewmodels.tasks",),
    "threading": ("viewmodels.tasks", "app.startup.error_reporting"),
    "threading.Thread": ("viewmodels.tasks",),
    "threading.Timer": ("viewmodels.tasks",),
    "threading.Lock": ANYWHERE,
    "threading.active_count": ("evaluation.parallel.local",),
    "threading.RLock": ANYWHERE,
    "threading.Event": ANYWHERE,
    "threading.ExceptHookArgs": ("app",),
    "concurrent": ("viewmodels.tasks", "evaluation.parallel"),
    "multiprocessing": ("render.workers.worker_pool", "evaluation.parallel"),
    "multiprocessing.freeze_support": ("cli",),
    "asyncio": (),
    "importlib": (),
    "importlib.import_module": ("cli.program", "cli.options", "metrics", "plugins"),
    "importlib.metadata": ANYWHERE,
}
"""Modules that may import a third-party package or a thread or process API; the longest matching name decides."""

HEAVY = (
    *("trimesh", "matplotlib", "PIL", "moderngl", "tomlkit", "rich", "multiprocessing"),
    *("jinja2", "dask", "distributed", "zarr", "pyarrow", "pandas", "openTSNE"),
)
"""Imported only inside functions, to keep start-up short."""

VAGUE_NAMES = ("util", "utils", "helper", "helpers", "common", "manager", "managers", "base", "misc")
"""Words that say nothing about the contents of a module."""


_PLAIN_TEXT = "widgets.controls.plain_text"

RAW_TEXT: Mapping[str, tuple[str, ...]] = {
    "QLabel": (_PLAIN_TEXT,),
    "QMessageBox": (_PLAIN_TEXT,),
    "QErrorMessage": (_PLAIN_TEXT,),
    "QProgressDialog": (_PLAIN_TEXT,),
    "QInputDialog": (_PLAIN_TEXT, "app.dialogs.standard_dialogs"),
    "QTextBrowser": (_PLAIN_TEXT,),
    "QTextEdit": (_PLAIN_TEXT,),
    "QTextDocument": (_PLAIN_TEXT,),
    "QStaticText": (_PLAIN_TEXT,),
    "QGraphicsTextItem": (_PLAIN_TEXT,),
    "TextItem": (_PLAIN_TEXT,),
    "LabelItem": (_PLAIN_TEXT,),
    "LegendItem": (_PLAIN_TEXT,),
    "setTextFormat": (_PLAIN_TEXT,),
    "setStatusTip": (_PLAIN_TEXT,),
    "setWhatsThis": (_PLAIN_TEXT,),
    "setHtml": (_PLAIN_TEXT, "panels.scores.calculation", "widgets.controls.markdown_page"),
    "setMarkdown": ("widgets.controls.markdown_page",),
    "insertHtml": (_PLAIN_TEXT,),
    "labelString": ("widgets.plots.canvas",),
}
"""Classes and methods that take text for HTML, with the modules that may use them: the others escape it."""


@dataclass(frozen=True)
class Imported:
    """One imported name: ``PySide6.QtCore.Signal``, ``shrec_viewer.domain.mesh``."""

    line: int
    name: str
    at_start: bool


@dataclass(frozen=True)
class SourceFile:
    """One source file."""

    path: str
    module: str
    source: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source, self.path)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree: `ast.walk` takes most of the time of a rule."""
        return tuple(ast.walk(self.tree))

    def at(self, line: int, sentence: str) -> str:
        return f"{self.path}:{line}: {sentence}"

    @property
    def layer(self) -> str:
        return self.module.removeprefix(PACKAGE).removeprefix(".").partition(".")[0]

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        at_start = {id(node) for node in _run_at_import(self.tree.body)}
        found: list[Imported] = []
        for node in self.nodes:
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module or ''}.{alias.name}" for alias in node.names]
            else:
                continue
            found += [Imported(node.lineno, name, id(node) in at_start) for name in names]
        return tuple(found)


def read_sources(root: Path) -> list[SourceFile]:
    """Source files of the package below `root`."""
    found = []
    for path in sorted((root / PACKAGE).rglob("*.py")):
        relative = path.relative_to(root)
        parts = relative.with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(SourceFile(relative.as_posix(), module, path.read_text(encoding="utf-8")))
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


def _our_target(imported: Imported, modules: Mapping[str, SourceFile]) -> str | None:
    """The module of ours that an import reaches, or None for a third party."""
    if not _within(imported.name, PACKAGE):
        return None
    if imported.name in modules:
        return imported.name
    return imported.name.rpartition(".")[0] or imported.name


# ---------------------------------------------------------------------------------------------------------- the rules


def layers(files: Sequence[SourceFile]) -> Iterator[str]:
    """A layer imports only the layers below it; siblings do not import each other."""
    modules = {file.module: file for file in files}
    for file in files:
        if file.layer not in ALLOWED_IMPORTS:
            yield file.at(1, f"'{file.layer}' is no layer; use one of ALLOWED_IMPORTS")
            continue
        for imported in file.imports:
            target = _our_target(imported, modules)
            if target is None:
                continue
            inner = target.removeprefix(PACKAGE).removeprefix(".")
            allowed = (file.layer, *ALLOWED_IMPORTS[file.layer])
            if any(inner == place if place == "" else _within(inner, place) for place in allowed):
                continue
            known = ", ".join(place for place in ALLOWED_IMPORTS[file.layer] if place) or "nothing of this package"
            yield file.at(
                imported.line,
                f"{file.layer} imports {target}, but may import {known}; move it down, or pass the value in",
            )


def cycles(files: Sequence[SourceFile]) -> Iterator[str]:
    """No module reaches itself through its imports, lazy ones included."""
    modules = {file.module: file for file in files}
    edges = {
        file.module: {
            target: imported.line
            for imported in file.imports
            if (target := _our_target(imported, modules)) in modules and target != file.module
        }
        for file in files
    }
    seen: set[str] = set()
    for start in edges:
        if start in seen:
            continue
        ring = _shortest_cycle(start, edges)
        if ring:
            seen.update(ring)
            line = edges[ring[0]][ring[1]]
            yield modules[ring[0]].at(
                line, f"{' -> '.join(ring)} is an import cycle; move the shared part into a third module"
            )


def _shortest_cycle(start: str, edges: Mapping[str, Mapping[str, int]]) -> list[str]:
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


def third_parties(files: Sequence[SourceFile]) -> Iterator[str]:
    """Third-party packages, threads and processes are used only in their modules."""
    for file in files:
        inner = file.module.removeprefix(PACKAGE).removeprefix(".")
        for imported in file.imports:
            top = imported.name.partition(".")[0]
            if top == PACKAGE or imported.name.startswith("."):
                continue
            party = max((name for name in IMPORTERS if _within(imported.name, name)), key=len, default=None)
            if party is None:
                if top not in sys.stdlib_module_names:
                    yield file.at(imported.line, f"{top} is not listed; add it to IMPORTERS and pyproject.toml")
            elif IMPORTERS[party] is not ANYWHERE and not any(_within(inner, place) for place in IMPORTERS[party]):
                places = ", ".join(place.replace(".", "/") for place in IMPORTERS[party]) or "nowhere"
                yield file.at(imported.line, f"{party} is imported, but only these may: {places}")


def heavy_imports(files: Sequence[SourceFile]) -> Iterator[str]:
    """Packages that import slowly are imported in the function that needs them."""
    for file in files:
        for imported in file.imports:
            top = imported.name.partition(".")[0]
            if imported.at_start and top in HEAVY:
                yield file.at(imported.line, f"{top} imports slowly; import it in the function that needs it")


def relative_imports(files: Sequence[SourceFile]) -> Iterator[str]:
    """Imports are absolute."""
    for file in files:
        for node in file.nodes:
            if isinstance(node, ast.ImportFrom) and node.level:
                dots = "." * node.level
                yield file.at(node.lineno, f"'from {dots}{node.module or ''}' is relative; write the whole name")


def docstrings(files: Sequence[SourceFile]) -> Iterator[str]:
    """Every module has a one-line docstring."""
    for file in files:
        text = ast.get_docstring(file.tree, clean=False)
        if not text:
            yield file.at(1, "no module docstring; say in one line what the module does")
        elif "\n" in text:
            yield file.at(1, "module docstring of several lines; keep the first")


def only_definitions(files: Sequence[SourceFile]) -> Iterator[str]:
    """Importing a module only defines names."""
    quiet = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    for file in files:
        for node in file.tree.body:
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            is_guard = isinstance(node, ast.If) and (
                _is_name(node.test, "TYPE_CHECKING") or ast.unparse(node.test).startswith("__name__ ==")
            )
            if not (isinstance(node, quiet) or is_text or is_guard):
                shown = ast.unparse(node).splitlines()[0]
                yield file.at(node.lineno, f"'{shown}' runs at import; move it into a function")


def connections(files: Sequence[SourceFile]) -> Iterator[str]:
    """Signals are connected to bound methods: lambdas, partials and local functions leak and crash."""
    for file in files:
        if "connect" not in file.source:
            continue
        for call, local in _calls(file.tree, frozenset()):
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
                yield file.at(call.lineno, f"a signal is connected to {kind}; connect a bound method")


def _calls(node: ast.AST, local: frozenset[str]) -> Iterator[tuple[ast.Call, frozenset[str]]]:
    """Every call, with the names of the functions defined inside the functions around it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        inner = {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n is not node}
        local = local | inner
    if isinstance(node, ast.Call):
        yield node, local
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, local)


def overridden_slots(files: Sequence[SourceFile]) -> Iterator[str]:
    """A method that a class connects to a signal is not overridden.

    PySide 6.10.3 does not end such a connection when the receiver is deleted, and calls the override of a deleted
    widget.
    """
    classes = {node.name: node for file in files for node in file.tree.body if isinstance(node, ast.ClassDef)}
    connected = {name: _connected_methods(node) for name, node in classes.items()}
    for file in files:
        for node in file.tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            inherited = {method: name for name in _ancestors(node, classes) for method in connected[name]}
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name in inherited:
                    name = inherited[method.name]
                    yield file.at(method.lineno, f"{name} connects {method.name} to a signal; override what it calls")


def _connected_methods(node: ast.ClassDef) -> set[str]:
    """Names of the methods of ``self`` that a class connects to signals."""
    return {
        call.args[0].attr
        for call, _ in _calls(node, frozenset())
        if isinstance(call.func, ast.Attribute) and call.func.attr == "connect" and call.args
        if isinstance(call.args[0], ast.Attribute) and _is_name(call.args[0].value, "self")
    }


def _ancestors(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    """Names of the base classes of a class that are among `classes`, and of theirs."""
    for base in node.bases:
        name = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
        if name in classes:
            yield name
            yield from _ancestors(classes[name], classes)


def blocked_signals(files: Sequence[SourceFile]) -> Iterator[str]:
    """Signals are not blocked: a `set_x` does not emit."""
    for file in files:
        for node in file.nodes:
            name = getattr(node, "attr", getattr(node, "id", None))
            if name in ("blockSignals", "QSignalBlocker") and isinstance(node, ast.Attribute | ast.Name):
                yield file.at(node.lineno, f"{name} hides a set_x that emits; fix that set_x")


def silent_setters(files: Sequence[SourceFile]) -> Iterator[str]:
    """`set_x` of a widget does not emit."""
    for file in files:
        if file.layer != "widgets":
            continue
        for node in file.nodes:
            if not (isinstance(node, ast.FunctionDef) and node.name.startswith("set_")):
                continue
            for inner in ast.walk(node):
                if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "emit":
                    yield file.at(
                        inner.lineno, f"{node.name} emits; set_x only displays, x_picked reports a user action"
                    )


ESCAPING = ("tooltip_text", "titled_tooltip")
"""Functions that escape the text of a tooltip."""


def plain_tooltips(files: Sequence[SourceFile]) -> Iterator[str]:
    """Tooltips are set by `set_tooltip`, which shows markup as typed; those of list items are shown by `ItemTooltips`."""
    for file in files:
        if file.path.endswith("controls/plain_text.py"):
            continue
        for node in file.nodes:
            if isinstance(node, ast.Attribute) and node.attr == "setToolTip" and ast.unparse(node.value) != "item":
                yield file.at(node.lineno, "setToolTip interprets markup; use set_tooltip")
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "QToolTip.showText":
                text = node.args[1]
                for part in (text.body, text.orelse) if isinstance(text, ast.IfExp) else (text,):
                    if not (
                        (isinstance(part, ast.Call) and ast.unparse(part.func) in ESCAPING) or ast.unparse(part) == "''"
                    ):
                        yield file.at(node.lineno, "showText interprets markup; give it tooltip_text or titled_tooltip")


def plain_texts(files: Sequence[SourceFile]) -> Iterator[str]:
    """Widgets that may take a text for HTML, and open the files that it names, are made in one module."""
    for file in files:
        inner = file.module.removeprefix(PACKAGE).removeprefix(".")
        for node in file.nodes:
            used: list[ast.expr] = []
            if isinstance(node, ast.Call):
                used = [node.func]
            elif isinstance(node, ast.ClassDef):
                used = node.bases
            for expression in used:
                name = getattr(expression, "attr", getattr(expression, "id", ""))
                owner = getattr(getattr(expression, "value", None), "id", "")
                # `QMessageBox(...)` and `QMessageBox.warning(...)`
                for raw in (name, owner if name[:1].islower() else ""):
                    if raw in RAW_TEXT and inner not in RAW_TEXT[raw]:
                        expected = RAW_TEXT[raw][0].replace(".", "/")
                        yield file.at(node.lineno, f"{raw} may interpret text from files; use those of {expected}")


def folder_sizes(files: Sequence[SourceFile]) -> Iterator[str]:
    """A folder holds at most `MAX_MODULES` modules."""
    counts = Counter(file.path.rpartition("/")[0] for file in files if not file.path.endswith("__init__.py"))
    for folder, count in sorted(counts.items()):
        if count > MAX_MODULES:
            yield f"{folder}/__init__.py:1: {count} modules in one folder; group them by concept ({MAX_MODULES} at most)"


def class_names(files: Sequence[SourceFile]) -> Iterator[str]:
    """A class name is used for one thing in the whole package."""
    first: dict[str, str] = {}
    for file in files:
        for node in file.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                if node.name in first:
                    yield file.at(
                        node.lineno, f"class {node.name} exists in {first[node.name]} already; qualify one of them"
                    )
                first.setdefault(node.name, file.path)


def vague_names(files: Sequence[SourceFile]) -> Iterator[str]:
    """Modules are named after their contents."""
    for file in files:
        for part in file.module.split("."):
            for word in part.split("_"):
                if word in VAGUE_NAMES:
                    yield file.at(1, f"'{word}' says nothing about the contents; name the concept")


def notes_for_later(files: Sequence[SourceFile]) -> Iterator[str]:
    """No comment defers work."""
    marks = ("TO" + "DO", "FIX" + "ME")
    for file in files:
        for number, line in enumerate(file.source.splitlines(), 1):
            if any(mark in line for mark in marks):
                yield file.at(number, "a comment that defers work; do it now, or write an issue")


RULES: tuple[Callable[[Sequence[SourceFile]], Iterator[str]], ...] = (
    layers,
    cycles,
    third_parties,
    heavy_imports,
    relative_imports,
    docstrings,
    only_definitions,
    connections,
    overridden_slots,
    blocked_signals,
    silent_setters,
    plain_tooltips,
    plain_texts,
    folder_sizes,
    class_names,
    vague_names,
    notes_for_later,
)
