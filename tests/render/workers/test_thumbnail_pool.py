"""Thumbnail pool: order of requests, cache, crashes, hangs, processes left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from pool_readers import read, read_never, read_test_image

from shrec_viewer.render.thumbnails.thumbnail import Thumbnail, ThumbnailRequest
from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool

pytestmark = pytest.mark.usefixtures("spawned_workers")

TIMEOUT_S = 300.0
"""Limit in seconds for all results of a test, on a busy machine."""


def files(folder: Path, *names: str) -> list[ThumbnailRequest]:
    for name in names:
        (folder / f"{name}.off").touch()
    return [ThumbnailRequest(folder / f"{name}.off", 48) for name in names]


def collect(workers: ThumbnailPool, count: int) -> dict[str, Thumbnail]:
    """Collect this many results, by the stem of their file."""
    answers: dict[str, Thumbnail] = {}
    end = time.monotonic() + TIMEOUT_S
    while len(answers) < count and time.monotonic() < end:
        for request, thumbnail in workers.wait(1.0):
            assert request.path.stem not in answers
            answers[request.path.stem] = thumbnail
    assert len(answers) == count
    return answers


def alive(workers: ThumbnailPool) -> list[int]:
    return [worker.process.pid for worker in workers._workers._workers if worker.process.is_alive()]


def test_thumbnails_are_rendered_then_cached(tmp_path: Path):
    expected = files(tmp_path, *(f"cube{number}" for number in range(6)))
    with ThumbnailPool(read, read_test_image, tmp_path / "cache") as workers:
        workers.request(expected)
        answers = collect(workers, 6)
        assert all(answer.pixels().shape == (48, 48, 4) for answer in answers.values())
        assert workers.pending == 0
        assert workers.renderer
        assert workers.wait(0.05) == []
    with ThumbnailPool(read_never, read_test_image, tmp_path / "cache") as workers:
        workers.request(expected)
        again = collect(workers, 6)
        assert {name: answer.webp for name, answer in again.items()} == {n: a.webp for n, a in answers.items()}
        assert alive(workers) == []  # nothing to draw, no process started


def test_images_use_image_reader(tmp_path: Path):
    Image.new("RGB", (4, 4)).save(tmp_path / "sketch.png")
    with ThumbnailPool(read_never, read_test_image, None) as workers:
        workers.request([ThumbnailRequest(tmp_path / "sketch.png", 48)])
        assert (collect(workers, 1)["sketch"].pixels() == 255).all()


def test_crash_hang_and_error_affect_one_thumbnail_each(tmp_path: Path):
    expected = files(tmp_path, "cube1", "exit", "refuse", "cube2", "crash", "hang", "cube3", "noise", "cube4")
    expected.append(ThumbnailRequest(tmp_path / "gone.off", 48))
    (tmp_path / "folder.off").mkdir()
    expected.append(ThumbnailRequest(tmp_path / "folder.off", 48))
    with ThumbnailPool(read, read_test_image, tmp_path / "cache", timeout_s=6) as workers:
        workers.request(expected)
        answers = collect(workers, 11)
    problems = {name: answer.problem for name, answer in answers.items()}
    assert problems == {
        "exit": "makes the drawing process end (status 3)",
        "crash": "makes the drawing process crash (SIGSEGV)",
        "hang": "takes longer than 6 seconds to draw",
        "refuse": "holds no geometry",
        "gone": "there is no such file",
        "folder": "there is no such file",
        "noise": None,
        **{f"cube{number}": None for number in range(1, 5)},
    }


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_killed_workers_cost_no_thumbnail(tmp_path: Path):
    requests = files(tmp_path, "gate1", "gate2", "gate3", "gate4", "cube1")
    with ThumbnailPool(read, read_test_image, tmp_path / "cache", 4, prefer="software") as workers:
        workers.request(requests)
        while len(workers._workers.running) < 4 or not all(worker.is_ready for worker in workers._workers._workers):
            assert workers.wait(0.1) == []
        victims = alive(workers)
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        (tmp_path / "open").touch()
        results = collect(workers, 5)
        assert not set(victims) & set(alive(workers))
    assert [result.problem for result in results.values()] == [None] * 5


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_thumbnail_whose_worker_is_killed_three_times_fails(tmp_path: Path):
    with ThumbnailPool(read, read_test_image, tmp_path / "cache", 1) as workers:
        workers.request(files(tmp_path, "hang", "cube"))
        for _ in range(3):
            while not workers._workers.is_ready:
                assert workers.wait(0.1) == []
            (victim,) = alive(workers)
            os.kill(victim, signal.SIGKILL)
            while victim in alive(workers):
                time.sleep(0.01)
            results = workers.wait(0.2)
        results = dict(results) or collect(workers, 1)
    assert [result.problem for result in results.values()] == [
        "cannot be drawn: the drawing process was killed 3 times (SIGKILL)"
    ]


def test_slow_thumbnail_does_not_delay_others(tmp_path: Path):
    expected = files(tmp_path, "hang", *(f"cube{number}" for number in range(8)))
    with ThumbnailPool(read, read_test_image, None, 2, timeout_s=600) as workers:
        workers.request(expected)
        answers = collect(workers, 8)
        assert workers.pending == 1  # the one that hangs
    assert set(answers) == {f"cube{number}" for number in range(8)}


def test_each_request_has_one_result(tmp_path: Path):
    expected = files(tmp_path, "late", *(f"cube{number}" for number in range(6)))
    with ThumbnailPool(read, read_test_image, None, 2) as workers:
        workers.request(expected)
        assert len(collect(workers, 7)) == 7
        assert workers.wait(1.5) == []


def test_copy_of_file_is_found_in_cache(tmp_path: Path):
    (original,) = files(tmp_path, "cube1")
    with ThumbnailPool(read, read_test_image, tmp_path / "cache", 1) as workers:
        workers.request([original])
        drawn = collect(workers, 1)["cube1"]
    copy = tmp_path / "another" / "collection" / "other.off"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(original.path.read_bytes())
    with ThumbnailPool(read_never, read_test_image, tmp_path / "cache", 1) as workers:
        workers.request([ThumbnailRequest(copy, original.size)])
        again = collect(workers, 1)["other"]
    assert (drawn.is_cached, again.is_cached) == (False, True)
    assert again.webp == drawn.webp


def test_notes_are_cached_with_thumbnail(tmp_path: Path):
    expected = files(tmp_path, "mended", "cube1")
    expected[0].path.write_text("another content")
    for cached in (False, True):
        with ThumbnailPool(read, read_test_image, tmp_path / "cache", 1) as workers:
            workers.request(expected)
            answers = collect(workers, 2)
            assert answers["mended"].is_cached == cached
            assert answers["mended"].notes == ("the file ends early", "2 faces point nowhere")
            assert answers["cube1"].notes == ()


def test_thumbnails_without_cache(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with ThumbnailPool(read, read_test_image, tmp_path / "file" / "cache", 1) as workers:
        workers.request(files(tmp_path, "cube1", "cube2"))
        assert all(answer.problem is None for answer in collect(workers, 2).values())
        assert workers.cache_problem.startswith("new thumbnails are not cached: ")


def test_substitute_is_not_cached(tmp_path: Path):
    expected = files(tmp_path, "refuse")
    (tmp_path / "refuse_thumb.jpg").touch()
    with ThumbnailPool(read, read_test_image, tmp_path / "cache", 1) as workers:
        for _ in range(2):
            workers.request(expected)
            answer = collect(workers, 1)["refuse"]
            assert (answer.is_substitute, answer.is_cached) == (True, False)


def test_many_crashes_in_row(tmp_path: Path):
    # More in a row than the crashes or failed starts after which other arguments, or no process, are used.
    expected = files(tmp_path, "exit1", "cube1", "exit2", "exit3", "exit4", "exit5", "cube2")
    with ThumbnailPool(read, read_test_image, None, 1) as workers:
        workers.request(expected)
        answers = collect(workers, 7)
    assert [name for name, answer in answers.items() if answer.problem is None] == ["cube1", "cube2"]


def test_newest_request_replaces_queue(tmp_path: Path):
    first = files(tmp_path, *(f"slow{number}" for number in range(20)))
    with ThumbnailPool(read, read_test_image, None, 1) as workers:
        workers.request(first)
        begun = {request.path.stem for request, _ in workers.wait(TIMEOUT_S)}
        workers.request(files(tmp_path, "cube7", "cube8"))
        answers: dict[str, Thumbnail] = {}
        end = time.monotonic() + TIMEOUT_S
        while not {"cube7", "cube8"} <= answers.keys() and time.monotonic() < end:
            answers |= {request.path.stem: thumbnail for request, thumbnail in workers.wait(1.0)}
        assert list(answers)[-2:] == ["cube7", "cube8"]  # the most urgent first
        assert len(answers) <= 4  # at most those being rendered came in between
        assert len(begun) == 1
        assert workers.wait(0.5) == []


def test_wait_ends_on_timeout_and_close(tmp_path: Path):
    workers = ThumbnailPool(read, read_test_image, None)
    start = time.monotonic()
    assert workers.wait(0.2) == []
    assert time.monotonic() - start > 0.15
    workers.request(files(tmp_path, "cube"))
    collect(workers, 1)
    processes = [worker.process for worker in workers._workers._workers]
    workers.close()
    workers.close()
    assert all(process.exitcode is not None for process in processes)  # reaped: no zombie
    assert workers.wait(5.0) == []
    workers.request(files(tmp_path, "cube2"))
    assert workers.wait(0.1) == []


def test_close_kills_hanging_worker(tmp_path: Path):
    workers = ThumbnailPool(read, read_test_image, None, 1)
    workers.request(files(tmp_path, "cube", "hang"))
    collect(workers, 1)
    workers.wait(0.3)
    process = workers._workers._workers[0].process
    workers.close()
    assert process.exitcode is not None


def test_processes_that_cannot_start_are_reported(tmp_path: Path):
    script = tmp_path / "unguarded.py"
    script.write_text(
        "import multiprocessing\n"
        "multiprocessing.set_executable('/bin/false')\n"
        "from pathlib import Path\n"
        "from shrec_viewer.formats.meshes.mesh_reader import read_mesh\n"
        "from shrec_viewer.formats.meshes.images import read_image\n"
        "from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest\n"
        "from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool\n"
        "with ThumbnailPool(read_mesh, read_image, None) as workers:\n"
        "    workers.request([ThumbnailRequest(Path(__file__).with_suffix('.off'), 48)])\n"
        "    print(workers.wait(600)[0][1].problem)\n"
    )
    script.with_suffix(".off").touch()
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.strip() == "cannot be drawn: the drawing process does not start on this machine"


def test_a_script_without_a_guard_runs_once(tmp_path: Path):
    script = tmp_path / "unguarded.py"
    script.write_text(
        "print('started', flush=True)\n"
        "from pathlib import Path\n"
        "from shrec_viewer.formats.meshes.mesh_reader import read_mesh\n"
        "from shrec_viewer.formats.meshes.images import read_image\n"
        "from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest\n"
        "from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool\n"
        "with ThumbnailPool(read_mesh, read_image, None, 1) as workers:\n"
        "    workers.request([ThumbnailRequest(Path(__file__).with_suffix('.off'), 48)])\n"
        "    print(workers.wait(600)[0][1].problem)\n"
    )
    script.with_suffix(".off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.split() == ["started", "None"]
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")
def test_no_process_is_left_after_kill(tmp_path: Path):
    script = tmp_path / "killed.py"
    script.write_text(
        "import os, signal\n"
        "from pathlib import Path\n"
        "from shrec_viewer.formats.meshes.mesh_reader import read_mesh\n"
        "from shrec_viewer.formats.meshes.images import read_image\n"
        "from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest\n"
        "from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool\n"
        "if __name__ == '__main__':\n"
        "    workers = ThumbnailPool(read_mesh, read_image, None, 1)\n"
        "    workers.request([ThumbnailRequest(Path(__file__), 48)])\n"
        "    workers.wait(600)\n"
        "    print(workers._workers._workers[0].process.pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=600, check=False)
    worker = Path("/proc") / done.stdout.strip()
    end = time.monotonic() + 60
    while _runs(worker) and time.monotonic() < end:
        time.sleep(0.05)
    assert done.stdout.strip().isdigit()
    assert not _runs(worker)


def _runs(process: Path) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return (process / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_changing_renderer_keeps_all_requests(tmp_path: Path):
    expected = files(tmp_path, *(f"slow{number}" for number in range(8)))
    with ThumbnailPool(read, read_test_image, None, processes=1, prefer="gl") as workers:
        workers.request(expected)
        answers = collect(workers, 1)
        assert workers.renderer.startswith("OpenGL")
        before = alive(workers)
        workers.set_renderer("software")
        left = len(expected) - len(answers)
        answers |= collect(workers, left)
        assert sorted(answers) == sorted(request.path.stem for request in expected)
        assert all(answer.problem is None for answer in answers.values())
        assert workers.renderer.startswith("software")
        assert not set(before) & set(alive(workers))
        workers.set_renderer("software")
        workers.wait(0.1)
        assert alive(workers)  # unchanged: no restart


def test_full_disk_with_all_caches_costs_no_thumbnail(
    mount: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Mesa maps the index of its shader cache, and would end by SIGBUS."""
    folder = mount("size=64k")
    (folder / "large").write_bytes(bytes(61_440))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.delenv("MESA_SHADER_CACHE_DIR", raising=False)
    expected = files(tmp_path, *(f"cube{number}" for number in range(4)))
    with ThumbnailPool(read, read_test_image, folder / "thumbnails") as workers:
        workers.request(expected)
        answers = collect(workers, 4)
        assert {answer.problem for answer in answers.values()} == {None}
        assert workers._workers.crash_reason == ""
        assert workers.cache_problem.startswith("new thumbnails are not cached: ")
        if "OpenGL" in workers.renderer:
            assert workers.renderer.endswith(f"; shaders are not cached, as the disk with {folder} is full")


def test_driver_that_crashes_is_replaced_by_the_software_renderer(tmp_path: Path):
    expected = files(tmp_path, *(f"driver{number}" for number in range(5)))
    with ThumbnailPool(read, read_test_image, None, processes=2) as workers:
        workers.request(expected)
        answers = collect(workers, 5)
        assert {answer.problem for answer in answers.values()} == {None}
        assert workers.renderer == "software (numpy), as OpenGL makes the drawing process crash (SIGBUS)"
        assert workers.renderer_problem == (
            "models are drawn without OpenGL: OpenGL makes the drawing process crash (SIGBUS)"
        )


def test_no_cache_is_opened_after_close(tmp_path):
    pool = ThumbnailPool(read, read_test_image, tmp_path / "cache")
    pool.close()
    assert pool.wait(1.0) == []
    assert not (tmp_path / "cache").exists()
