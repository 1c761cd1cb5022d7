"""Puts a benchmark together from what a folder holds and what the person said about it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shrec_viewer.domain import (
    Assessment,
    Benchmark,
    Collection,
    FormatError,
    Queries,
)
from shrec_viewer.formats.choice import choose_candidates
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.folder_classes import classes_of_folders
from shrec_viewer.formats.found_labels import take_found_labels
from shrec_viewer.formats.hints import part_hint
from shrec_viewer.formats.journal import Journal, count_of, some
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.material import Material
from shrec_viewer.formats.members import Asked, Models, Sources, asked_of, models_of
from shrec_viewer.formats.naming import IdIndex
from shrec_viewer.formats.overrides import with_levels
from shrec_viewer.formats.pairs import is_pairs, read_pairs
from shrec_viewer.formats.placing import Placing, kind_of, place_files, put_directly
from shrec_viewer.formats.plan import Plan, read_labels
from shrec_viewer.formats.qrels import QrelsFile, read_qrels
from shrec_viewer.formats.query_list import read_query_list
from shrec_viewer.formats.remarks import note_files, note_other_splits, note_whole, nothing_usable
from shrec_viewer.formats.roles import Roles, choose_roles, without_other_splits
from shrec_viewer.formats.runs import Candidate, name_of, read_runs
from shrec_viewer.formats.tables import participants
from shrec_viewer.formats.territory import Territory
from shrec_viewer.formats.text import read_head
from shrec_viewer.formats.truth import (
    LEVELS,
    SISTERS,
    assessment_of_classes,
    assessment_of_qrels,
    choose_qrels,
    labels_of_relevant,
    labels_of_tables,
    note_silent,
)
from shrec_viewer.formats.unnamed_rows import note_unnamed_rows
from shrec_viewer.formats.watch import Progress


@dataclass(eq=False)
class Assembly:
    """One folder on its way to a benchmark; each step uses what the steps before it settled.

    Attributes
    ----------
    root : the folder.
    plan : what the person said.
    material : what was found.
    journal : takes the findings.
    """

    root: Path
    plan: Plan
    material: Material
    journal: Journal
    cancelled: Callable[[], bool]
    progress: Progress | None

    def benchmark(self) -> Benchmark:
        """The benchmark; FormatError where nothing in the folder is of use."""
        territory = Territory(self.root, self.plan.models, self.plan.query_files)
        roles = self._roles(territory)
        qrels = self._qrels(roles)
        sources = Sources(self.root, self.material, qrels, territory, self._query_list())
        for told in sources.listed:
            self.journal.extend(told.findings if told is not None else ())
        models = models_of(roles.collection, roles.queries, sources)
        if not models.ids:
            raise nothing_usable(self.root, self.material)
        self.journal.info(models.source or self.root, models.said, f"models in the order of {models.listing}")
        asked = asked_of(roles.queries, models, sources)
        if asked.ids:
            self.journal.info(asked.source or self.root, asked.said, "")
        items, query_ids = IdIndex(models.ids), IdIndex(asked.ids)
        placing = self._placing(models, asked, items, query_ids, territory)
        collection = Collection(models.ids, tuple(placing.models.paths))
        assessment, queries = self._truth(roles, qrels, models, asked, items, query_ids, placing)
        context = Context(collection, queries, assessment, self.journal, items, query_ids, models.listing)
        note_files(context, placing, models.source or self.root)
        candidates = choose_candidates(self.material, self.plan, context)
        runs = read_runs(candidates, context, self._participants(candidates), self.cancelled, self.progress)
        note_unnamed_rows(self.material, context)
        note_other_splits(self.material, roles.unused, candidates, self.journal)
        note_whole(context, candidates, len(runs), self.plan.profile)
        profile = self.plan.profile or "default"
        name = self.plan.name or self.root.resolve().name
        found = self.journal.findings
        parts = (collection, queries, assessment, models.tree, runs)
        return Benchmark(name, self.root, *parts, profile, found, self.plan.camera)

    def _roles(self, territory: Territory) -> Roles:
        self.material.tables = [without_other_splits(table, self.material) for table in self.material.tables]
        asking = self.plan.query_classes if self._query_list() is None else None
        collection, queries = (self._labels(path) for path in (self.plan.classification, asking))
        if self.plan.classification is not None and collection is None:
            return Roles(None, queries)  # what the person named is broken: nothing else takes its place
        is_untold = not self.material.tables and not self.material.qrels and self.plan.qrels is None
        if is_untold:
            take_found_labels(self.material, self.journal)
        if is_untold and not self.material.tables:
            files = Sources(self.root, self.material, None, territory).model_files()
            if (told := classes_of_folders(files, self.root)) is not None:
                self.material.tables.append(told)
        roles = choose_roles(self.material, collection, queries)
        roles = self._with_folders_of_queries(roles, territory)
        for table in (roles.collection, roles.queries):
            if table is not None:
                self.journal.extend(table.findings)
        if roles.is_by_rows and roles.collection is not None and roles.queries is not None:
            names = [self.journal.place(table.path) for table in (roles.queries, roles.collection)]
            message = f"as many queries as rows of a matrix ({len(roles.queries):,}), and fewer models"
            hint = part_hint("collection", "classification", "classification", names[0])
            action = f"if these are the models, and the matrix is turned: --queries {names[1]} {hint}"
            self.journal.warning(roles.queries.path, message, action)
        if roles.collection is not None:
            others = [self.journal.mention(table.path) for table in roles.unused]
            if others:
                said = f"{count_of(len(others), 'other list')} of classes: {some(others)}"
                hint = part_hint("collection", "classification", "classification", others[0])
                action = f"left aside; to take one: {hint}"
                note = self.journal.info if roles.is_sure else self.journal.warning
                note(roles.collection.path, said, action)
        return roles

    def _with_folders_of_queries(self, roles: Roles, territory: Territory) -> Roles:
        """Roles with the folders of the queries' files as their classes, where these are classes of the models."""
        if roles.queries is not None or roles.collection is None or self.plan.qrels is not None or self.material.qrels:
            return roles
        files = Sources(self.root, self.material, None, territory).query_files()
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
            table = without_other_splits(read_labels(path), self.material)
        except FormatError as error:
            if not any(failure.path == path for failure in self.material.failures):
                self.material.failures.append(error)
                self.journal.failed(error, "left out")
            return None
        self.material.tables.append(table)
        return table

    def _qrels(self, roles: Roles) -> QrelsFile | None:
        if self.plan.derive is not None:
            return None
        path = self.plan.qrels
        found = next((file for file in self.material.qrels if file.path == path), None)
        if path is not None and found is None:
            try:
                found = read_pairs(path) if is_pairs(read_head(path)) else read_qrels(path)
            except FormatError as error:
                if not any(failure.path == path for failure in self.material.failures):
                    self.journal.failed(error, "left out")
        elif path is None:
            ids = roles.collection.ids if roles.collection is not None else ()
            found = choose_qrels(self.material.qrels, IdIndex(ids), self.journal)
        if found is not None:
            self.journal.extend(found.findings)
            message = f"relevance of {len(found.models):,} pairs for {count_of(len(found.queries), 'query', 'queries')}"
            self.journal.info(found.path, message, "taken for the assessment")
        return found

    def _placing(
        self, models: Models, asked: Asked, items: IdIndex, query_ids: IdIndex, territory: Territory
    ) -> Placing:
        if np.all(asked.member >= 0) and len(asked.ids):  # the queries' files are those of the models
            query_ids = IdIndex(())
        placing = place_files(self.material.meshes, self.material.pictures, items, query_ids, territory)
        return put_directly(placing, models.paths, asked.paths)

    def _truth(
        self,
        roles: Roles,
        qrels: QrelsFile | None,
        models: Models,
        asked: Asked,
        items: IdIndex,
        query_ids: IdIndex,
        placing: Placing,
    ) -> tuple[Assessment | None, Queries]:
        labels = asked.labels
        pairs = assessment_of_qrels(qrels, items, query_ids, self.journal) if qrels is not None else None
        if models.tree is not None and not np.any(labels >= 0) and asked.ids:
            labels = labels_of_tables(self.material.side, asked.ids, models.tree, self.journal)
            if pairs is not None and not np.any(labels >= 0):
                labels = labels_of_relevant(pairs, models.tree)
        assessment: Assessment | None = pairs
        if pairs is None and models.tree is not None and np.any(labels >= 0):
            graded = "sisters" if self.plan.derive == SISTERS else "same"
            if self.plan.derive is None and roles.collection is not None:
                graded = roles.collection.graded
            assessment = assessment_of_classes(models.tree, labels, graded)
            self.journal.info(models.source or self.root, "the truth follows from the classes", LEVELS[graded])
            if self.plan.levels:
                assessment = with_levels(assessment, self.plan.levels, models.tree, query_ids, items, self.journal)
        if assessment is not None:
            note_silent(assessment, asked.ids, qrels, self.journal)
        paths = placing.queries.paths
        if not len(paths):
            paths = [placing.models.paths[place] for place in asked.member.tolist()]
        return assessment, Queries(asked.ids, tuple(paths), tuple(map(kind_of, paths)), asked.member, labels)

    def _participants(self, candidates: Sequence[Candidate]) -> dict[str, str]:
        names = {name_of(candidate.source) for candidate in candidates}
        for table in self.material.side:
            found = participants(table)
            if names & set(found):
                self.journal.info(table.path, "a table of runs and participants", "participants taken from it")
                return found
        return {}
