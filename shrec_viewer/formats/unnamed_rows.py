"""Tables with a row of models for each query, but without the query before it: told, never guessed."""

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.journal import count_of
from shrec_viewer.formats.material import Material
from shrec_viewer.formats.survey import UNKNOWN
from shrec_viewer.formats.tables import head_rows
from shrec_viewer.formats.text import read_head

KNOWN_SHARE = 0.9
"""Share of the cells that must be models."""

FEWEST_MODELS = 3


def note_unnamed_rows(material: Material, context: Context) -> None:
    """One warning for each such table that no other finding speaks of."""
    for found in material.files("table", "submission", UNKNOWN):
        if context.journal.place(found.path) in context.journal.mentioned:
            continue
        try:
            rows = head_rows(read_head(found.path))
        except FormatError:
            continue  # a finding already
        cells = [cell for row in rows for cell in row]
        if not rows or len(rows[0]) <= FEWEST_MODELS or context.items.share(cells) < KNOWN_SHARE:
            continue
        if context.query_ids.share([row[0] for row in rows]) >= KNOWN_SHARE and len(context.queries):
            continue
        query = f", such as '{context.queries.ids[0]}'" if len(context.queries) else ""
        message = f"rows of {count_of(len(rows[0]), 'known model')}, the first '{rows[0][0]}', but no query before them"
        action = f"passed over: each row must begin with its query{query}"
        context.journal.warning(found.path, message, action, line=1)
