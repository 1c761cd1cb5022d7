"""The arithmetic of each measure for one query, written out with its numbers."""

from dataclasses import dataclass, field

from shrec_viewer.metrics import HitTable, Profile, ResolvedMeasure

Symbol = tuple[str, str, str]
"""A letter of the formula, what it stands for, and its value."""


@dataclass(frozen=True)
class Working:
    """A value written out.

    Attributes
    ----------
    arithmetic : the whole expression in numbers, with ``log2``; evaluating it gives the value.
    shown : the same for people, long sums cut short.
    symbols : letters of the formula with their meaning and value.
    ranks : (n,) 1-based ranks of the hits that the value was computed from, ascending.
    shares : (n,) what each of them adds to the value; their sum is the value where it is a sum of hits.
    total : value of the expression.
    """

    arithmetic: str
    shown: str
    symbols: tuple[Symbol, ...]
    ranks: tuple[int, ...]
    shares: tuple[float, ...]
    total: float


@dataclass(frozen=True, eq=False)
class Facts:
    """What the formulas need to know of one query; letters as in `Measure.formula`."""

    hits: HitTable
    profile: Profile
    measure: ResolvedMeasure
    ranks: tuple[int, ...] = field(init=False)
    levels: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        enough = self.hits.levels >= self.measure.level
        object.__setattr__(self, "ranks", tuple(int(rank) for rank in self.hits.ranks[enough]))
        object.__setattr__(self, "levels", tuple(int(level) for level in self.hits.levels[enough]))

    @property
    def size(self) -> int:
        """C, relevant models in the truth."""
        return int(self.hits.relevant_size(self.measure.level)[0])

    @property
    def findable(self) -> int:
        """C, or at most as many as a cut list holds, where recall counts so."""
        cut = self.profile.list_cut
        return self.size if self.profile.relevant == "all" or cut is None else min(self.size, cut)

    @property
    def length(self) -> int:
        """Va, length of the list."""
        return int(self.hits.list_length[0])

    @property
    def collection(self) -> int:
        """Ds, models that could be returned."""
        return int(self.hits.collection_size[0])

    def within(self, scope: int | None) -> tuple[int, ...]:
        """Ranks of the hits within the first `scope` places; None for the whole list."""
        return self.ranks if scope is None else tuple(rank for rank in self.ranks if rank <= scope)

    def cut_symbol(self) -> tuple[Symbol, ...]:
        """The cut-off, where there is one."""
        cutoff = self.measure.cutoff
        return () if cutoff is None else (("k", "places looked at", f"{cutoff:,}"),)

    def size_symbol(self, size: int | None = None) -> Symbol:
        """C."""
        return ("C", "relevant models in the truth", f"{self.size if size is None else size:,}")
