"""Step 4 of reading a benchmark: combine the files that were read into a Benchmark."""

from collections.abc import Set
from dataclasses import replace
from itertools import compress
from pathlib import Path

import numpy as np

from shrec_viewer.domain import NOT_A_MEMBER, Benchmark, Collection, Queries
from shrec_viewer.formats.core.decisions import SET_EXPLICITLY, Alternative, Decision
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import MODEL, QUERY
from shrec_viewer.formats.core.read_choices import ORDERS_OF_PROFILES
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.discovery.assessment import assess, choose_qrels, with_ids
from shrec_viewer.formats.discovery.copies import log_copies
from shrec_viewer.formats.discovery.file_findings import log_files, log_unmatched_files, not_a_benchmark_error
from shrec_viewer.formats.discovery.file_matching import (
    NO_IDS,
    MatchedFiles,
    find_layout,
    match_files,
    models_of_files,
    query_kind,
)
from shrec_viewer.formats.discovery.ids_and_classes import (
    IdSources,
    ModelSet,
    QuerySet,
    TableRoles,
    choose_table_roles,
    classes_of_folders,
    find_models,
    find_queries,
    rows_of_split,
    select_split,
    use_unmarked_tables,
)
from shrec_viewer.formats.discovery.reading import ReadFiles
from shrec_viewer.formats.discovery.run_selection import load_runs, select_runs
from shrec_viewer.formats.io.progress import ReadProgress
from shrec_viewer.formats.manifest.manifest import Manifest
from shrec_viewer.formats.manifest.slices import find_slices, text_tables
from shrec_viewer.formats.runs.rank_list_folder import join_single_lists
from shrec_viewer.formats.truth.class_tables import (
    PARTS_OF_PARTITION,
    LabelTable,
    below_coarser_classes,
    coarser_classes,
)
from shrec_viewer.formats.truth.qrels import QrelsFile


def assemble(files: ReadFiles, parts: Manifest, findings_log: FindingsLog, progress: ReadProgress) -> Benchmark:
    """A benchmark from the contents of its files; FormatError if nothing in them is of use.

    Ids come first, then everything that refers to them: files of models and queries, assessment, runs.
    """
    root = files.found.root
    files, roles = _assign_roles(files, parts, findings_log)
    qrels = choose_qrels(files, parts, roles, findings_log)
    bare = qrels if qrels is not None and qrels.shape else None  # a matrix whose ids are those of models and queries
    qrels = None if bare is not None else qrels
    sources = IdSources(files, parts.models, qrels)
    for id_list in sources.id_lists:
        findings_log.extend(id_list.findings if id_list is not None else ())
    models = find_models(roles.collection, roles.queries, sources)
    if not models.ids:
        raise not_a_benchmark_error(root, files, findings_log.manifest)
    findings_log.info(models.source or root, models.description, f"models in the order of {models.listing}")
    query_set = _settle_members(find_queries(roles.queries, models, sources), qrels, parts, findings_log)
    if query_set.ids:
        findings_log.info(query_set.source or root, query_set.description, "")
    if query_set.doubt:
        action = "none is taken as a model, so that each stays in its own list; correct the ids if they are the models"
        findings_log.warning(query_set.source or root, query_set.doubt, action)
    if bare is not None:
        qrels = with_ids(bare, query_set.ids, models, findings_log)
    matched = _match_files(files, models, query_set)
    model_paths = matched.models.paths
    collection = Collection(models.ids, model_paths)
    labels, assessment = assess(files, parts, roles, qrels, models, query_set, findings_log)
    paths = matched.queries.paths or [model_paths[item] for item in query_set.member.tolist()]
    queries = Queries(query_set.ids, tuple(paths), tuple(map(query_kind, paths)), query_set.member, labels)
    indices = models.index, query_set.index
    context = ReadContext(collection, queries, assessment, findings_log, *indices, models.listing)
    context = replace(context, fixed_order=ORDERS_OF_PROFILES.get((parts.profile or "").partition("+")[0], ""))
    log_unmatched_files(context, matched, models)
    files = replace(files, runs=join_single_lists(files.runs, files.found.folders, context))
    candidates = select_runs(files, parts, context)
    runs = load_runs(candidates, context, files.side_tables, progress)
    log_files(files, parts, roles.unused, candidates, runs, context)
    log_copies(runs, context)
    profile = parts.profile or (qrels.profile if qrels is not None else "default")
    name = parts.name or root.resolve().name
    tables = (*files.side_tables, *text_tables(parts, [table.path for table in files.tables]))
    slices = find_slices(parts, queries, models.tree, tables, findings_log)
    found = findings_log.findings
    others = _other_truth(files, roles, bare or qrels)
    return Benchmark(
        name, root, collection, queries, assessment, models.tree, runs, profile, found, parts.camera,
        other_truth=others, slices=slices,
    )  # fmt: skip


def _settle_members(
    query_set: QuerySet, qrels: QrelsFile | None, parts: Manifest, findings_log: FindingsLog
) -> QuerySet:
    """The queries, of which none is a model if qrels contradict that: an object is relevant to itself, or not."""
    if not np.any(query_set.member >= 0) or parts.members:
        return query_set
    problem = "ids of queries are those of models"
    if parts.members is None:
        if qrels is None:
            return query_set
        counted = ~np.resize(qrels.is_junk, len(qrels.zero_query))
        relevant, others = (
            [name for name, model in zip(queries.tolist(), models, strict=True) if name == model]
            for queries, models in (
                (np.array(qrels.queries, object)[qrels.query], qrels.models),
                (np.array(qrels.queries, object)[qrels.zero_query[counted]], compress(qrels.zero_models, counted)),
            )
        )
        if not relevant or not others:
            return query_set
        problem += f", but '{others[0]}' is judged not relevant to itself, and '{relevant[0]}' relevant"
    objects = Alternative("false", "queries are other objects than the models of equal ids")
    models = Alternative("true", "they are these models, and removed from their lists")
    reason = "" if parts.members is None else SET_EXPLICITLY
    decision = Decision("members", (objects, models), "false", True, reason, problem, is_usual=False)
    findings_log.decide(query_set.source or findings_log.root, decision)
    return replace(query_set, member=np.full_like(query_set.member, NOT_A_MEMBER))


def _other_truth(files: ReadFiles, roles: TableRoles, qrels: QrelsFile | None) -> tuple[Path, ...]:
    """Truth files that are not used."""
    others = [*(file.path for file in files.qrels if file is not qrels), *(table.path for table in roles.unused)]
    return tuple(path for path in dict.fromkeys(others) if path.is_file())


def _assign_roles(files: ReadFiles, parts: Manifest, findings_log: FindingsLog) -> tuple[ReadFiles, TableRoles]:
    """Tables of classes for collection and queries, and the files with all tables that were considered."""
    is_listed = {table.path for table in files.tables}
    named = [table for table in (files.classification, files.query_classes) if table is not None]
    tables = [*files.tables, *(table for table in named if table.path not in is_listed)]
    selected = {table.path: select_split(table, files) for table in tables}
    files = replace(files, tables=tuple(selected.values()))
    collection, queries = (
        selected[table.path] if table is not None else None for table in (files.classification, files.query_classes)
    )
    is_partition = {*PARTS_OF_PARTITION}.issubset
    forms = (one for table in tables for one in (table, selected[table.path]))
    partition = next((one for one in forms if one.splits is not None and is_partition(one.splits)), None)
    if partition is not None and collection in (None, selected[partition.path]) and queries is None:
        queries, collection = (
            rows_of_split(partition, part, role)
            for part, role in zip(PARTS_OF_PARTITION, ("queries", "collection"), strict=True)
        )
        others = (table for path, table in selected.items() if path != partition.path)
        files = replace(files, tables=(collection, queries, *others))
    if parts.classification is not None and collection is None:
        return files, TableRoles(None, queries)  # the file that is named is broken, and nothing replaces it
    if not files.tables and not files.qrels and parts.qrels is None:
        files = use_unmarked_tables(files, findings_log)
        if not files.tables:
            root, found = files.found.root, IdSources(files, parts.models).model_files()
            table = classes_of_folders(models_of_files(found, find_layout(found), root), root)
            files = files if table is None else replace(files, tables=(table,))
    roles = choose_table_roles(files, collection, queries)
    roles = _with_folders_of_queries(files, parts, roles)
    roles = _with_coarser_classes(files, parts, roles, findings_log)
    for role in (roles.collection, roles.queries):
        if role is not None:
            findings_log.extend(role.findings)
    _log_roles(roles, {table.path for table in named}, findings_log)
    return files, roles


def _with_folders_of_queries(files: ReadFiles, parts: Manifest, roles: TableRoles) -> TableRoles:
    """Roles with the folders of the queries' files as their classes, if these are classes of the models."""
    if roles.queries is not None or roles.collection is None or parts.qrels is not None or files.qrels:
        return roles
    query_files = IdSources(files, parts.models).query_files(roles.collection.ids)
    table = classes_of_folders(query_files, files.found.root)
    if table is None or not set(table.names) <= set(roles.collection.names):
        return roles
    return replace(roles, queries=table)


def _with_coarser_classes(
    files: ReadFiles, parts: Manifest, roles: TableRoles, findings_log: FindingsLog
) -> TableRoles:
    """Roles with classes merged by a table of classes and coarser ones, if there is one and no qrels are used."""
    if roles.collection is None or files.qrels or parts.qrels is not None or parts.derive == "classes":
        return roles
    if (found := coarser_classes(roles.collection, files.side_tables)) is None:
        return roles
    coarse, path = found
    merged = parts.derive is None
    n_coarse = len({*coarse.values()})
    problem = f"puts {count_of(len(coarse), 'class', 'classes')} into {count_of(n_coarse, 'coarser one')}"
    finer = Alternative("classes", "the classes as they are")
    coarser = Alternative("coarser", "relevant are the models of a coarser class" if merged else "used as sisters")
    findings_log.decide(path, Decision("derive", (coarser, finer), "coarser", problem=problem))
    collection, queries = (
        None if table is None else below_coarser_classes(table, coarse, merged=merged)
        for table in (roles.collection, roles.queries)
    )
    return replace(roles, collection=collection, queries=queries)


def _log_roles(roles: TableRoles, named: Set[Path], findings_log: FindingsLog) -> None:
    """Roles that could be exchanged, and tables that are not used: a warning if one of them has other classes.

    Parameters
    ----------
    named : tables set by the caller or benchmark.toml.
    """
    collection, queries = roles.collection, roles.queries
    if roles.decided_by_rows and collection is not None and queries is not None:
        name = findings_log.name_of(collection.path)
        problem = f"as many queries as rows of a matrix ({len(queries):,}), and fewer models"
        transposed = f"these are the models, those of '{name}' the queries, and the matrix is transposed"
        tables = Alternative("", "these are the queries"), Alternative(queries.path, transposed)
        setting = findings_log.setting("classification", queries.path)
        setting = replace(setting, option=f"{findings_log.setting('queries', collection.path).option} {setting.option}")
        findings_log.decide(queries.path, Decision("classification", tables, "", problem=problem), setting=setting)
    if collection is None:
        return
    of_queries = [table for table in roles.unused if queries is not None and _is_nearer(table, queries, collection)]
    of_models = [table for table in roles.unused if table not in of_queries]
    for key, used, unused in (("classification", collection, of_models), ("queries", queries, of_queries)):
        if used is not None and unused:
            others = [findings_log.mention(table.path) for table in unused]
            problem = f"{count_of(len(others), 'other list')} of classes: {join_some(others)}"
            is_sure = roles.is_sure and not any(map(used.contradicts, unused))
            reason = SET_EXPLICITLY if used.path in named else ""
            tables = Alternative("", "this one is used"), Alternative(unused[0].path, f"'{others[0]}'")
            findings_log.decide(used.path, Decision(key, tables, "", is_sure, reason, problem))


def _is_nearer(table: LabelTable, queries: LabelTable, models: LabelTable) -> bool:
    """Whether a table has more ids of the queries than of the models."""
    ids = {*table.ids}
    return len(ids.intersection(queries.ids)) > len(ids.intersection(models.ids))


def _match_files(files: ReadFiles, models: ModelSet, query_set: QuerySet) -> MatchedFiles:
    """Meshes and images of models and queries."""
    # If all queries are models, their files are those of the models.
    query_ids = NO_IDS if np.all(query_set.member >= 0) else query_set.index
    named = ((MODEL, models.paths), (QUERY, query_set.paths or () if len(query_ids) else ()))
    known = {path: (role, item) for role, paths in named for item, path in enumerate(paths) if path is not None}
    return match_files(files.model_files, models.index, query_ids, known)
