"""The benchmarks of the window run to their end on little data."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_benchmark import write_tiny

BENCHES = Path(__file__).parent / "bench"

LITTLE = {
    "bench_main_thread.py": ("--rounds", "1", "--only", "window", "--least", "0", "--no-pictures", "--folder", "TINY"),
    "soak.py": ("--minutes", "0.03", "--only", "click,query"),
    "bench_grid.py": ("--only", "grid", "--frames", "10"),
}


@pytest.mark.parametrize("name", LITTLE)
def test_a_benchmark_runs_to_its_end(name, tmp_path):
    """What it measures is not asked: that depends on the machine."""
    words = [str(write_tiny(tmp_path / "tiny")) if word == "TINY" else word for word in LITTLE[name]]
    command = [sys.executable, str(BENCHES / name), *words]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert "Traceback" not in run.stdout + run.stderr
    found = _last_document(run.stdout + run.stderr if name != "bench_grid.py" else run.stdout.replace("\n", ""))
    assert found.get("exceptions", 0) == 0
    assert found.get("steps", 1) > 0


def test_killed_processes_lose_and_leave_nothing():
    """Each kind once; the benchmark kills a hundred times."""
    command = [sys.executable, str(BENCHES / "bench_kills.py"), "--kills", "1", "--longest", "0.2", "--seed", "3"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
    kinds = [json.loads(line) for line in run.stdout.splitlines()]
    assert [(kind["kind"], kind["kills"]) for kind in kinds] == [
        ("typing", 1), ("saving", 1), ("exporting", 1), ("caching", 1),
    ]  # fmt: skip


def _last_document(output: str) -> dict:
    return json.loads(next(line for line in reversed(output.splitlines()) if line.startswith("{")))
