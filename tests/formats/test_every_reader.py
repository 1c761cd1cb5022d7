"""Every row of READERS: good samples read, bad ones say what is wrong where, random bytes do no harm."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from shrec_viewer.domain import Finding, FormatError
from shrec_viewer.formats.core.findings_log import JUNK_ACTION
from shrec_viewer.formats.discovery.reader_table import READERS
from shrec_viewer.formats.discovery.recognition import recognise_format
from shrec_viewer.formats.io.array_files import DiskArray
from shrec_viewer.formats.io.text import FileHead, read_file_head
from shrec_viewer.formats.runs.list_run import ACCEPTED
from shrec_viewer.formats.runs.listed_run import ListedRun

SAMPLES = Path(__file__).parents[1] / "data" / "formats"
# Blocks of a matrix are a folder of files of the format "matrix"; test_zarr_and_parquet.py writes the other formats.
# Truth of unknown form is never read: test_unread_truth.py.
NO_SAMPLES = ("matrix_blocks", "zarr", "parquet", "parquet_parts", "unread_truth")
BY_KEY = {reader.key: reader for reader in READERS if reader.key not in NO_SAMPLES}
FILE_READERS = [reader for reader in READERS if reader.key != "zarr"]

NAN = "nan"  # in expected values: NaN equals nothing

MATRIX = [[0.0, 1.5, 2.0], [1.5, 0.0, 3.0]]

NAMED = {"values": [[0.5, 1.0, 2.0], [1.5, 3.0, 0.25]]}

BLOCKS = {"ids": ["m17", "m18", "m21", "m42", "m57"], "labels": [0, 0, 0, 1, 1], "names": ["dog", "cat"]}

PARTS = ("attic_good", "attic_ok", "attic_junk", "hall_good", "hall_ok")
QUERY_PARTS = {
    "queries": ["attic", "hall"],
    "query": [0, 0, 0, 1, 1],
    "models": ["model_0001", "model_0006", "m2", "model_0004", "model_0005"],
    "level": [2, 2, 1, 2, 2],
    "zero_query": [0],
    "zero_models": ["m3"],
    "is_junk": [True],
    "profile": "default+junk=removed",
    "findings": [f"1: info: a level is -1; {JUNK_ACTION}"],
}
"""What each file of a folder with lists of good, ok and junk models reads as."""

GOOD = {
    ("cla", "tree.cla"): {
        "ids": ["m1", "m2", "m3", "m4", "m5", "m6"],
        "labels": [1, 1, 2, 3, 3, 4],
        "names": ["animal", "cat", "dog", "puppy", "cup"],
        "parents": [-1, 0, 0, 2, -1],
    },
    ("cla", "crlf_tabs_bom.cla"): {"ids": ["10", "11", "12", "7"], "labels": [0, 0, 0, 1], "names": ["cat", "-1"]},
    ("cla", "one_line.cla"): {"ids": ["x", "y", "z"], "labels": [0, 1, 1], "names": ["a", "b"], "parents": [-1, 0]},
    ("cla", "wrong_totals.cla"): {
        "ids": ["a", "b", "c"],
        "findings": [
            "2: error: the header declares 3 classes but 2 classes follow; all that follow are read",
            "2: error: the header declares 9 models but 3 models follow; all that follow are read",
        ],
    },
    ("cla", "twice.cla"): {
        "ids": ["a", "b", "c", "d"],
        "labels": [0, 0, 1, 2],
        "names": ["cat", "dog", "dog___cat"],
        "findings": [
            "9: error: model 'b' is repeated (first in line 6); the first occurrence is used",
            "12: warning: class 'cat' is defined twice; read as 'dog___cat'",
        ],
    },
    ("cla", "lying_count.cla"): {
        "ids": ["a", "b", "c", "d", "e"],
        "labels": [0, 0, 1, 1, 2],
        "findings": [
            "8: error: class 'dog' declares 3 models but lists 2; each line is read as a model",
            "2: error: the header declares 2 classes but 3 classes follow; all that follow are read",
        ],
    },
    ("cla", "lists_more.cla"): {
        "ids": ["a", "b", "c", "d"],
        "labels": [0, 0, 1, 1],
        "findings": ["4: error: class 'cat' declares 1 model but lists 2; each line is read as a model"],
    },
    ("cla", "comments.cla"): {"ids": ["a", "#b"], "labels": [0, 0], "names": ["cat"]},
    ("manifest", "full.toml"): {"name": "Tiny", "profile": "shrec2006", "derive": "sister-classes"},
    ("manifest", "project.shrec"): {"name": "Saved", "runs": [], "findings": []},
    ("manifest", "faulty_keys.toml"): {
        "name": None,
        "runs": [],
        "findings": [
            "2: warning: unknown key 'nmae' in [benchmark] (did you mean 'name'?); ignored",
            "3: error: 'profile' is not text; ignored",
            "5: warning: unknown key 'colour'; ignored",
            "9: error: 'derive' must be one of classes, sister-classes, not 'magic'; ignored",
            "11: error: entry 1 of 'runs' has no 'path'; ignored",
            "15: error: 'path' names 'absent.txt', which does not exist; ignored",
            "16: warning: unknown key 'ordre' in [[runs]] (did you mean 'order'?); ignored",
        ],
    },
    ("trec", "plain.run"): {
        "queries": ["q1", "q2"],
        "query": [0, 0, 1],
        "models": ["m3", "m1", "m2"],
        "model": [0, 1, 2],
        "ranks": [1.0, 2.0, 1.0],
        "scores": [9.5, 9.25, -0.001],
        "lines": [1, 2, 3],
        "tags": ["tag"],
    },
    ("trec", "odd_lines.run"): {
        "models": ["m3", "m1", "m2", "m4", "m5", "m6", "m7", "m8"],
        "model": [0, 1, 1, 2, 0, 3, 4, 5, 6, 7],
        "scores": [9.5, NAN, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, NAN],
        "lines": [2, 4, 6, 7, 8, 9, 10, 11, 12, 13],
        "tags": ["tag", "other"],
        "findings": [
            "5: error: 6 columns 'query Q0 model rank score tag' are expected, found 3; ignored",
            "4: error: the score 'high' is not a number; the model is last in its list",
        ],
    },
    ("trec", "white_space.run"): {
        "queries": ["q1", "q2"],
        "models": ["m3", "m1"],
        "model": [0, 1, 0],
        "scores": [9.5, -9.25, NAN],
        "lines": [1, 3, 4],
        "findings": [],
    },
    ("matrix", "carriage_returns.txt"): {"values": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "findings": []},
    ("matrix", "trailing_commas.txt"): {"values": MATRIX, "findings": []},
    ("qrels", "plain.txt"): {
        "queries": ["Q1", "Q2", "Q3"],
        "query": [0, 0, 1],
        "models": ["m1", "m2", "m1"],
        "level": [2, 1, 1],
        "lines": [1, 2, 4],
    },
    ("qrels", "faulty_lines.txt"): {
        "queries": ["Q1", "Q2"],
        "models": ["m1", "m5", "m1", "m2", "m3"],
        "level": [2, 1, 1, 1, 1],
        "lines": [1, 8, 9, 10, 11],
        "findings": [
            "2: warning: 'm1' is assessed twice for 'Q1' (first in line 1, with the same level);"
            " the first line is used",
            "3: error: 'm1' is assessed twice for 'Q1' (first in line 1, with level 2 instead of 1);"
            " the first line is used",
            "4: error: the level 'high' is not an integer; the line is ignored",
            "5: error: 4 columns 'query 0 model level' are expected, found 3; the line is ignored",
            "7: error: the level 300 is above 255; the line is ignored",
            f"6: warning: a level is -1; {JUNK_ACTION}",
        ],
    },
    ("submission", "plain.csv"): {
        "queries": ["q1", "q2"],
        "rows": [["m3", "m1", "m2"], ["m1", "m2", "m3"]],
        "lines": [1, 2],
    },
    ("submission", "numbers.csv"): {"queries": ["7", "9"], "rows": [["3", "1", "2"], ["2", "1", "3"]]},
    ("submission", "header_semicolons_twice.csv"): {
        "queries": ["q1", "q2", "q3", "q4", "q5", "q6", "q7"],
        "rows": [["m3", "m1", "m2"], ["m1", "m2"], *[["m2", "m1", "m3"]] * 5],
        "lines": [2, 3, 5, 6, 7, 8, 9],
        "findings": ["4: error: duplicate list of 'q1' (first in line 2); the first list is used"],
    },
    ("classes", "targets_cla.txt"): {
        "ids": ["cat1.off", "cat2.off", "dog1.off", "7"],
        "labels": [1, 2, 4, 1],
        "names": ["0", "0/0", "0/1", "1", "1/0"],
        "parents": [-1, 0, 0, -1, 3],
        "graded": "sisters",
        "findings": [
            "4: error: 'name class subclass' is expected, found 'dog2 one 0'; ignored",
            "6: error: 'cat1.off' is repeated; the first occurrence is used",
        ],
    },
    ("partiality", "partiality.txt"): {"shares": [0.5, 1.0, 0.25]},
    ("matrix", "one.npz"): {"values": MATRIX, "kind": "npy"},
    ("matrix", "arrays.npz"): {
        "values": MATRIX,
        "findings": ["None: warning: contains 2 matrices: 'small' (2 x 2), 'D' (2 x 3); the largest, 'D', is read"],
    },
    ("matrix", "version4.mat"): {"values": MATRIX, "kind": "mat"},
    ("matrix", "structure.mat"): {"values": MATRIX, "kind": "mat"},
    ("matrix", "plain.mat"): {"values": MATRIX, "kind": "mat"},
    ("matrix", "compressed.mat"): {"values": MATRIX, "kind": "mat"},
    ("matrix", "big_endian_single.mat"): {"values": MATRIX, "kind": "mat"},
    ("matrix", "several.mat"): {
        "values": MATRIX,
        "findings": [
            "None: warning: contains 2 matrices: 'small' (2 x 2), 'D' (2 x 3); the largest, 'D', is read",
        ],
    },
    ("ids", "animar.csv"): {"ids": ["4a7c59293e", "fd7c1552af", "14b49aaa8a"]},
    ("ids", "texts.csv"): {
        "ids": ["t1", "t2"],
        "findings": ["4: warning: 't1' is repeated (first in line 2); the first occurrence is used"],
    },
    ("pairs", "animar.csv"): {
        "queries": ["s1", "s2"],
        "query": [0, 0, 1],
        "models": ["m1", "m2", "m2"],
        "level": [1, 1, 1],
        "lines": [2, 3, 4],
    },
    ("pairs", "beir.tsv"): {
        "queries": ["q1", "q2"],
        "query": [0, 0, 1],
        "models": ["m1", "m2", "m2"],
        "level": [2, 1, 1],
        "lines": [2, 3, 4],
    },
    ("json_qrels", "nested_qrels.json"): {
        "queries": ["q1", "q2"],
        "query": [0, 0, 1, 1],
        "models": ["m1", "m3", "m2", "m4"],
        "level": [2, 1, 1, 1],
        "lines": [1, 2, 3, 3],
        "zero_query": [0, 1, 1, 1],
        "zero_models": ["m2", "m1", "m5", "m6"],
        "findings": [
            "3: error: the level '0.5' is not an integer; the line is ignored",
            f"3: warning: a level is -1; {JUNK_ACTION}",
            "3: info: a level is written with decimals; read as an integer",
        ],
    },
    ("json_qrels", "beir.jsonl"): {
        "queries": ["q1", "q2"],
        "query": [0, 1],
        "models": ["m1", "m2"],
        "level": [1, 1],
        "lines": [1, 4],
        "zero_models": ["m2"],
        "findings": [
            "5: warning: 'm2' is assessed twice for 'q2' (first in line 4, with the same level); the first line is used"
        ],
    },
    ("solution", "solution.csv"): {
        "queries": ["q1", "q2", "q3"],
        "query": [0, 0, 2],
        "models": ["m1", "m2", "m2"],
        "level": [1, 1, 1],
        "lines": [2, 2, 4],
        "findings": [
            "1: info: queries by usage: 1 public, 1 ignored, 1 private; all are used",
        ],
    },
    ("pairs", "two_columns.csv"): {
        "queries": ["s1", "s2"],
        "models": ["m1", "m2", "m2"],
        "findings": ["1: warning: the columns 'sketch_id' and 'text_id' contain queries; 'sketch_id' is used"],
    },
    ("pairs", "levels_and_faults.csv"): {
        "queries": ["q1", "q2"],
        "query": [0, 1],
        "models": ["m1", "m1"],
        "level": [2, 1],
        "lines": [2, 4],
        "findings": [
            "5: error: 'm1' is assessed twice for 'q2' (first in line 4, with level 1 instead of 2); "
            "the first line is used",
            "6: error: the row has no query or no model; the line is ignored",
            "7: error: the level 'high' is not an integer; the line is ignored",
        ],
    },
    ("matrix", "blanks.txt"): {"values": [[0.0, 1.5, 2.0], [1.5, 0.0, NAN], [2.0, 2.5, 0.0]], "kind": "text"},
    ("matrix", "commas.txt"): {"values": MATRIX},
    ("matrix", "semicolons_decimal_commas.txt"): {
        "values": [[0.5, 1.5, 2.25], [1.5, 0.5, 3.0]],
        "findings": ["1: warning: decimal comma in '0,5'; read as a decimal point"],
    },
    ("matrix", "touching.txt"): {
        "values": [[-1.5, -23.25, 3.0], [200.125, -56.5, -99.75]],
        "findings": [
            "1: warning: no space between numbers; read as columns of fixed width, according to the decimal points"
        ],
    },
    ("matrix", "windows_nan.txt"): {
        "values": [[0.0, NAN, 2.0], [1.0, NAN, 3.0], [4.0, float("inf"), 5.0]],
        "findings": [],
    },
    ("matrix", "ragged.txt"): {
        "values": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        "findings": ["2: error: 4 numbers in this line, 3 in the first; the matrix is damaged"],
    },
    ("matrix", "triangle.txt"): {
        "values": [0.0, 1.5, 0.0, 2.0, 3.0, 0.0, 2.5, 1.0, 4.0, 0.0],
        "findings": ["2: warning: each line has one number more than the line before; read as one sequence of numbers"],
    },
    ("matrix", "condensed.npy"): {"values": [1.5, 2.0, 2.5, 3.0, 1.0, 4.0], "kind": "npy"},
    ("matrix", "float32.npy"): {"values": MATRIX, "kind": "npy"},
    ("matrix", "big_endian_fortran.npy"): {"values": MATRIX, "kind": "npy"},
    ("matrix", "integers.npy"): {"values": [[0.0, 3.0, 4.0], [3.0, 0.0, 6.0]]},
    ("matrix", "float32.matrix"): {"values": [0.0, 1.5, 2.0, 1.5, 0.0, 3.0], "kind": "binary"},
    ("matrix", "float64.matrix"): {"values": [0.0, 1.5, 2.0, 1.5, 0.0, 3.0], "kind": "binary"},
    ("matrix", "big_endian.matrix"): {
        "values": [0.0, 1.5, 2.0, 1.5, 0.0, 3.0],
        "findings": ["None: warning: the values are plausible in big-endian byte order only; read as big-endian"],
    },
    ("truth", "headless.csv"): {
        "ids": ["m1", "m2", "m3", "m4"],
        "labels": [1, 2, 3, 1],
        "names": ["Bag", "Bag/Backpack", "Bag/Bag", "Chair"],
        "parents": [-1, 0, 0, -1],
        "graded": "sisters",
    },
    ("truth", "header.csv"): {
        "ids": ["q1", "q2"],
        "names": ["Bag", "Bag/Backpack", "Chair", "Chair/Arm"],
        "findings": [
            "4: warning: a header in the middle of the table; ignored",
            "5: error: 'q1' is repeated; the first occurrence is used",
        ],
    },
    ("truth", "shapenet.csv"): {
        "ids": ["000001", "000002", "000003", "000004"],
        "labels": [0, 1, 1, 2],
        "names": ["02691156", "02691156/03335030", "02958343"],
        "splits": ["test", "test", "train", "test"],
        "graded": "shapenet",
    },
    ("labelled_matrix", "pandas.csv"): {
        "values": [[0.5, 0.0, 1.5], [0.0, 0.5, NAN], [2.5, 1.5, 0.0]],
        "rows": ["N2", "N1", "N3"],
        "columns": ["N1", "N2", "N3"],
        "has_counter_labels": False,
    },
    ("labelled_matrix", "r_table.txt"): {
        "values": [[0.5, 1.0, 2.0], [1.5, NAN, 0.25]],
        "rows": ["Q1", "Q2"],
        "columns": ["N1", "N2", "N3"],
    },
    ("labelled_matrix", "excel.csv"): {**NAMED, "rows": ["Q1", "Q2"], "columns": ["N1", "N2", "N3"]},
    ("labelled_matrix", "header_only.tsv"): {
        **NAMED,
        "rows": [],
        "columns": ["N1", "N2", "N3"],
        "has_counter_labels": False,
    },
    ("labelled_matrix", "row_ids.txt"): {**NAMED, "rows": ["Q1", "Q2"], "columns": [], "has_counter_labels": False},
    ("labelled_matrix", "counted.csv"): {
        **NAMED,
        "rows": ["0", "1"],
        "columns": ["0", "1", "2"],
        "has_counter_labels": True,
    },
    ("labelled_matrix", "size_line.txt"): {
        **NAMED,
        "has_counter_labels": True,
        "findings": ["1: info: the first line declares the size 2 x 3; ignored"],
    },
    ("labelled_matrix", "size_lies.txt"): {
        **NAMED,
        "findings": ["1: warning: the first line declares the size 3 x 3, but 2 rows follow; 2 x 3 are read"],
    },
    **{("query_parts", f"{name}.txt"): QUERY_PARTS for name in PARTS},
    ("levels", "gt.csv"): {
        "queries": ["q1", "q2"],
        "query": [0, 0, 1],
        "models": ["m1", "m3", "m2"],
        "level": [2, 1, 1],
        "lines": [2, 2, 3],
        "zero_models": ["m3"],
        "is_junk": [True],
    },
    ("partition", "list_eval_partition.txt"): {
        "ids": [f"img/0{number}.jpg" for number in range(1, 7)],
        "labels": [0, 1, 1, 2, 2, 0],
        "splits": ["train", "query", "gallery", "gallery", "query", "gallery"],
        "findings": ["9: error: 'img/03.jpg' is repeated; the first occurrence is used"],
    },
    ("class_json", "flat.json"): BLOCKS,
    ("class_json", "classes.json"): BLOCKS,
    ("class_blocks", "brackets.txt"): BLOCKS,
    ("class_blocks", "counts.txt"): BLOCKS,
    ("class_blocks", "ranges.txt"): {**BLOCKS, "ids": ["17", "18", "19", "20", "21"]},
    ("results", "scores.csv"): {"kind": "table"},
    ("results", "findings.csv"): {"kind": "table"},
    ("results", "scores.json"): {"kind": "scores"},
    ("long", "distances.csv"): {
        "queries": ["q1", "q2"],
        "models": ["N1", "N2"],
        "query": [0, 0, 1, 1],
        "model": [0, 1, 1, 0],
        "scores": [0.5, 1.5, 0.25, NAN],
        "lines": [2, 3, 4, 5],
        "nearer": "smaller",
        "has_direction": True,
        "findings": [
            "None: error: a row lacks one of its cells; ignored",
            "5: error: 'far' is not a number; the model is last in its list",
        ],
    },
    ("long", "similarities.csv"): {"scores": [0.9, 0.8, 0.7], "nearer": "larger", "has_direction": True},
    ("long", "falling.csv"): {"scores": [0.9, 0.8, 0.7, 0.65], "nearer": "larger", "has_direction": False},
    ("long", "untold.tsv"): {"query": [0, 0, 1, 1], "nearer": "smaller", "has_direction": False},
    ("keyed_lists", "colons.txt"): {
        "queries": ["q1", "q2", "q3"],
        "rows": [["N1", "N3", "N2"], ["N2", "N1", "N3"], ["N3", "N1", "N2"]],
        "lines": [1, 2, 3],
    },
    ("keyed_lists", "lists.json"): {"queries": ["q1", "q2"], "rows": [["N1", "N3"], ["2", "1"]]},
    ("keyed_lists", "scores.json"): {"queries": ["q1", "q2"], "query": [0, 0, 1, 1], "nearer": "larger"},
    ("keyed_lists", "twice.txt"): {
        "queries": ["q1", "q2"],
        "rows": [["N1", "N3", "N2"], ["N2", "N1", "N3"]],
        "findings": ["3: error: duplicate list of 'q1' (first in line 1); the first list is used"],
    },
    ("keyed_lists", "twice_lists.json"): {
        "rows": [["N1", "N3"], ["N2", "N1"]],
        "lines": [1, 3],
        "findings": ["2: error: duplicate list of 'q1' (first in line 1); the first list is used"],
    },
    ("keyed_lists", "twice.json"): {
        "queries": ["q1", "q2"],
        "scores": [0.5, 0.9, 1.0, NAN],
        "lines": [1, 2, 3, 3],
        "findings": ["4: error: duplicate list of 'q1' (first in line 1); the first list is used"],
    },
    ("labels", "lines.txt"): {"labels": ["cat", "cat", "dog", "dog", "dog", "cat", "cat", "dog"]},
    ("labels", "numbers.npy"): {"labels": ["0", "0", "1", "1", "2", "2", "3", "3"]},
    ("rank_list", "ids"): {"first": None, "columns": [["N3", "N1", "N2"]], "lines": [1, 2, 3]},
    ("rank_list", "id_distance"): {
        "first": "Q1",
        "columns": [["N3", "N1", "N2"], ["0.5", "0.75", "1e0"]],
        "lines": [2, 3, 4],
    },
    ("rank_list", "distance_id"): {
        "columns": [["0.5", "0.75", "1e0"], ["N3", "N1", "N2"]],
        "notes": ["CR LF line ends"],
    },
    ("rank_list", "tabs_blank_comments.txt"): {
        "first": "Q1",
        "columns": [["N3", "N1", "N2"], ["0.5", "0.75", "1"]],
        "lines": [4, 5, 7],
        "blank": [3, 6],
        "comments": [1],
        "malformed": [8],
    },
    ("rank_list", "commas"): {"first": "Q1", "columns": [["N3", "N1", "N2"], ["0.5", "0.75", "1"]], "commas": True},
    ("rank_list", "comma_in_number"): {
        "columns": [
            ["0.005", "0.010,0001944429630", "0.02", "0.03", "0.04"],
            ["N3", "N1", "N2", "N4", "N5"],
        ],
        "commas": False,
    },
    ("rank_list", "one_answer"): {"first": "Q1", "columns": [["N3"], ["0.5"]], "lines": [2]},
    ("rank_list", "odd_lines"): {"lines": [1, 4, 5, 6, 7, 8, 9], "malformed": [2, 3]},
    ("table", "runs.csv"): {
        "rows": [["code", "participant", "note"], ["A1", "Ann", "first, of two"], ["B1", "Bob", ""]],
        "lines": [1, 2, 3],
    },
    ("table", "queries.tsv"): {"rows": [["query", "class"], ["q1", "cat"], ["q2", "dog"]]},
}
"""What a good sample reads as; attributes not named may be anything, but findings not named must not be."""

BAD = {
    ("cla", "ends_early.cla"): (1, "class 'cat' declares 7 models but the file ends after 2"),
    ("cla", "unknown_parent.cla"): (4, "class 'cat' has the parent 'pet', which is not defined before it"),
    ("cla", "no_number.cla"): (2, "the number of classes is expected here, found 'two'"),
    ("cla", "cut_header.cla"): (2, "the file ends where the number of models is expected"),
    ("ids", "nothing.csv"): (None, "contains no entries"),
    ("ids", "header.csv"): (1, "the header 'ID' is expected"),
    ("manifest", "unclosed.toml"): (2, "is not valid TOML: illegal character '\\n'"),
    ("manifest", "twice.toml"): (4, "is not valid TOML: cannot declare 'benchmark' twice"),
    ("trec", "five_columns.run"): (1, "6 columns 'query Q0 model rank score tag' are expected, found 5"),
    ("trec", "nothing.run"): (None, "lists nothing"),
    ("qrels", "words.txt"): (2, "the level 'much' is not an integer"),
    ("qrels", "nothing.txt"): (None, "contains no relevance levels"),
    ("submission", "nothing.csv"): (None, "lists nothing"),
    ("classes", "nothing.txt"): (None, "has no rows"),
    ("partiality", "wrong_count.txt"): (1, "declares 4 shares but lists 3"),
    ("partiality", "above_one.txt"): (3, "'1.5' is not a number from 0 to 1"),
    ("partiality", "no_count.txt"): (1, "does not begin with the number of queries"),
    ("matrix", "new.mat"): (None, "is a MATLAB 7.3 file, which is not supported; save it with the option -v7"),
    ("matrix", "cut_version4.mat"): (None, "is a damaged MATLAB file"),
    ("matrix", "cut.npz"): (None, "is a damaged .npz file"),
    ("matrix", "labels.npz"): (None, "contains no matrix of real numbers"),
    ("matrix", "cut.mat"): (None, "is a damaged MATLAB file"),
    ("matrix", "text.mat"): (None, "contains no matrix of real numbers"),
    ("json_qrels", "broken.json"): (2, "is not valid JSON: expecting ':' delimiter"),
    ("json_qrels", "nothing.json"): (None, "contains no relevance levels"),
    ("solution", "nothing.csv"): (None, "contains no relevance levels"),
    ("pairs", "no_header.csv"): (1, "has no headers of a column of queries and one of models"),
    ("pairs", "nothing.csv"): (2, "the row has no query or no model"),
    ("query_parts", "cellar_ok.txt"): (None, "contains no relevance levels"),
    ("levels", "gt_fractions.csv"): (3, "an id and 3 levels are expected"),
    ("partition", "no_gallery.txt"): (None, "has no queries or no gallery"),
    ("partition", "words.txt"): (3, "an id, its class and 'query', 'gallery' or 'train' are expected"),
    ("class_json", "classes_twice.json"): (None, "'m17' is in two lists"),
    ("class_json", "numbers.json"): (None, "'m17' has neither a class nor a list of ids"),
    ("class_blocks", "short.txt"): (5, "class 'cat' has fewer ids than announced"),
    ("class_blocks", "twice.txt"): (4, "'m17' is repeated"),
    ("results", "other.csv"): (None, "is not a file of results of this program"),
    ("long", "nothing.csv"): (None, "lists nothing"),
    ("long", "no_number.csv"): (
        1,
        "is not a table with a query, a model and a number in each row; its columns were taken for 'query': queries, "
        "'model': models; a header such as 'query,model,score', '... distance' or '... rank' names them, or "
        "--list-columns does",
    ),
    ("keyed_lists", "broken.json"): (2, "is not valid JSON: expecting ',' delimiter"),
    ("keyed_lists", "other.json"): (
        1,
        f"'note' is neither a list of ids nor an object of numbers by id; {ACCEPTED}",
    ),
    ("labels", "two_words.txt"): (3, "one label is expected, found 'dog big'"),
    ("labels", "fractions.npy"): (None, "is not a one-dimensional array of repeated integers"),
    ("labelled_matrix", "word.csv"): (9, "'far' is not a number"),
    ("labelled_matrix", "short_row.csv"): (7, "2 numbers in this line, 3 are expected"),
    ("matrix", "word.txt"): (2, "'far' is not a number"),
    ("matrix", "empty.txt"): (None, "is empty"),
    ("matrix", "only_comments.txt"): (None, "contains no numbers"),
    ("matrix", "complex.npy"): (None, "contains 'complex64', a matrix of real numbers is expected"),
    ("matrix", "cube.npy"): (None, "contains an array of shape 2 x 2 x 2, a matrix with rows and columns is expected"),
    ("matrix", "cut.npy"): (None, "is truncated: 167 bytes, its header declares 176"),
    ("matrix", "broken_header.npy"): (None, "has a damaged NumPy header"),
    ("matrix", "junk.matrix"): (None, "is neither text nor a sequence of plausible float32 or float64 numbers"),
    ("truth", "no_category.csv"): (2, "the row has no id or no category"),
    ("truth", "four_columns.csv"): (1, "'id,category,subcategory' is expected, found 4 columns"),
    ("truth", "no_table.csv"): (1, "'id,category,subcategory' is expected, found 1 column"),
    ("rank_list", "prose.txt"): (1, "a line 'id', 'id distance' or 'distance id' is expected, found 4 words"),
    ("rank_list", "binary"): (None, "is not a text file"),
    ("table", "one_column.csv"): (1, "is not a table: it contains no comma, semicolon or tab"),
    ("table", "binary.csv"): (None, "is not a text file"),
}

UNRECOGNISED = {("matrix", "windows_nan.txt"), ("long", "falling.csv"), ("long", "untold.tsv")}
UNRECOGNISED |= {(key, name) for key, name in GOOD if key in ("query_parts", "levels")} | {
    ("class_json", "classes.json")
}
"""Good samples whose content alone does not show what they are; they are read where they are named, or by name."""


def plain(value):
    """A value as lists, numbers and words, NaN as a word, findings as ``line: rest``."""
    if isinstance(value, np.ndarray | DiskArray):
        return plain(np.asarray(value).tolist())
    if isinstance(value, Finding):
        return f"{value.line}: {str(value).removeprefix(value.location + ': ')}"
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return NAN if isinstance(value, float) and np.isnan(value) else value


def test_the_table_is_well_formed():
    assert len({reader.key for reader in READERS}) == len(READERS)
    for reader in READERS:
        assert reader.label
        assert reader.key.isidentifier()
        assert all(suffix.startswith(".") for suffix in reader.suffixes)


@pytest.mark.parametrize(("expected", "kind"), [(GOOD, "good"), (BAD, "bad")])
def test_every_sample_is_expected_and_every_reader_has_some(expected, kind):
    found = {(path.parent.parent.name, path.name) for path in SAMPLES.glob(f"*/{kind}/*")}
    assert found == set(expected)
    assert {key for key, _ in found} == set(BY_KEY)


def value_of(noun, attribute):
    """Of lists in the order of the file, ``"rows"`` are the models of each query, ``"lines"`` those of the lists."""
    if attribute == "rows" and isinstance(noun, ListedRun):
        return [[noun.models[model] for model in noun.model[noun.query == query]] for query in range(len(noun.queries))]
    is_list = attribute == "lines" and isinstance(noun, ListedRun) and not noun.nearer
    return getattr(noun, "list_lines" if is_list else attribute)


@pytest.mark.parametrize(("key", "name"), GOOD)
def test_a_good_sample_reads_as_written(key, name):
    path = SAMPLES / key / "good" / name
    noun = BY_KEY[key].read(path)
    names = {field.name for field in fields(noun)}
    for attribute, value in GOOD[key, name].items():
        assert plain(value_of(noun, attribute)) == value, attribute
    if "findings" in names and "findings" not in GOOD[key, name]:
        assert noun.findings == ()
    if "findings" in names:
        assert {finding.file for finding in noun.findings} <= {str(path)}


@pytest.mark.parametrize(("key", "name"), sorted(set(GOOD) - UNRECOGNISED))
def test_a_good_sample_is_recognised_by_its_content(key, name, tmp_path):
    nameless = tmp_path / "file"
    nameless.write_bytes((SAMPLES / key / "good" / name).read_bytes())
    assert recognise_format(read_file_head(nameless)) == key


@pytest.mark.parametrize(("key", "name"), BAD)
def test_bad_sample_is_an_error_with_line(key, name):
    path = SAMPLES / key / "bad" / name
    with pytest.raises(FormatError) as caught:
        BY_KEY[key].read(path)
    assert (caught.value.line, caught.value.reason) == BAD[key, name]
    assert caught.value.path == path


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.key)
def test_missing_path_is_an_error(reader, tmp_path):
    with pytest.raises(FormatError, match="absent: does not exist"):
        reader.read(tmp_path / "absent")


@pytest.mark.parametrize("reader", FILE_READERS, ids=lambda reader: reader.key)
def test_a_folder_is_an_error(reader, tmp_path):
    with pytest.raises(FormatError, match="is a folder, not a file"):
        reader.read(tmp_path)


@pytest.mark.parametrize("reader", FILE_READERS, ids=lambda reader: reader.key)
def test_unreadable_file_is_an_error(reader, tmp_path, monkeypatch):
    path = tmp_path / "closed"
    path.write_text("PSB 1")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(FormatError, match="closed: cannot be opened: permission denied"):
        reader.read(path)


ALL_BYTES = [path.read_bytes() for path in sorted(SAMPLES.glob("*/*/*"))]


@st.composite
def damaged(draw):
    """A sample with a piece cut out, and another piece, or random bytes, put in."""
    data = draw(st.sampled_from(ALL_BYTES))
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, len(data)))
    other = draw(st.sampled_from(ALL_BYTES))
    piece = draw(st.one_of(st.binary(max_size=20), st.just(other[: draw(st.integers(0, 80))])))
    return data[:start] + piece + data[end:]


PIECES = r"PSB 1 2 0 -1 0.5 nan inf 1e400 Q0 Q1 N1 N2 cat dog id category , ; # .. [benchmark] = ' [[runs]]"
WORDS = st.sampled_from([*PIECES.split(), '"', "\t", "\n", "\r\n", "\ufeff"])
"""Pieces of all formats, so that random texts get past the first line."""


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.key)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=200),
        damaged(),
        st.lists(WORDS, max_size=40).map(" ".join).map(str.encode),
        st.lists(WORDS, max_size=40).map("".join).map(str.encode),
    )
)
@example(data=b"\xff\xfe")
@example(data=b"\xff\xfea")
@example(data=b"\x93NUMPY")
@example(data=b"\x93NUMPY\x03\x00\xff\xff\xff\xff")
@example(data=b"[[runs]]\npath='" + b"a" * 5000 + b"'")
@example(data=b"a = " + b"[" * 2000)
@example(data=b'"\n')
@example(data=b"!\r!,")
@example(data=b"\x0b0")
@example(data="³\n0.5\n1.0\n".encode())
@example(data=b"query id,model id,level\nq1,m1," + b"9" * 5000)
@example(data=b"PSB 1\n1 1\na 0 x\nb\na a " + b"9" * 5000)
def test_random_bytes_are_read_or_refused(reader, data, tmp_path):
    path = tmp_path / "random.bytes"
    path.write_bytes(data)
    assert recognise_format(FileHead(path, len(data), data)) in {*BY_KEY, "parquet", None}
    noun, error = outcome(reader, path)
    if error is None:
        assert noun is not None
        assert json.dumps(plain(getattr(noun, "findings", ())))
        return
    assert error.path == path
    assert error.reason
    assert error.reason[0].islower() or not error.reason[0].isalpha()
    assert "\n" not in error.reason
    assert error.line is None or 1 <= error.line <= data.count(b"\n") + data.count(b"\r") + 1


def outcome(reader, path):
    try:
        return reader.read(path), None
    except FormatError as error:
        return None, error
