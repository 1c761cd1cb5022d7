"""An archive opens like its folder; one that would write elsewhere or fill the disk is refused before it does."""

import gzip
import io
import re
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from made_folders import IDS, benchmark_files, list_files, mesh_files, write

from shrec_viewer.domain import FormatError, Severity
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.formats.io import archive


def tar(path, files, top="", mode="w:gz", **member):
    with tarfile.open(path, mode) as packed:
        for name, content in files.items() if isinstance(files, dict) else files:
            info = tarfile.TarInfo(top + name)
            info.size = len(content)
            for attribute, value in member.items():
                setattr(info, attribute, value)
            data = content if isinstance(content, bytes) else content.encode()
            packed.addfile(info, io.BytesIO(data) if info.isreg() else None)
    return path


def zipped(files, top=""):
    stream = io.BytesIO()
    pack(stream, files, top)
    return stream.getvalue()


def pack(path, files, top=""):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(top + name, content)
    return path


@pytest.mark.parametrize("top", ["", "contest/"])
def test_archive_equals_folder(top, tmp_path):
    files = {**benchmark_files(), **list_files()}
    plain = read_benchmark(write(tmp_path / "contest", files))
    packed = read_benchmark(pack(tmp_path / "contest.zip", files, top))
    assert packed.name == plain.name == "contest"
    assert packed.collection.ids == plain.collection.ids
    assert packed.queries.ids == plain.queries.ids
    assert [str(finding) for finding in packed.findings] == [str(finding) for finding in plain.findings]
    assert packed.runs[0].ranking.items.tolist() == plain.runs[0].ranking.items.tolist()


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil.txt", "a/../../evil.txt", "C:\\evil.txt", "..\\evil.txt"])
def test_members_outside_the_folder_are_refused(name, tmp_path):
    with pytest.raises(FormatError, match="leads out of the archive"):
        read_benchmark(pack(tmp_path / "evil.zip", {"a.txt": "a", name: "evil"}))
    assert not list(tmp_path.parent.rglob("evil.txt"))


def test_bombs_are_refused(tmp_path, monkeypatch):
    with pytest.raises(FormatError, match=r"'zeros\.matrix' would unpack to 16 MiB, beyond the decompression limit"):
        read_benchmark(pack(tmp_path / "bomb.zip", {"zeros.matrix": bytes(2**24)}))
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 100)
    with pytest.raises(FormatError, match="unpack it yourself"):
        read_benchmark(pack(tmp_path / "large.zip", {"a.txt": "0123456789" * 11}))
    monkeypatch.setattr(archive, "MAX_MEMBERS", 1)
    with pytest.raises(FormatError, match="holds more than 1 files"):
        read_benchmark(pack(tmp_path / "many.zip", {"a": "", "b": ""}))


def test_links_are_refused(tmp_path):
    path = tmp_path / "link.zip"
    with zipfile.ZipFile(path, "w") as packed:
        link = zipfile.ZipInfo("passwords")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
    with pytest.raises(FormatError, match="'passwords' is a link"):
        read_benchmark(path)


def test_damaged_archives_are_errors(tmp_path):
    path = pack(tmp_path / "cut.zip", {**benchmark_files()})
    data = path.read_bytes()
    for cut in (0, 10, len(data) // 2, len(data) - 5):
        path.write_bytes(data[:cut])
        with pytest.raises(FormatError, match=r"cut\.zip: cannot be unpacked"):
            read_benchmark(path)
    spoiled = bytearray(data)
    spoiled[60:90] = bytes(30)
    path.write_bytes(bytes(spoiled))
    errors = [str(finding) for finding in read_benchmark(path).findings if finding.severity is Severity.ERROR]
    assert len(errors) == 1
    assert re.search(r"cut\.zip: error: '.*' cannot be unpacked: .*; left out", errors[0])


@pytest.mark.parametrize(("ending", "mode"), [(".tar.gz", "w:gz"), (".tgz", "w:gz"), (".tar", "w")])
@pytest.mark.parametrize("top", ["", "contest/"])
def test_tar_equals_folder(top, ending, mode, tmp_path):
    files = {**benchmark_files(), **list_files()}
    plain = read_benchmark(write(tmp_path / "contest", files))
    packed = read_benchmark(tar(tmp_path / f"contest{ending}", files, top, mode))
    assert packed.name == "contest"
    assert packed.collection.ids == plain.collection.ids
    assert [str(finding) for finding in packed.findings] == [str(finding) for finding in plain.findings]
    assert packed.runs[0].ranking.items.tolist() == plain.runs[0].ranking.items.tolist()


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil.txt", "a/../../evil.txt", "C:\\evil.txt", "..\\evil.txt"])
def test_tar_members_outside_the_folder_are_refused(name, tmp_path):
    with pytest.raises(FormatError, match="leads out of the archive"):
        read_benchmark(tar(tmp_path / "evil.tar.gz", {"a.txt": "a", name: "evil"}))
    assert not list(tmp_path.parent.rglob("evil.txt"))


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (tarfile.SYMTYPE, "is a link"),
        (tarfile.LNKTYPE, "is a link"),
        (tarfile.CHRTYPE, "is a device or a pipe, not a file"),
        (tarfile.BLKTYPE, "is a device or a pipe, not a file"),
        (tarfile.FIFOTYPE, "is a device or a pipe, not a file"),
    ],
)
def test_links_and_devices_in_a_tar_are_refused(kind, what, tmp_path):
    path = tar(tmp_path / "odd.tar.gz", {"passwords": ""}, type=kind, linkname="/etc/passwd")
    with pytest.raises(FormatError, match=f"'passwords' {what}"):
        read_benchmark(path)


def test_bombs_in_a_tar_are_refused(tmp_path, monkeypatch):
    with pytest.raises(FormatError, match=r"'zeros' would unpack to 16 MiB, beyond the decompression limit"):
        read_benchmark(tar(tmp_path / "bomb.tar.gz", {"zeros": bytes(2**24)}))
    many = {f"zeros{place}": bytes(2**19) for place in range(64)}
    with pytest.raises(FormatError, match=r"would unpack to .* MiB or more, beyond the decompression limit"):
        read_benchmark(pack(tmp_path / "many.zip", many))
    with pytest.raises(FormatError, match=r"would unpack to .* MiB( or more)?, beyond the decompression limit"):
        read_benchmark(tar(tmp_path / "many.tar.gz", many))
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 100)
    with pytest.raises(FormatError, match="unpack it yourself"):
        read_benchmark(tar(tmp_path / "large.tar", {"a.txt": "0123456789" * 11}, mode="w"))


def test_damaged_tars_are_errors_without_leftovers(tmp_path, monkeypatch):
    made = []

    def in_ours(prefix):
        folder = tmp_path / f"{prefix}{len(made)}"
        folder.mkdir()
        made.append(folder)
        return str(folder)

    monkeypatch.setattr(archive.tempfile, "mkdtemp", in_ours)
    data = tar(tmp_path / "cut.tar.gz", benchmark_files()).read_bytes()
    path = tmp_path / "cut.tar.gz"
    for cut in (0, 10, len(data) // 2, len(data) - 5):
        path.write_bytes(data[:cut])
        with pytest.raises(FormatError):
            read_benchmark(path)
    loose = gzip.decompress(data)
    for place in (0, 130, 148, 512, 700, 1400):
        path.write_bytes(gzip.compress(loose[:place] + b"\xff" * 40 + loose[place + 40 :]))
        try:
            read_benchmark(path)
        except FormatError:
            continue
        made.pop()  # it was only damaged in the content of a file
    assert made
    assert not any(folder.exists() for folder in made)


SUBMISSIONS = {
    "a zip of one run": lambda: {"runs/method_A.zip": zipped(list_files("method_A"))},
    "a zip without a folder": lambda: {"runs/method_A.zip": zipped({n[2:]: t for n, t in list_files("A").items()})},
    "a zip of zips": lambda: {"all.zip": zipped({"method_A.zip": zipped(list_files("method_A"))})},
}


@pytest.mark.parametrize("case", SUBMISSIONS)
def test_a_zip_of_lists_in_a_folder_is_a_run(case, tmp_path):
    plain = read_benchmark(write(tmp_path / "plain", {**benchmark_files(), **list_files("runs/method_A")}))
    benchmark = read_benchmark(write(tmp_path / "packed", {**benchmark_files(), **SUBMISSIONS[case]()}))
    (run,) = benchmark.runs
    assert run.name == "method_A"
    for attribute, value in vars(plain.runs[0].ranking).items():
        np.testing.assert_array_equal(getattr(run.ranking, attribute), value, attribute)
    assert not [finding for finding in benchmark.findings if finding.severity is not Severity.INFO]
    reported = [finding for finding in benchmark.findings if finding.message.startswith("archive of")]
    assert {finding.action for finding in reported} == {"read like a folder"}
    assert all("method_A.zip" in finding.file for finding in benchmark.findings if "rank lists" in finding.message)


def test_a_zip_in_a_folder_that_is_named_as_a_run(tmp_path):
    toml = '[[runs]]\npath = "sent/late.zip"\nname = "L1"\nparticipant = "Late"\n'
    files = {**benchmark_files(), "sent/late.zip": zipped(list_files("inside")), "benchmark.toml": toml}
    (run,) = read_benchmark(write(tmp_path, files)).runs
    assert (run.name, run.participant) == ("L1", "Late")


def test_one_folder_per_split_in_an_archive(tmp_path):
    lists = {**list_files("Author_Method/test_normal"), **list_files("Author_Method/test_perturbed")}
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "runs/Author_Method.zip": zipped(lists)}))
    assert [run.name for run in benchmark.runs] == ["Author_Method/test_normal", "Author_Method/test_perturbed"]
    assert {run.participant for run in benchmark.runs} == {"Author_Method"}


def test_a_broken_zip_in_a_folder_is_an_error_and_the_rest_opens(tmp_path):
    whole = zipped(list_files("method_B"))
    files = {**benchmark_files(), **list_files("runs/A"), "runs/method_B.zip": whole[:-30]}
    files["runs/evil.zip"] = zipped({"../evil": "x"})
    benchmark = read_benchmark(write(tmp_path, files))
    assert [run.name for run in benchmark.runs] == ["A"]
    errors = {f.file: f.message for f in benchmark.findings if f.severity is Severity.ERROR}
    assert errors["runs/evil.zip"] == "the name '../evil' leads out of the archive"
    assert set(errors) == {"runs/evil.zip", "runs/method_B.zip"}


def test_models_in_an_archive_are_models(tmp_path):
    files = {name: text for name, text in benchmark_files().items() if not name.startswith("models")}
    benchmark = read_benchmark(write(tmp_path, {**files, "models.zip": zipped(mesh_files("models", IDS))}))
    assert benchmark.collection.ids == IDS
    assert all(path is not None and path.is_file() for path in benchmark.collection.paths)


def test_archives_in_archives_end_somewhere(tmp_path):
    inner = zipped({"a.txt": "a"})
    for _ in range(4):
        inner = zipped({"again.zip": inner})
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "deep.zip": inner}))
    (finding,) = [f for f in benchmark.findings if f.message == "an archive in 2 archives"]
    assert finding.file == "deep.zip/again.zip/again.zip"


def test_a_file_without_a_name_is_refused(tmp_path):
    whole = zipped({"x": "content"})
    path = tmp_path / "nameless.zip"
    path.write_bytes(whole.replace(b"x", b""))  # damaged: the names are one byte shorter than announced
    with pytest.raises(FormatError):
        read_benchmark(path)
    with zipfile.ZipFile(path, "w") as packed:
        info = zipfile.ZipInfo("x")
        info.filename = ""
        packed.writestr(info, "content")
    with pytest.raises(FormatError, match="the name '' leads out of the archive"):
        read_benchmark(path)


def test_runs_in_an_archive_that_lies_elsewhere(tmp_path):
    folder = write(tmp_path / "b", {**benchmark_files(), **list_files("runs/other")})
    sent = write(tmp_path / "sent", {"late.zip": zipped(list_files("late"))}) / "late.zip"
    benchmark = read_benchmark(folder, BenchmarkParts(runs=sent))
    assert [run.name for run in benchmark.runs] == ["late"]


@pytest.mark.parametrize("name", ["shrec.zip", "shrec.tar.gz", "shrec.tgz"])
def test_benchmark_in_archive_is_named_after_the_archive(name, tmp_path):
    write(tmp_path / "upload/final version", {**benchmark_files(), **list_files()})
    kind = "zip" if name.endswith("zip") else "gztar"
    made = shutil.make_archive(str(tmp_path / "made"), kind, tmp_path / "upload")
    benchmark = read_benchmark(Path(made).rename(tmp_path / name))
    assert benchmark.name == "shrec"
    assert len(benchmark.runs) == 1


def archive_errors(path):
    return [str(finding) for finding in read_benchmark(path).findings if finding.severity is not Severity.INFO]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("same", [True, False])
def test_name_twice_in_an_archive_is_a_finding_and_the_last_is_used(same, tmp_path):
    files = {**benchmark_files(), **list_files()}
    other = files["runs/A1/Q1"] if same else files["runs/A1/Q2"]
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in [("runs/A1/Q1", other), *files.items()]:
            packed.writestr(name, text)
    expected = (
        "warning: 'runs/A1/Q1' is in the archive twice" if same else "error: 'runs/A1/Q1' is in the archive twice,"
    )
    (found,) = archive_errors(path)
    assert expected in found
    assert found.endswith("the last one is used")
    plain = read_benchmark(write(tmp_path / "plain", files))
    assert read_benchmark(path).runs[0].ranking.items.tolist() == plain.runs[0].ranking.items.tolist()


@pytest.mark.parametrize("name", ["runs/A1/Q1", "./runs/A1//Q1"])
def test_name_twice_in_a_tar_is_a_finding(name, tmp_path):
    files = {**benchmark_files(), **list_files()}
    (found,) = archive_errors(tar(tmp_path / "b.tar", [(name, "N1 0.5\n"), *files.items()], mode="w"))
    assert "error: 'runs/A1/Q1' is in the archive twice, with other contents" in found
    (found,) = archive_errors(tar(tmp_path / "b.tar", [*files.items(), (name, files["runs/A1/Q1"])], mode="w"))
    assert "warning: 'runs/A1/Q1' is in the archive twice; the last one is used" in found


CONFLICTS = {
    "folder below a file": ("runs/A1/Q1/x", "is in the archive as a file and as a folder"),
    "file in place of a folder": ("runs/A1", "is in the archive as a file and as a folder"),
    "long name": ("x" * 300, "is too long a name for this system"),
}


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize("kind", CONFLICTS)
@pytest.mark.parametrize(("ending", "packed"), [(".tar.gz", tar), (".zip", pack)])
def test_names_that_the_system_refuses_are_named(ending, packed, kind, is_first, tmp_path):
    name, reason = CONFLICTS[kind]
    files = {**benchmark_files(), **list_files()}
    files = {name: "x", **files} if is_first else {**files, name: "x"}
    with pytest.raises(FormatError, match=reason) as raised:
        archive.unpack(packed(tmp_path / f"b{ending}", files))
    assert raised.value.path.name == f"b{ending}"


def test_one_damaged_file_of_a_zip_leaves_the_others(tmp_path):
    files = {**benchmark_files(), **list_files(), **list_files("runs/B1")}
    path = pack(tmp_path / "b.zip", files)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as packed:
        member = packed.getinfo("runs/B1/Q3")
    data[member.header_offset + 30 + len(member.filename) + 5] ^= 255
    path.write_bytes(bytes(data))
    benchmark = read_benchmark(path)
    assert benchmark.has_errors
    assert any("'runs/B1/Q3' cannot be unpacked" in finding.message for finding in benchmark.findings)
    assert [run.name for run in benchmark.runs] == ["A1", "B1"]
    assert benchmark.run("A1").ranking.present.all()
    assert benchmark.run("B1").ranking.present.sum() == len(benchmark.queries) - 1


def test_tar_without_end_is_an_error(tmp_path):
    """Cut between two files: `tarfile` reads the files before without a word."""
    path = tar(tmp_path / "b.tar", {**benchmark_files(), **list_files()}, "", "w")
    assert not archive_errors(path)
    with tarfile.open(path) as packed:
        last = packed.getmembers()[-1]
    path.write_bytes(path.read_bytes()[: last.offset])
    assert any("no end mark follows the last file" in found for found in archive_errors(path))


def test_damaged_header_in_a_tar_is_an_error(tmp_path):
    """`tarfile` stops at it, as at the end."""
    path = tar(tmp_path / "b.tar", {**benchmark_files(), **list_files()}, "", "w")
    data = bytearray(path.read_bytes())
    with tarfile.open(path) as packed:
        member = packed.getmembers()[-4]
    data[member.offset + 10] ^= 1
    path.write_bytes(bytes(data))
    assert any("no end mark follows the last file" in found for found in archive_errors(path))


@pytest.mark.parametrize(
    "name", ["..", "a/..", "../a", "a/../b", "a/./../b", "/a", "C:a", "C:\\a", "\\a", "..\\a", "a\\..\\b", "a//../b"]
)
def test_names_that_lead_out_are_refused(tmp_path, name):
    path = tmp_path / "out.zip"
    with zipfile.ZipFile(path, "w") as stream:
        stream.writestr(name, "x")
    with pytest.raises(FormatError, match="leads out of the archive"):
        archive.unpack(path)


@pytest.mark.parametrize("name", ["a", "a/b", "./a", "a/./b", "a//b", "...", "..a", "a..", ".a/b", "a b/ü", "a\nb/c"])
def test_other_names_are_unpacked(tmp_path, name):
    path = tmp_path / "inside.zip"
    with zipfile.ZipFile(path, "w") as stream:
        stream.writestr(name, "x")
        stream.writestr("z.txt", "")
        stream.writestr("z/other", "")
    folder = archive.unpack(path).folder
    assert (folder / name).read_text() == "x"
    assert (folder / "z/other").read_bytes() == b""


def test_very_many_empty_files_are_unpacked_without_extract(tmp_path, monkeypatch):
    """`ZipFile.extract` takes five times as long as the file system takes to create an empty file."""
    monkeypatch.delattr(zipfile.ZipFile, "extract")
    path = tmp_path / "empty.zip"
    count = 5_000
    with zipfile.ZipFile(path, "w") as stream:
        for k in range(count):
            stream.writestr(f"{k}.txt", "")
    assert len(list(archive.unpack(path).folder.iterdir())) == count
