"""Whoever calls work off, there is one exception for it, so that no floor can let another floor's pass."""

import ast
from pathlib import Path

import shrec_viewer
from shrec_viewer.domain import Cancelled, ShrecError


def test_there_is_one_exception_for_work_called_off():
    found = []
    for path in Path(shrec_viewer.__file__).parent.rglob("*.py"):
        classes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)]
        found += [f"{path.stem}.{node.name}" for node in classes if "cancel" in node.name.lower()]
    assert found == ["errors.Cancelled"]
    assert Cancelled.__module__ == "shrec_viewer.domain.errors"
    assert not issubclass(Cancelled, ShrecError)
