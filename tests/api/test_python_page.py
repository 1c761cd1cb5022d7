"""The page on Python of the help: its code runs, and its tables name what there is."""

import re
import warnings

import pytest

from shrec_viewer.resources import resource

PAGE = resource("help/python.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
def test_code_runs(code):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        exec(compile(code, "python.md", "exec"), {})
