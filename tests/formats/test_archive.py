"""An archive opens like its folder; one that would write elsewhere or fill the disk is refused before it does."""

import stat
import zipfile

import pytest
from made_folders import benchmark_files, list_files, write

from shrec_viewer.domain import FormatError
from shrec_viewer.formats import archive
from shrec_viewer.formats.folder import read_benchmark


def pack(path, files, top=""):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(top + name, content)
    return path


@pytest.mark.parametrize("top", ["", "contest/"])
def test_an_archive_opens_like_its_folder(top, tmp_path):
    files = {**benchmark_files(), **list_files()}
    plain = read_benchmark(write(tmp_path / "contest", files))
    packed = read_benchmark(pack(tmp_path / "contest.zip", files, top))
    assert packed.name == plain.name == "contest"
    assert packed.collection.ids == plain.collection.ids
    assert packed.queries.ids == plain.queries.ids
    assert [str(finding) for finding in packed.findings] == [str(finding) for finding in plain.findings]
    assert packed.runs[0].ranking.items.tolist() == plain.runs[0].ranking.items.tolist()


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil.txt", "a/../../evil.txt", "C:\\evil.txt", "..\\evil.txt"])
def test_names_that_lead_elsewhere_are_refused(name, tmp_path):
    with pytest.raises(FormatError, match="leads out of the archive"):
        read_benchmark(pack(tmp_path / "evil.zip", {"a.txt": "a", name: "evil"}))
    assert not list(tmp_path.parent.rglob("evil.txt"))


def test_bombs_are_refused(tmp_path, monkeypatch):
    with pytest.raises(FormatError, match=r"'zeros\.matrix' would unpack to 16 MiB, which is no real data"):
        read_benchmark(pack(tmp_path / "bomb.zip", {"zeros.matrix": bytes(2**24)}))
    monkeypatch.setattr(archive, "MOST_BYTES", 100)
    with pytest.raises(FormatError, match="unpack it yourself"):
        read_benchmark(pack(tmp_path / "large.zip", {"a.txt": "0123456789" * 11}))
    monkeypatch.setattr(archive, "MOST_MEMBERS", 1)
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


def test_damaged_archives_are_sentences(tmp_path):
    path = pack(tmp_path / "cut.zip", {**benchmark_files()})
    data = path.read_bytes()
    for cut in (0, 10, len(data) // 2, len(data) - 5):
        path.write_bytes(data[:cut])
        with pytest.raises(FormatError, match=r"cut\.zip: cannot be unpacked"):
            read_benchmark(path)
    spoiled = bytearray(data)
    spoiled[60:90] = bytes(30)
    path.write_bytes(bytes(spoiled))
    with pytest.raises(FormatError, match=r"cut\.zip: cannot be unpacked"):
        read_benchmark(path)
