"""Assemble a Benchmark from the files read and the parts given by caller and manifest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import (
    Assessment,
    Benchmark,
    Classification,
    Collection,
    FormatError,
    PairAssessment,
    Queries,
)
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of, file_hint, join_some
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.discovery.benchmark_findings import (
    log_missing_parts,
    log_other_splits,
    log_rows_without_query,
    log_unmatched_files,
    no_benchmark_error,
)
from shrec_viewer.formats.discovery.class_sources import (
    TableRoles,
    choose_table_roles,
    classes_of_folders,
    find_class_tables,
    select_split,
)
from shrec_viewer.formats.discovery.file_matching import MatchedFiles, match_files, query_kind, with_known_files
from shrec_viewer.formats.discovery.id_sources import (
    IdSources,
    ModelSet,
    QuerySet,
    find_models,
    find_queries,
    read_query_list,
)
from shrec_viewer.formats.discovery.path_roles import PathRoles
from shrec_viewer.formats.discovery.reading import DiscoveredFiles
from shrec_viewer.formats.discovery.run_loading import RunCandidate, read_runs, short_run_name
from shrec_viewer.formats.discovery.run_selection import select_runs
from shrec_viewer.formats.io.progress import ProgressCallback
from shrec_viewer.formats.io.tables import read_participants
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, LevelOverrides
from shrec_viewer.formats.manifest.parts import ResolvedParts, read_class_table
from shrec_viewer.formats.truth.assessment import (
    LEVEL_RULES,
    SISTER_CLASSES,
    assessment_from_classes,
    assessment_from_qrels,
    choose_qrels,
    labels_from_relevant,
    labels_from_tables,
    log_queries_without_relevant,
)
from shrec_viewer.formats.truth.labels import LabelTable
from shrec_viewer.formats.truth.qrels import QrelsFile, is_pair_table, read_pair_table, read_qrels


def apply_level_overrides(
    assessment: Assessment,
    levels: LevelOverrides,
    tree: Classification,
    queries: IdIndex,
    items: IdIndex,
    findings_log: FindingsLog,
) -> PairAssessment:
    """An assessment, written out in pairs, with the levels that some queries have for some classes or models.

    A name that is both a class and a model means the class. What means nothing is an error finding.
    """
    chosen: dict[int, dict[str, int]] = {}
    file = findings_log.root / MANIFEST_NAME
    for name, wanted in levels.items():
        query = queries.place(name)
        if query < 0:
            findings_log.error(file, f"levels are set for '{name}', which is no query", "left out")
        else:
            chosen.setdefault(query, {}).update(wanted)
    found = []
    changed = 0
    for query in range(len(assessment)):
        own, level = assessment.relevant(query)
        if query in chosen:
            dense = np.zeros(len(items), np.uint8)
            dense[own] = level
            before = dense.copy()
            _set_levels(dense, chosen[query], tree, items, queries.ids[query], findings_log)
            changed += int((dense != before).sum())
            own = np.flatnonzero(dense).astype(np.int32)
            level = dense[own]
        found.append((own, level))
    if chosen:
        message = f"{count_of(len(chosen), 'query has', 'queries have')} levels of its own in {MANIFEST_NAME}"
        findings_log.info(
            file, message.replace("its", "their" if len(chosen) > 1 else "its"), f"{changed:,} levels changed"
        )
    indptr = np.concatenate([[0], np.cumsum([len(own) for own, _ in found])]).astype(np.int64)
    return PairAssessment(
        indptr, np.concatenate([own for own, _ in found]), np.concatenate([query_level for _, query_level in found])
    )


def _set_levels(
    dense: NDArray[np.uint8],
    wanted: Mapping[str, int],
    tree: Classification,
    items: IdIndex,
    query: str,
    findings_log: FindingsLog,
) -> None:
    for name, level in wanted.items():
        if name in tree.names:
            dense[tree.members(tree.names.index(name))] = level
        elif (place := items.place(name)) >= 0:
            dense[place] = level
        else:
            message = f"'{query}' has a level for '{name}', which is no class and no model"
            findings_log.error(findings_log.root / MANIFEST_NAME, message, "left out")


@dataclass(eq=False)
class BenchmarkAssembly:
    """One folder on its way to a benchmark; each step uses what the steps before it settled.

    Attributes
    ----------
    root : the folder.
    plan : what the person said.
    material : what was found.
    journal : takes the findings.
    """

    root: Path
    plan: ResolvedParts
    material: DiscoveredFiles
    findings_log: FindingsLog
    cancelled: Callable[[], bool]
    progress: ProgressCallback | None

    def benchmark(self) -> Benchmark:
        """The benchmark; FormatError where nothing in the folder is of use."""
        path_roles = PathRoles(self.root, self.plan.models, self.plan.query_files)
        roles = self._roles(path_roles)
        qrels = self._qrels(roles)
        sources = IdSources(self.root, self.material, qrels, path_roles, self._query_list())
        for told in sources.listed:
            self.findings_log.extend(told.findings if told is not None else ())
        models = find_models(roles.collection, roles.queries, sources)
        if not models.ids:
            raise no_benchmark_error(self.root, self.material)
        self.findings_log.info(models.source or self.root, models.said, f"models in the order of {models.listing}")
        asked = find_queries(roles.queries, models, sources)
        if asked.ids:
            self.findings_log.info(asked.source or self.root, asked.said, "")
        items, query_ids = IdIndex(models.ids), IdIndex(asked.ids)
        placing = self._match_files(models, asked, items, query_ids, path_roles)
        collection = Collection(models.ids, tuple(placing.models.paths))
        assessment, queries = self._truth(roles, qrels, models, asked, items, query_ids, placing)
        context = ReadContext(collection, queries, assessment, self.findings_log, items, query_ids, models.listing)
        log_unmatched_files(context, placing, models.source or self.root)
        candidates = select_runs(self.material, self.plan, context)
        runs = read_runs(candidates, context, self._participants(candidates), self.cancelled, self.progress)
        log_rows_without_query(self.material, context)
        log_other_splits(self.material, roles.unused, candidates, self.findings_log)
        log_missing_parts(context, candidates, len(runs), self.plan.profile)
        profile = self.plan.profile or "default"
        name = self.plan.name or self.root.resolve().name
        found = self.findings_log.findings
        parts = (collection, queries, assessment, models.tree, runs)
        return Benchmark(name, self.root, *parts, profile, found, self.plan.camera)

    def _roles(self, path_roles: PathRoles) -> TableRoles:
        self.material.tables = [select_split(table, self.material) for table in self.material.tables]
        asking = self.plan.query_classes if self._query_list() is None else None
        collection, queries = (self._labels(path) for path in (self.plan.classification, asking))
        if self.plan.classification is not None and collection is None:
            return TableRoles(None, queries)  # what the person named is broken: nothing else takes its place
        lacks_truth = not self.material.tables and not self.material.qrels and self.plan.qrels is None
        if lacks_truth:
            find_class_tables(self.material, self.findings_log)
        if lacks_truth and not self.material.tables:
            files = IdSources(self.root, self.material, None, path_roles).model_files()
            if (told := classes_of_folders(files, self.root)) is not None:
                self.material.tables.append(told)
        roles = choose_table_roles(self.material, collection, queries)
        roles = self._with_folders_of_queries(roles, path_roles)
        for table in (roles.collection, roles.queries):
            if table is not None:
                self.findings_log.extend(table.findings)
        if roles.decided_by_rows and roles.collection is not None and roles.queries is not None:
            names = [self.findings_log.place(table.path) for table in (roles.queries, roles.collection)]
            message = f"as many queries as rows of a matrix ({len(roles.queries):,}), and fewer models"
            hint = file_hint("collection", "classification", "classification", names[0])
            action = f"if these are the models, and the matrix is turned: --queries {names[1]} {hint}"
            self.findings_log.warning(roles.queries.path, message, action)
        if roles.collection is not None:
            others = [self.findings_log.mention(table.path) for table in roles.unused]
            if others:
                said = f"{count_of(len(others), 'other list')} of classes: {join_some(others)}"
                hint = file_hint("collection", "classification", "classification", others[0])
                action = f"left aside; to take one: {hint}"
                note = self.findings_log.info if roles.is_sure else self.findings_log.warning
                note(roles.collection.path, said, action)
        return roles

    def _with_folders_of_queries(self, roles: TableRoles, path_roles: PathRoles) -> TableRoles:
        """Roles with the folders of the queries' files as their classes, where these are classes of the models."""
        if roles.queries is not None or roles.collection is None or self.plan.qrels is not None or self.material.qrels:
            return roles
        files = IdSources(self.root, self.material, None, path_roles).query_files()
        told = classes_of_folders(files, self.root)
        if told is None or not set(told.names) <= set(roles.collection.names):
            return roles
        return replace(roles, queries=told)

    def _query_list(self) -> tuple[Path, tuple[str, ...]] | None:
        """The plain list of queries that the person named, if it is one."""
        path = self.plan.query_classes
        if path is None or any(table.path == path for table in self.material.tables):
            return None
        try:
            return path, read_query_list(path)
        except FormatError:
            return None  # the finding says why it is no table either

    def _labels(self, path: Path | None) -> LabelTable | None:
        if path is None:
            return None
        for table in self.material.tables:
            if table.path == path:
                return table
        try:
            table = select_split(read_class_table(path), self.material)
        except FormatError as error:
            if not any(failure.path == path for failure in self.material.failures):
                self.material.failures.append(error)
                self.findings_log.failed(error, "left out")
            return None
        self.material.tables.append(table)
        return table

    def _qrels(self, roles: TableRoles) -> QrelsFile | None:
        if self.plan.derive is not None:
            return None
        path = self.plan.qrels
        found = next((file for file in self.material.qrels if file.path == path), None)
        if path is not None and found is None:
            try:
                found = read_pair_table(path) if is_pair_table(read_file_head(path)) else read_qrels(path)
            except FormatError as error:
                if not any(failure.path == path for failure in self.material.failures):
                    self.findings_log.failed(error, "left out")
        elif path is None:
            ids = roles.collection.ids if roles.collection is not None else ()
            found = choose_qrels(self.material.qrels, IdIndex(ids), self.findings_log)
        if found is not None:
            self.findings_log.extend(found.findings)
            message = f"relevance of {len(found.models):,} pairs for {count_of(len(found.queries), 'query', 'queries')}"
            self.findings_log.info(found.path, message, "taken for the assessment")
        return found

    def _match_files(
        self, models: ModelSet, asked: QuerySet, items: IdIndex, query_ids: IdIndex, path_roles: PathRoles
    ) -> MatchedFiles:
        if np.all(asked.member >= 0) and len(asked.ids):  # the queries' files are those of the models
            query_ids = IdIndex(())
        placing = match_files(self.material.meshes, self.material.pictures, items, query_ids, path_roles)
        return with_known_files(placing, models.paths, asked.paths)

    def _truth(
        self,
        roles: TableRoles,
        qrels: QrelsFile | None,
        models: ModelSet,
        asked: QuerySet,
        items: IdIndex,
        query_ids: IdIndex,
        placing: MatchedFiles,
    ) -> tuple[Assessment | None, Queries]:
        labels = asked.labels
        pairs = assessment_from_qrels(qrels, items, query_ids, self.findings_log) if qrels is not None else None
        if models.tree is not None and not np.any(labels >= 0) and asked.ids:
            labels = labels_from_tables(self.material.side, asked.ids, models.tree, self.findings_log)
            if pairs is not None and not np.any(labels >= 0):
                labels = labels_from_relevant(pairs, models.tree)
        assessment: Assessment | None = pairs
        if pairs is None and models.tree is not None and np.any(labels >= 0):
            graded = "sisters" if self.plan.derive == SISTER_CLASSES else "same"
            if self.plan.derive is None and roles.collection is not None:
                graded = roles.collection.graded
            assessment = assessment_from_classes(models.tree, labels, graded)
            self.findings_log.info(
                models.source or self.root, "the truth follows from the classes", LEVEL_RULES[graded]
            )
            if self.plan.levels:
                assessment = apply_level_overrides(
                    assessment, self.plan.levels, models.tree, query_ids, items, self.findings_log
                )
        if assessment is not None:
            log_queries_without_relevant(assessment, asked.ids, qrels, self.findings_log)
        paths = placing.queries.paths
        if not len(paths):
            paths = [placing.models.paths[place] for place in asked.member.tolist()]
        return assessment, Queries(asked.ids, tuple(paths), tuple(map(query_kind, paths)), asked.member, labels)

    def _participants(self, candidates: Sequence[RunCandidate]) -> dict[str, str]:
        names = {short_run_name(candidate.source) for candidate in candidates}
        for table in self.material.side:
            found = read_participants(table)
            if names & set(found):
                self.findings_log.info(table.path, "a table of runs and participants", "participants taken from it")
                return found
        return {}
