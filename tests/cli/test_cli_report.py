"""The report command: options, refusals and exit statuses; the pages in Debian's tidy and in Chromium."""

import csv
import re
import shutil
import subprocess
import sys

import pytest
from sample_benchmark import write_sample_benchmark
from site_pages import broken_references, exact_value, pages_of, table_rows, text_of

from shrec_viewer.cli.program import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_sample_benchmark(tmp_path_factory.mktemp("report") / "sample_benchmark", meshes=False)


@pytest.fixture(scope="module")
def site(folder, tmp_path_factory):
    target = tmp_path_factory.mktemp("built") / "site"
    assert run(["report", str(folder), "--first", "2", "--output", str(target)]) == 0
    return target


def test_summary_names_the_page_to_open(folder, tmp_path, capsys):
    assert run(["report", str(folder), "--first", "0", "--output", str(tmp_path / "site")]) == 0
    printed = capsys.readouterr().err
    n_pages = len(list((tmp_path / "site").rglob("*.html")))
    assert re.search(rf"{n_pages} pages, 0 images, [0-9.]+ [kM]B; open .*index\.html", printed)
    assert "profile used: SHREC 2006 (shrec2006); queries without a list (1) score 0" in printed


def test_conventions_apply(folder, site, tmp_path):
    target = tmp_path / "skip"
    assert (
        run(["report", str(folder), "--missing", "skip", "--run", "B1", "--first", "0", "--output", str(target)]) == 0
    )
    _, zero = table_rows(pages_of(site)["all_runs.html"], "Means over the queries")
    _, skip = table_rows(pages_of(target)["all_runs.html"], "Means over the queries")
    assert [text_of(row[0]) for row in skip] == ["B1"]
    of_b1 = next(row for row in zero if text_of(row[0]) == "B1")
    assert exact_value(skip[0][2]) == pytest.approx(exact_value(of_b1[2]) * 3 / 2)
    assert "missing_query=skip" in pages_of(target)["manifest.html"].text


def test_virtual_runs_are_pages(folder, tmp_path):
    target = tmp_path / "site"
    call = ["report", str(folder), "--virtual", "rrf(A1,B1)", "--blind", "--first", "0", "--output", str(target)]
    assert run(call) == 0
    names = [text_of(row[0]) for row in table_rows(pages_of(target)["all_runs.html"], "Means over the queries")[1]]
    assert any(re.fullmatch(r"rrf\(P\d-\d,P\d-\d\)", name) for name in names)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--blind", "--participant", "Ada"], "--blind and --participant exclude each other"),
        (["--participant", "Adda"], "there is no participant 'Adda'; do you mean 'Ada'?"),
        (["--run", "A9"], "there is no run 'A9'"),
        (["--measure", "nothing"], "there is no measure 'nothing'"),
    ],
)
def test_wrong_calls_are_usage_errors(folder, tmp_path, capsys, options, message):
    assert run(["report", str(folder), *options, "--output", str(tmp_path / "site")]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_folder_of_others_is_refused_before_any_work(folder, tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert run(["report", str(folder), "--output", str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_pages_do_not_depend_on_the_number_of_processes(folder, site, tmp_path):
    call = [sys.executable, "-m", "shrec_viewer", "report", str(folder), "--first", "2", "--jobs", "3"]
    done = subprocess.run([*call, "--output", str(tmp_path / "site")], capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    built = [
        {path.relative_to(one): path.read_bytes() for path in one.rglob("*.*")} for one in (site, tmp_path / "site")
    ]
    assert built[0] == built[1]


def test_tidy_reports_no_errors(site):
    program = shutil.which("tidy")
    if program is None:
        pytest.skip("tidy is not installed")
    for name in pages_of(site):
        done = subprocess.run([program, "-q", "-e", "-utf8", site / name], capture_output=True, text=True, check=False)
        problems = [line for line in done.stderr.splitlines() if line and '"aria-current"' not in line]  # tidy 5.6
        assert problems == [], name


def test_script_makes_tables_sortable(site):
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed")
    call = [program, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom"]
    page = subprocess.run(
        [*call, (site / "all_runs.html").as_uri()], capture_output=True, text=True, timeout=600, check=False
    ).stdout
    assert 'aria-label="Sort by Participant"' in page
    assert page.count('class="values"') == page.count('<figure class="chart"')


def test_page_of_edits_has_the_means_of_the_table(folder, tmp_path):
    edits, target, measures = tmp_path / "edits.txt", tmp_path / "site", ("AP", "NN")
    edits.write_text("q1 0 m3 2\nq2 0 m4 0\n")
    chosen = [f"--measure={key}" for key in measures]
    call = ["report", str(folder), *chosen, f"--edits={edits}", "--virtual=rrf(A1,B1)", "--first=0"]
    assert run([*call, f"--output={target}"]) == 0
    page = pages_of(target)["edits.html"]
    header, rows = table_rows(page, "Means over the queries")
    assert header == ["Measure", "Run", "Before", "After", "Change"]
    found: dict[str, list[tuple[str, ...]]] = {}
    for measure, name, *numbers in rows:
        found.setdefault(text_of(measure), []).append((text_of(name), *(repr(exact_value(cell)) for cell in numbers)))
    for key in measures:
        output = tmp_path / f"{key}.csv"
        table = ["table", str(folder), "edited_means", f"--measure={key}", f"--edits={edits}", "--virtual=rrf(A1,B1)"]
        assert run([*table, f"--output={output}"]) == 0
        with output.open(newline="", encoding="utf-8") as file:
            expected = [row[:4] for row in list(csv.reader(file))[1:]]
        assert [list(map(str, row)) for row in found[key]] == [
            [name, *(repr(float(number)) for number in numbers)] for name, *numbers in expected
        ]
    assert any(row[3] != "0.0" for row in found["AP"])
    assert broken_references(target) == []
    _, pairs = table_rows(page, "Edited pairs")
    assert [[text_of(cell) for cell in row] for row in pairs] == [["q1", "m3", "1", "2"], ["q2", "m4", "2", "0"]]
