"""Files that would take hours or all memory are refused with file, line and limit; before, they were not."""

import lzma
import os
import struct
import time
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from made_folders import IDS, benchmark_files, list_files, write

from shrec_viewer import cli
from shrec_viewer.domain import FormatError
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.reader_table import READERS, find_reader
from shrec_viewer.formats.io import limits, text
from shrec_viewer.formats.io.archive import unpack
from shrec_viewer.formats.manifest.manifest import ManifestEdit, write_manifest
from shrec_viewer.formats.matrices.matrix import read_matrix
from shrec_viewer.formats.meshes.mesh_reader import read_mesh

HEAD = '[benchmark]\nname = "x"\n'
CPU_SECONDS = 5
"""Processor time of a hostile file; today's cases took from 20 s to hours."""


@pytest.fixture(autouse=True)
def takes_little_time():
    start = time.process_time()
    yield
    assert time.process_time() - start < CPU_SECONDS


def refused(read, path: Path, content: bytes | str) -> tuple[int | None, str]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(FormatError) as caught:
        read(path)
    assert caught.value.path == path
    return caught.value.line, caught.value.reason


DOCUMENTS = {
    "a key of 20,000 parts": (f"{HEAD}{'.'.join(['a'] * 20_000)} = 1\n", 3, "has more than 32 parts in a dotted key"),
    "a header of 20,000 parts": (f"{HEAD}[{'.'.join(['a'] * 20_000)}]\n", 3, "has more than 32 parts"),
    "a quoted key of many parts": (HEAD + " . ".join(['"b"', "'c'"] * 900) + " = 1\n", 3, "has more than 32 parts"),
    "a key in a list": (f"{HEAD}\nx = [{{{'.'.join(['a'] * 40)} = 1}}]\n", 4, "has more than 32 parts"),
    "lists": (f"{HEAD}x = {'[' * 100_000}{']' * 100_000}\n", 3, "is nested more than 32 levels deep, the limit"),
    "tables": (HEAD + "x = " + "{a=" * 5_000 + "1" + "}" * 5_000 + "\n", 3, "is nested more than 32 levels deep"),
    "a long key": (f"{HEAD}\n\n{'k' * 1_000_000} = 1\n", 5, "has more than 4,096 characters in a key, the limit"),
    "65 bits": (f"{HEAD}x = {2**64}\n", 3, "is not valid TOML: an integer does not fit into 64 bits"),
    "5,000 digits": (f"{HEAD}x = {'9' * 5_000}\n", 3, "is not valid TOML: an integer does not fit into 64 bits"),
    "17 MiB": (HEAD + "# " + "x" * 17 * 2**20, None, "is larger than 16 MiB, the limit of this format"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("ending", ["benchmark.toml", "saved.shrec"])
def test_a_document_is_refused_with_the_line(name, ending, tmp_path):
    content, line, reason = DOCUMENTS[name]
    path = write(tmp_path / "b", benchmark_files()) / ending
    if ending == "saved.shrec":
        content = content.replace(HEAD, '[benchmark]\nfolder = "."\n')
    found = refused(read_benchmark, path, content)
    assert (found[0], found[1][: len(reason)]) == (line, reason)


@pytest.mark.parametrize("name", ["a key of 20,000 parts", "lists", "17 MiB"])
def test_the_writer_refuses_it_as_well(name, tmp_path):
    content, line, _ = DOCUMENTS[name]
    edit = ManifestEdit("benchmark", "name", "new")
    assert refused(lambda path: write_manifest(path, [edit]), tmp_path / "benchmark.toml", content)[0] == line


def test_brackets_and_dots_in_texts_do_not_count(tmp_path):
    texts = ["[" * 99, "a." * 99 + " = 1", '\\"' * 99 + "[" * 99, "# " + "[" * 99]
    lines = [f'"""{words}\n{words}"""' for words in texts] + [f'"{words}"' for words in texts]
    lines += [f"'{words}'" for words in texts if "\\" not in words] + [f"1 # {words}" for words in texts]
    folder = write(tmp_path, {**benchmark_files(), "benchmark.toml": HEAD + "".join(
        f"x{index} = {line}\n" for index, line in enumerate(lines)
    )})  # fmt: skip
    found = read_benchmark(folder)
    assert {finding.message.split("'")[1] for finding in found.findings if "unknown key" in finding.message} == {
        f"x{index}" for index in range(len(lines))
    }


def test_twenty_thousand_faults_of_a_document_are_a_hundred_findings_and_a_count(tmp_path):
    many = "".join(f"k{index}.a.b = 1\n" for index in range(20_000))
    folder = write(tmp_path, {**benchmark_files(), "benchmark.toml": HEAD + many})
    found = [finding for finding in read_benchmark(folder).findings if finding.file == "benchmark.toml"]
    assert len(found) == 101
    assert [finding.line for finding in found[:3]] == [3, 4, 5]
    assert sum(finding.count for finding in found) == 20_000


def test_too_many_runs_of_a_document(tmp_path):
    many = "".join("[[runs]]\npath = 'runs/none'\n" for _ in range(20_000))
    folder = write(tmp_path, {**benchmark_files(), "benchmark.toml": HEAD + many})
    message = "entry 1025 of 'runs' is one of 20,000 entries, more than 1,024, the limit"
    assert any(finding.message == message and finding.line == 2051 for finding in read_benchmark(folder).findings)


JSON = {
    "deep": ('{"Q1": ["N1", "N2"],\n"Q2": ' + "[" * 100_000 + "]" * 100_000 + "}", 2, "is nested more than 32 levels"),
    "5,000 digits": (
        '{"Q1": ["N1", "N2"],\n"Q2": [' + "9" * 5_000 + "]}",
        2,
        "has an integer of more than 4,300 digits",
    ),
    "a long id": (
        '{"Q1": ["N1",\n"' + "N" * 1_000_000 + '"]}',
        2,
        "has more than 4,096 characters in an id, the limit",
    ),
}


@pytest.mark.parametrize("name", JSON)
def test_json_is_refused_with_the_line(name, tmp_path):
    content, line, reason = JSON[name]
    found = refused(find_reader("keyed_lists").read, tmp_path / "J.json", content)
    assert (found[0], found[1][: len(reason)]) == (line, reason)


def test_a_hundred_thousand_lists_take_linear_time(tmp_path):
    lists = ", ".join(f'"Q{index}": ["N1", "N2"]' for index in range(100_000))
    (tmp_path / "J.json").write_text("{" + lists + "}")
    assert len(find_reader("keyed_lists").read(tmp_path / "J.json").queries) == 100_000


@pytest.mark.parametrize("separator", [" ", ",", ";", "\t"])
def test_a_line_of_eight_million_numbers_is_refused(separator, tmp_path):
    line = (f"0{separator}" * 8 * 2**20).encode()
    for before in (b"", b"0 0 0\n"):
        found = refused(read_matrix, tmp_path / "M.txt", before + line)
        assert found == (1 + before.count(b"\n"), "has more than 4,194,304 words in this line, the limit")


def test_a_line_of_a_million_numbers_is_read(tmp_path):
    """A row of the distances to 10^6 models."""
    (tmp_path / "M.txt").write_text(" ".join(f"{number / 64:.6f}" for number in range(1_000_000)) + "\n")
    assert read_matrix(tmp_path / "M.txt").values.shape == (1, 1_000_000)


LISTS = {
    "cla": "PSB 1\n1 2\nc 0 2\nN1\n{}\n",
    "qrels": "Q1 0 N1 1\nQ1 0 N2 1\nQ1 0 N3 1\n\nQ1 0 {} 1\n",
    "trec": "Q1 Q0 N1 1 2.5 t\nQ1 Q0 N2 2 1.5 t\n\n\nQ1 Q0 {} 3 0.5 t\n",
    "submission": "Q1,N1,N2,N3\nQ2,N1,N2,N3\nQ3,N1,N2,N3\nQ4,N1,N2,N3\nQ5,N1,N2,{}\n",
    "table": "a,b\nc,d\ne,f\ng,h\n{},i\n",
    "long": "query,model,distance\nQ1,N1,0.5\nQ1,N2,0.5\nQ1,N3,0.5\nQ1,{},0.5\n",
    "labelled_matrix": "id N1 N2 N3\nQ1 0.5 0.5 0.5\nQ2 0.5 0.5 0.5\nQ3 0.5 0.5 0.5\n{} 0.5 0.5 0.5\n",
    "keyed_lists": "Q1: N1 N2\nQ2: N1 N2\nQ3: N1 N2\nQ4: N1 N2\nQ5: N1 {}\n",
    "rank_list": "N1 0.5\nN2 0.5\nN3 0.5\nN4 0.5\n{} 0.5\n",
    "labels": "a\nb\na\nb\n{}\na\nb\na\n",
    "ids": "ID\na\nb\nc\n{}\n",
}


@pytest.mark.parametrize("key", LISTS)
def test_an_id_of_a_million_characters_is_refused_with_the_line(key, tmp_path):
    line, reason = refused(find_reader(key).read, tmp_path / "file", LISTS[key].format("N" * 1_000_000))
    assert line == 5
    assert "4,096" in reason
    assert reason.endswith("the limit")


@pytest.mark.parametrize("key", LISTS)
def test_an_id_as_long_as_a_path_is_read(key, tmp_path):
    (tmp_path / "file").write_text(LISTS[key].format("N" * 4_000))
    find_reader(key).read(tmp_path / "file")


@pytest.mark.parametrize("key", [key for key in LISTS if key not in ("trec", "labelled_matrix")])
def test_a_text_beyond_the_limits_is_refused(key, tmp_path, monkeypatch):
    monkeypatch.setattr(text, "MAX_LINES", 3)
    path = tmp_path / "file"
    assert refused(find_reader(key).read, path, LISTS[key].format("N9")) == (4, "has more than 3 lines, the limit")


HEADER = "{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n"
NPY = {
    "(True, 256)": HEADER.format("<f4", False, "(True, 256)"),
    "(256, True)": HEADER.format("<f4", False, "(256, True)"),
    "(12.0, 24)": HEADER.format("<f4", False, "(12.0, 24)"),
    "(-12, -24)": HEADER.format("<f4", False, "(-12, -24)"),
    "300 digits": HEADER.format("<f4", False, f"({'9' * 300}, 24)"),
    "terabytes": HEADER.format("<f4", False, "(1000000, 1000000)"),
    "objects": HEADER.format("|O", False, "(12, 24)"),
    "long texts": HEADER.format("<U100000000", False, "(12, 24)"),
    "tuples": "(" * 9_000 + ")" * 9_000,
    "lists": "{'descr': " + "[" * 4_000 + "]" * 4_000 + ", 'fortran_order': False, 'shape': (3, 3)}",
    "nothing": "",
}


@pytest.mark.parametrize("name", NPY)
@pytest.mark.parametrize("key", ["matrix", "labels"])
def test_a_hostile_npy_header_is_refused(name, key, tmp_path):
    header = NPY[name].encode()
    content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(4 * 12 * 24)
    assert refused(find_reader(key).read, tmp_path / "M.npy", content)[0] is None
    if key == "matrix":
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("D.npy", content)
        refused(find_reader(key).read, tmp_path / "M.npz", packed.getvalue())


def test_a_header_of_4_gib_is_refused(tmp_path):
    refused(read_matrix, tmp_path / "M.npy", b"\x93NUMPY\x02\x00" + b"\xff" * 4 + b"{" * 100)


@pytest.mark.parametrize("content", [b",", b";", b"\t", b",\n", b'"', b",a", b"|", b" , ", b"\xff\xfe,\0"])
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.key)
def test_a_table_of_one_byte_is_read_or_refused(content, reader, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with suppress(FormatError):
        reader.read(path)


def archive_with(method: int, damage: bytes) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("A2/chair.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n" * 20)
    data = bytearray(packed.getvalue())
    start = data.find(b"chair.off") + len("chair.off") + 8
    data[start : start + len(damage)] = damage
    return bytes(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_is_a_message_for_folders_and_meshes(method, tmp_path):
    for read in (unpack, read_mesh):
        for damage in (b"\xff" * 12, b"\0" * 12, lzma.compress(b"x")[:12]):
            assert "cannot be unpacked" in refused(read, tmp_path / "chair.zip", archive_with(method, damage))[1]


CLASSES = {
    "classes": f"PSB 1\n60001 24\n{''.join(f'c{n} 0 0{chr(10)}' for n in range(60_000))}cat 0 24\n" + "\n".join(IDS),
    "counts": "PSB 1\n5 24\n" + "".join(f"c{n} 0 2\nx{n}\n" for n in range(20_000)),
}


@pytest.mark.parametrize("name", CLASSES)
def test_many_classes_take_linear_time(name, tmp_path):
    (tmp_path / "c.cla").write_text(CLASSES[name])
    assert len(find_reader("cla").read(tmp_path / "c.cla").names) >= 20_000


@pytest.mark.parametrize("last", ["c0", "new"])
def test_classes_nested_too_deeply_are_refused(last, tmp_path):
    nested = "".join(f"c{level} c{level - 1} 0\n" for level in range(1, 5_000))
    found = refused(find_reader("cla").read, tmp_path / "c.cla", f"PSB 1\n5 24\nc0 0 0\n{nested}{last} c4999 24\n")
    assert found == (35, "class 'c32' is nested more than 32 levels deep, the limit")


def test_every_limit_has_a_reason():
    source = Path(limits.__file__).read_text().split("\n")
    for index, line in enumerate(source):
        if line.startswith("MAX_"):
            assert source[index - 1].startswith("#: ")


LONG_NAMES = {
    "name": '[benchmark]\nname = "{}"\n',
    "models": '[collection]\nmodels = "{}"\n',
    "path": '[[runs]]\npath = "{}"\n',
    "part": '[benchmark]\nfolder = "."\n[parts]\nmodels = "{}"\n',
    "folder": '[benchmark]\nfolder = "{}"\n',
    "run": '[benchmark]\nfolder = "."\nformat = 2\n[[runs]]\nname = "A1"\npath = "{}"\n',
}


@pytest.mark.parametrize("name", LONG_NAMES)
@pytest.mark.parametrize("value", ["x" * 300, "x" * 4_000, "x/" * 2_000, "x" * 1_000_000, "a\\u0000b"])
def test_a_name_that_no_file_can_have_is_a_message(name, value, tmp_path, capsys):
    folder = write(tmp_path / "b", {**benchmark_files(), **list_files(queries=("Q1",))})
    path = folder / ("p.shrec" if name in ("part", "folder", "run") else "benchmark.toml")
    path.write_text(LONG_NAMES[name].format(value))
    cli.main(["check", str(path)])
    assert "unexpected" not in capsys.readouterr().err


def test_a_long_argument_is_a_usage_error(capsys):
    assert cli.main(["check", "x" * 5_000]) == 2
    assert cli.main(["check", "x/" * 2_500]) == 2
    assert "unexpected" not in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_mesh_that_is_a_pipe_or_a_device_is_a_finding_of_check(tmp_path, capsys):
    folder = write(tmp_path / "b", {**benchmark_files(), **list_files(queries=("Q1",))})
    for name in ("models/N1.off", "queries/Q1.off"):
        (folder / name).unlink()
        os.mkfifo(folder / name)
    (folder / "models/N2.off").unlink()
    (folder / "models/N2.off").symlink_to("/dev/zero")
    cli.main(["check", str(folder)])
    out = capsys.readouterr().out
    for name in ("models/N1.off", "models/N2.off", "queries/Q1.off"):
        assert f"{name}: warning: the mesh is not a regular file" in out


def test_a_number_of_more_bytes_than_a_line_may_have_is_refused(tmp_path):
    (tmp_path / "M.txt").write_bytes(b"0 1 2\n" + b"0" * 2**26 + b"0")
    with pytest.raises(FormatError, match="has more than 67,108,864 bytes in this line, the limit") as caught:
        read_matrix(tmp_path / "M.txt")
    assert caught.value.line == 2


def test_numbers_beyond_the_limit_are_refused(tmp_path, monkeypatch):
    from shrec_viewer.formats.matrices import text_matrix

    monkeypatch.setattr(text_matrix, "MAX_NUMBERS", 100)
    np.savetxt(tmp_path / "M.txt", np.ones((11, 10)))
    with pytest.raises(FormatError, match="has more than 100 numbers, the limit"):
        read_matrix(tmp_path / "M.txt")
