"""The same run in every format, for tests that damage it."""

import gzip
import io
import json
import struct
import tarfile
import zipfile
import zlib

import numpy as np
from made_folders import NATURAL, QUERIES, distances, list_files, npy

VALUES = distances() + np.random.default_rng(1).uniform(0, 0.003, (12, 24))
"""Distances with six decimals that matter."""


def matrix_words(number="%.6f", separator=" ", end="\n") -> str:
    return end.join(separator.join(number % value for value in row) for row in VALUES) + end


def labelled(number="%.6f", separator=",", corner="id") -> str:
    lines = [separator.join([corner, *NATURAL])]
    lines += [
        separator.join([query, *(number % value for value in row)]) for query, row in zip(QUERIES, VALUES, strict=True)
    ]
    return "\n".join(lines) + "\n"


def ranked(length=24):
    """Query, its models nearest first, and their distances."""
    for query, row in zip(QUERIES, VALUES, strict=True):
        order = np.argsort(row)[:length]
        yield query, [NATURAL[column] for column in order], row[order].tolist()


def trec() -> str:
    return "".join(
        f"{query} Q0 {model} {rank} {-value:.6f} A\n"
        for query, models, values in ranked()
        for rank, (model, value) in enumerate(zip(models, values, strict=True), 1)
    )


def long_table() -> str:
    rows = ((q, model, value) for q, models, values in ranked() for model, value in zip(models, values, strict=True))
    return "query,model,distance\n" + "".join(f"{query},{model},{value:.6f}\n" for query, model, value in rows)


def score_objects(indent=None) -> str:
    found = {q: {m: -round(v, 6) for m, v in zip(models, values, strict=True)} for q, models, values in ranked()}
    return json.dumps(found, indent=indent)


def id_lists(indent=None) -> str:
    return json.dumps({query: models for query, models, _ in ranked()}, indent=indent)


def submission(length=24) -> str:
    return "".join(",".join([query, *models]) + "\n" for query, models, _ in ranked(length))


def keyed_lists() -> str:
    return "".join(f"{query}: {' '.join(models)}\n" for query, models, _ in ranked())


def npz() -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, D=VALUES)
    return stream.getvalue()


def mat4() -> bytes:
    header = np.array([0, *VALUES.shape, 0, 2], "<u4").tobytes()
    return header + b"D\0" + VALUES.astype("<f8").tobytes("F")


def mat5(*, compressed=False) -> bytes:
    def element(kind, data):
        return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)

    body = element(6, struct.pack("<II", 6, 0)) + element(5, struct.pack("<ii", *VALUES.shape)) + element(1, b"D")
    body = element(14, body + element(9, VALUES.astype("<f8").tobytes("F")))
    packed = zlib.compress(body)
    body = struct.pack("<II", 15, len(packed)) + packed if compressed else body
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM" + body


def rank_lists(run="A") -> dict[str, str]:
    return list_files(run)


def zipped(files) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


def tarred(files, mode="w") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return stream.getvalue()


SAMPLE_RUNS = {
    "text": (".txt", matrix_words()),
    "comma text": (".csv", matrix_words(separator=",")),
    "four digits": (".txt", matrix_words("%.4g")),
    "no final line end": (".txt", matrix_words().rstrip()),
    "npy": (".npy", npy(VALUES)),
    "float32 npy": (".npy", npy(VALUES.astype("f4"))),
    "npz": (".npz", npz()),
    "mat4": (".mat", mat4()),
    "mat5": (".mat", mat5()),
    "compressed mat5": (".mat", mat5(compressed=True)),
    "float32": (".matrix", VALUES.astype("<f4").tobytes()),
    "float64": (".matrix", VALUES.tobytes()),
    "float32 of any name": (".bin", VALUES.astype("<f4").tobytes()),
    "ids": (".csv", labelled()),
    "ids and tabs": (".txt", labelled("%.6g", "\t", "")),
    "trec": (".run", trec()),
    "trec text": (".txt", trec()),
    "long": (".csv", long_table()),
    "submission": (".csv", submission()),
    "short submission": (".csv", submission(10)),
    "keyed lists": (".txt", keyed_lists()),
    "json lists": (".json", id_lists()),
    "json lists in lines": (".json", id_lists(1)),
    "json scores": (".json", score_objects()),
    "json scores in lines": (".json", score_objects(1)),
    "gzip text": (".txt.gz", gzip.compress(matrix_words().encode())),
    "gzip npy": (".npy.gz", gzip.compress(npy(VALUES))),
    "zip": (".zip", zipped(rank_lists())),
    "tar": (".tar", tarred(rank_lists())),
    "tar.gz": (".tar.gz", tarred(rank_lists(), "w:gz")),
}
"""Suffix and content of the run as a single file, by format."""
