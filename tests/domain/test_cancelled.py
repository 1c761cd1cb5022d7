"""Cancellation has one exception class, so that no layer lets another layer's pass uncaught."""

import ast
from pathlib import Path

import shrec_viewer
from shrec_viewer.domain import Cancelled, ShrecViewerError


def test_cancelled_is_the_only_exception_class_for_cancellation():
    found = []
    for path in Path(shrec_viewer.__file__).parent.rglob("*.py"):
        classes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)]
        # Qt classes such as an item delegate with a cancel button are no exceptions.
        found += [
            f"{path.stem}.{node.name}"
            for node in classes
            if "cancel" in node.name.lower() and not any(ast.unparse(base).startswith("Q") for base in node.bases)
        ]
    assert found == ["errors.Cancelled"]
    assert Cancelled.__module__ == "shrec_viewer.domain.errors"
    assert not issubclass(Cancelled, ShrecViewerError)
