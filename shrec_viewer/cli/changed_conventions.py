"""Options that change single conventions of a profile: the few that are asked for often, and all of them by name."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shrec_viewer.cli.inputs import UnknownName, find_profile

if TYPE_CHECKING:
    from shrec_viewer.metrics import Profile
    from shrec_viewer.metrics.choices import Value

Command = TypeVar("Command", bound=Callable[..., Any])

ORDERS = ("optimistic", "pessimistic", "range")
"""Values of ``--ties`` that are no convention: orders that nobody would choose, to see what depends on the order."""

TIES = ("file", "index", "trec")


ANY = "Any other one, such as self_match=keep; may be repeated; see `shrec-viewer profiles`."


def convention_options(orders: bool) -> Callable[[Command], Command]:
    """Options ``--ties``, ``--missing``, ``--relevance`` and ``--convention``.

    Parameters
    ----------
    orders : whether ``--ties`` takes the best and the worst order, too.
    """
    ties = "Order of equal distances"
    if orders:
        ties += "; optimistic and pessimistic: best and worst for the run; range: how far means depend on it"

    def with_options(command: Command) -> Command:
        options = (
            click.option("--ties", type=click.Choice((*TIES, *ORDERS) if orders else TIES), help=f"{ties}."),
            click.option(
                "--missing", type=click.Choice(("zero", "skip")), help="Queries without a list: 0 or left out."
            ),
            click.option("--relevance", type=click.IntRange(1), metavar="LEVEL", help="Relevant from this level on."),
            click.option("--convention", metavar="NAME=VALUE", multiple=True, help=ANY),
        )
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def changes_of(
    ties: str | None, missing: str | None, relevance: int | None, conventions: Sequence[str]
) -> "dict[str, Value]":
    """What the options change, by field of the profile; a wrong one is a wrong call."""
    from shrec_viewer.metrics import parse_choice

    changes: dict[str, Value] = {}
    for convention in conventions:
        try:
            field, value = parse_choice(convention)
        except KeyError as problem:
            raise UnknownName(str(problem), "`shrec-viewer profiles` lists what may be changed") from problem
        changes[field] = value
    if ties in TIES:
        changes["ties"] = ties
    if missing is not None:
        changes["missing_query"] = missing
    if relevance is not None:
        changes["relevant_from"] = relevance
    return changes


def changed_profile(key: str, changes: "Mapping[str, Value]") -> "Profile":
    """The profile called `key` with some conventions changed; a wrong name is a wrong call."""
    from shrec_viewer.metrics import with_choices

    return with_choices(find_profile(key), changes)
