"""The table READERS: every file format of a benchmark, strictest first."""

from shrec_viewer.formats.io.progress import FormatReader
from shrec_viewer.formats.io.tables import is_table, read_table
from shrec_viewer.formats.manifest.manifest import is_manifest, read_manifest
from shrec_viewer.formats.matrices.labelled_matrix import is_labelled_matrix, read_labelled_matrix
from shrec_viewer.formats.matrices.matrix import is_matrix, read_matrix
from shrec_viewer.formats.runs.keyed_lists import is_keyed_lists, read_keyed_lists
from shrec_viewer.formats.runs.long_table import is_long_table, read_long_table
from shrec_viewer.formats.runs.rank_list import is_rank_list, read_rank_list
from shrec_viewer.formats.runs.submission import is_submission, read_submission
from shrec_viewer.formats.runs.trec import is_trec, read_trec
from shrec_viewer.formats.truth.cla import is_cla, read_cla
from shrec_viewer.formats.truth.class_tables import is_class_csv, is_class_lines, read_class_csv, read_class_lines
from shrec_viewer.formats.truth.id_lists import is_id_list, read_id_list
from shrec_viewer.formats.truth.labels import is_label_vector, read_label_vector
from shrec_viewer.formats.truth.partiality import is_partiality, read_partiality
from shrec_viewer.formats.truth.qrels import is_pair_table, is_qrels, read_pair_table, read_qrels

READERS: tuple[FormatReader, ...] = (
    FormatReader("cla", "Classification (Princeton)", (".cla",), is_cla, read_cla),
    FormatReader("manifest", "Description of a benchmark", (".toml", ".shrec"), is_manifest, read_manifest),
    FormatReader("trec", "TREC run", (".run", ".trec"), is_trec, read_trec),
    FormatReader("qrels", "TREC relevance judgements", (".txt", ".qrels"), is_qrels, read_qrels),
    FormatReader("long", "Run as a table of pairs", (".csv", ".tsv"), is_long_table, read_long_table),
    FormatReader("pairs", "Relevant pairs as a table", (".csv",), is_pair_table, read_pair_table),
    FormatReader("truth", "Classes as a table", (".csv",), is_class_csv, read_class_csv),
    FormatReader("classes", "Classes as lines", (".txt",), is_class_lines, read_class_lines),
    FormatReader(
        "named", "Distance matrix with ids", (".csv", ".tsv", ".txt"), is_labelled_matrix, read_labelled_matrix
    ),
    FormatReader("submission", "Submission in one table", (".csv", ".tsv"), is_submission, read_submission),
    FormatReader("labels", "Classes without ids", (".txt", ".npy"), is_label_vector, read_label_vector),
    FormatReader("listed", "Lists in one file", (".json", ".txt"), is_keyed_lists, read_keyed_lists),
    FormatReader("matrix", "Distance matrix", (".matrix", ".npy", ".mat", ".txt", ".csv"), is_matrix, read_matrix),
    FormatReader("partiality", "Partiality of queries", (".txt",), is_partiality, read_partiality),
    FormatReader("ids", "List of ids", (".csv", ".txt"), is_id_list, read_id_list),
    FormatReader("rank_list", "Rank list of one query", (), is_rank_list, read_rank_list),
    FormatReader("table", "Table", (".csv", ".tsv"), is_table, read_table),
)
"""Every format, in the order in which content is compared with them: the strictest first."""
