"""The notebooks of the documentation run, with data that they make."""

import json
import warnings
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "packaging" / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_every_cell_runs_and_the_last_value_of_each_can_be_shown(path):
    """As in a notebook: the value of the last line of a cell is shown as HTML, as a picture or as text."""
    names: dict[str, object] = {}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert cells[0]["source"][0].startswith("# ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for cell in cells:
            if cell["cell_type"] != "code":
                continue
            assert cell["outputs"] == []
            text = "".join(cell["source"])
            *_, last = text.splitlines()
            if last.startswith((" ", ")", "}", "]")) or "=" in last.split("(")[0]:
                exec(compile(text, path.name, "exec"), names)
                continue
            exec(compile(text.removesuffix(last), path.name, "exec"), names)
            shown = eval(compile(last, path.name, "eval"), names)
            forms = [getattr(shown, form) for form in ("_repr_html_", "_repr_png_", "__repr__") if hasattr(shown, form)]
            assert any(form() for form in forms)
