"""Lists are the same with headers in other languages, as Python writes lists, and below the name of a method."""

import json

import pytest
from test_column_roles import LISTS, lists_of, read, records

from shrec_viewer.domain import Severity

HEADS = [
    ("Anfrage;Modell;Abstand", "{q};{m};{d}", "."),
    ("requête,modèle,similarité", "{q},{m},{s}", ""),
    ("interrogazione\toggetto\trango", "{q}\t{m}\t{r}", ""),
    ("consulta,objeto,distancia", "{q},{m},{d}", ""),
]


@pytest.mark.parametrize(("head", "form", "point"), HEADS)
def test_headers_in_other_languages(head, form, point, tmp_path):
    rows = [form.format(q=query, m=model, d=f"{d:.6f}", s=f"{-d:.6f}", r=rank) for query, model, rank, d in records()]
    text = "\n".join([head, *rows]) + "\n"
    assert lists_of(read(tmp_path, text.replace(".", ",") if point else text, "S.csv")) == LISTS


FORMS = {
    "S.csv": "query,results\n" + "".join(f'{query},"{models}"\n' for query, models in LISTS.items()),
    "S.json": json.dumps(
        {"S": {query: {model: -rank for rank, model in enumerate(of)} for query, of in LISTS.items()}}
    ),
    "T.json": json.dumps({"S": LISTS}),
}


@pytest.mark.parametrize("name", FORMS)
def test_lists_in_other_forms(name, tmp_path):
    benchmark = read(tmp_path, FORMS[name], name)
    assert lists_of(benchmark) == LISTS
    assert not [one for one in benchmark.findings if one.severity is Severity.ERROR]
