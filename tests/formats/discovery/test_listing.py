"""Limits of the number of files, and files of a folder in natural order."""

import pytest

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.discovery import listing
from shrec_viewer.formats.discovery.listing import list_files


def test_a_collection_of_a_million_models_with_its_runs_is_within_the_limit():
    assert listing.MAX_ENTRIES >= 2 * 1_000_000


def test_more_entries_than_the_limit_are_refused(tmp_path, monkeypatch):
    for number in range(4):
        (tmp_path / f"m{number}.off").touch()
    monkeypatch.setattr(listing, "MAX_ENTRIES", 4)
    assert len(list_files(tmp_path, (), FindingsLog(tmp_path))[tmp_path]) == 4
    (tmp_path / "runs").mkdir()
    with pytest.raises(FormatError, match="holds more than 4 files"):
        list_files(tmp_path, (), FindingsLog(tmp_path))


@pytest.mark.parametrize("names", [["m10", "m09", "m11", "m02"], ["m10", "m9", "m011", "a2"]])
def test_files_are_listed_in_natural_order(tmp_path, names):
    for name in names:
        (tmp_path / f"{name}.off").touch()
    expected = sorted(names, key=lambda name: (name[0], int(name[1:])))
    assert [path.stem for path in list_files(tmp_path, (), FindingsLog(tmp_path))[tmp_path]] == expected
    assert [path.stem for path in listing.list_folder(tmp_path)] == expected
