"""Files of separators, quotes and blanks alone have no rows, alone in a folder and beside a run."""

from codecs import BOM_UTF8

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.cli import main
from shrec_viewer.domain import FormatError
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.tables import read_table

TEXTS = {
    "comma": ",",
    "semicolons": ";;;",
    "tabs": "\t\t\n\t\t\n",
    "pipes": "|||\n|||\n",
    "blanks of no width": "\u200b;\u200d\n\u2060\n",
    "rows": ",,,,\n,,,\n",
    "CR LF": ";;\r\n;;\r\n",
    "CR": ",,\r,,\r",
    "empty quotes": '"",""\n"",""\n',
    "one pair of quotes": '""',
    "blanks in quotes": '" "; " "\n',
    "blanks": "   \n  ",
    "blank lines": "\n\n,\n\n",
    "different separators": ",\n;\n\t\n",
}
ENCODINGS = {
    "UTF-8": lambda text: text.encode(),
    "UTF-8 with BOM": lambda text: BOM_UTF8 + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 BE": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
}


@pytest.fixture(params=ENCODINGS)
def encode(request):
    return ENCODINGS[request.param]


@pytest.mark.parametrize("name", ["a.csv", "models.txt", "qrels.txt"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_table_without_rows_is_no_benchmark(tmp_path, text, encode, name, capsys):
    (tmp_path / name).write_bytes(encode(text))
    for command in ("evaluate", "check"):
        assert main([command, str(tmp_path)]) == 1
        printed = "".join(capsys.readouterr())
        assert f"'{name}' has no rows" in printed
        assert "unexpected" not in printed


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_table_without_rows_beside_a_matrix(tmp_path, text, encode):
    np.save(tmp_path / "m.npy", np.random.default_rng(0).random((6, 6)))
    alone = read_benchmark(tmp_path)
    (tmp_path / "a.csv").write_bytes(encode(text))
    found = read_benchmark(tmp_path)
    assert found.collection.ids == alone.collection.ids
    assert [run.name for run in found.runs] == [run.name for run in alone.runs] == ["m"]
    assert any("a.csv" in (finding.file, *finding.message.split()) for finding in found.findings)


@given(st.text(',;\t "\n\r', min_size=1), st.sampled_from(list(ENCODINGS.values())))
@settings(max_examples=60, deadline=None)
def test_any_mixture_of_separators(tmp_path_factory, text, encode):
    path = tmp_path_factory.mktemp("mixture") / "a.csv"
    path.write_bytes(encode(text))
    with pytest.raises(FormatError, match=r"has no rows|is not closed|is not a table"):
        read_table(path)
    with pytest.raises(FormatError, match="has no rows"):
        read_benchmark(path.parent)
