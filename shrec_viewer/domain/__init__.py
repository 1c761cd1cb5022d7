"""Frozen records over numpy arrays; no files, no Qt."""

from shrec_viewer.domain.assessment import Assessment, ClassAssessment, PairAssessment
from shrec_viewer.domain.benchmark import Benchmark
from shrec_viewer.domain.classification import NO_CLASS, ROOT, Classification
from shrec_viewer.domain.collection import NOT_A_MEMBER, Collection, Queries, QueryKind
from shrec_viewer.domain.errors import Cancelled, FormatError, ShrecError
from shrec_viewer.domain.finding import Finding, Setting, Severity
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.domain.run import UNKNOWN_ITEM, DistanceMatrix, DistanceRows, RankedLists, Run

__all__ = [
    "NOT_A_MEMBER",
    "NO_CLASS",
    "ROOT",
    "UNKNOWN_ITEM",
    "Assessment",
    "Benchmark",
    "Cancelled",
    "ClassAssessment",
    "Classification",
    "Collection",
    "DistanceMatrix",
    "DistanceRows",
    "Finding",
    "FormatError",
    "Mesh",
    "PairAssessment",
    "Queries",
    "QueryKind",
    "RankedLists",
    "Run",
    "Setting",
    "Severity",
    "ShrecError",
]
