"""The table of all formats of benchmarks; meshes and pictures are read without it, by processes that start often."""

from shrec_viewer.formats.cla import is_cla, read_cla
from shrec_viewer.formats.class_lines import is_class_lines, read_class_lines
from shrec_viewer.formats.csv_truth import is_csv_truth, read_csv_truth
from shrec_viewer.formats.id_lists import is_id_list, read_id_list
from shrec_viewer.formats.label_vector import is_label_vector, read_label_vector
from shrec_viewer.formats.listed import is_listed, read_listed
from shrec_viewer.formats.long_table import is_long_table, read_long_table
from shrec_viewer.formats.manifest import is_manifest, read_manifest
from shrec_viewer.formats.matrix import is_matrix, read_matrix
from shrec_viewer.formats.named_matrix import is_named_matrix, read_named_matrix
from shrec_viewer.formats.pairs import is_pairs, read_pairs
from shrec_viewer.formats.partiality import is_partiality, read_partiality
from shrec_viewer.formats.qrels import is_qrels, read_qrels
from shrec_viewer.formats.rank_list import is_rank_list, read_rank_list
from shrec_viewer.formats.reader import Reader
from shrec_viewer.formats.submission import is_submission, read_submission
from shrec_viewer.formats.tables import is_table, read_table
from shrec_viewer.formats.trec import is_trec, read_trec

READERS: tuple[Reader, ...] = (
    Reader("cla", "Classification (Princeton)", (".cla",), is_cla, read_cla),
    Reader("manifest", "Description of a benchmark", (".toml", ".shrec"), is_manifest, read_manifest),
    Reader("trec", "TREC run", (".run", ".trec"), is_trec, read_trec),
    Reader("qrels", "TREC relevance judgements", (".txt", ".qrels"), is_qrels, read_qrels),
    Reader("long", "Run as a table of pairs", (".csv", ".tsv"), is_long_table, read_long_table),
    Reader("pairs", "Relevant pairs as a table", (".csv",), is_pairs, read_pairs),
    Reader("truth", "Classes as a table", (".csv",), is_csv_truth, read_csv_truth),
    Reader("classes", "Classes as lines", (".txt",), is_class_lines, read_class_lines),
    Reader("named", "Distance matrix with ids", (".csv", ".tsv", ".txt"), is_named_matrix, read_named_matrix),
    Reader("submission", "Submission in one table", (".csv", ".tsv"), is_submission, read_submission),
    Reader("labels", "Classes without ids", (".txt", ".npy"), is_label_vector, read_label_vector),
    Reader("listed", "Lists in one file", (".json", ".txt"), is_listed, read_listed),
    Reader("matrix", "Distance matrix", (".matrix", ".npy", ".mat", ".txt", ".csv"), is_matrix, read_matrix),
    Reader("partiality", "Partiality of queries", (".txt",), is_partiality, read_partiality),
    Reader("ids", "List of ids", (".csv", ".txt"), is_id_list, read_id_list),
    Reader("rank_list", "Rank list of one query", (), is_rank_list, read_rank_list),
    Reader("table", "Table", (".csv", ".tsv"), is_table, read_table),
)
"""Every format, in the order in which content is compared with them: the strictest first."""
