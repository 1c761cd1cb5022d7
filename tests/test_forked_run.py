"""The run of `packaging/test.sh`: what tests report in forked processes, and the loss of such a process."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")

OUTCOMES = """
import os
import pytest

@pytest.fixture(scope="session")
def closed():
    yield
    open("closed", "a").write("once ")

@pytest.fixture
def broken():
    yield
    raise ValueError("of the teardown")

def test_passes(closed, tmp_path): assert list(tmp_path.iterdir()) == []
def test_fails(): os.write(1, b"of the program\\n"); print("of the test"); assert 1 == 2, "of the assertion"
def test_is_skipped(): pytest.skip("of the skip")
def test_has_an_error(broken): pass
@pytest.mark.xfail
def test_is_expected(): assert False
def test_has_parts(subtests):
    for part in range(3):
        with subtests.test(part=part): assert part != 1
"""


UNEQUAL = re.compile(r" in [\d.]+s|pytest-\d+/(\d/)?| +\[ *\d+%\]|0x\w+|'")
"""What differs between two runs: the duration, names of temporary folders, the share of tests, addresses and quotes."""


def run(folder: Path, *arguments: str):
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "-p", "tests.forked_run", "-p", "no:cacheprovider"]
    root = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command += ["-rA", f"--rootdir={folder}", *arguments, str(folder)]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)


def test_reports_are_those_of_a_run_in_one_process(tmp_path):
    for name in "abcd":
        (tmp_path / f"test_{name}.py").write_text(OUTCOMES)
    answers = [run(tmp_path, "--processes", number) for number in "13"]
    one, several = (sorted(line.strip("=_ ") for line in UNEQUAL.sub("", text.stdout).splitlines()) for text in answers)
    assert "SUBFAILED(part=1) test_b.py::test_has_parts - assert 1 != 1" in one
    assert "FAILED test_b.py::test_has_parts - contains 1 failed subtest" in one
    assert several == one
    assert [answer.returncode for answer in answers] == [1, 1]
    assert (tmp_path / "closed").read_text() == "once " * 8  # for each file in both runs


def test_a_process_that_dies_is_a_failure_and_the_others_go_on(tmp_path):
    (tmp_path / "test_a.py").write_text("import os\ndef test_dies(): os._exit(0)\n")
    for name in "bcd":
        (tmp_path / f"test_{name}.py").write_text("def test_passes(): pass\n")
    answer = run(tmp_path, "--processes", "2")
    assert answer.returncode == 1
    assert "without results of: test_a.py" in answer.stdout
    assert "3 passed" in answer.stdout


def test_the_first_failure_can_end_the_run(tmp_path):
    (tmp_path / "test_a.py").write_text("def test_fails(): assert False\ndef test_passes(): pass\n")
    (tmp_path / "test_b.py").write_text("import time\ndef test_waits(): time.sleep(600)\n")
    answer = run(tmp_path, "--processes", "2", "-x")
    assert answer.returncode == 1
    assert "1 failed" in answer.stdout
    assert "passed" not in answer.stdout
