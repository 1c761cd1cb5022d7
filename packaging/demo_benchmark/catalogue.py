"""Contents of the demo: class tree, models per class, queries, and their order."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from demo_benchmark.draw import Draw
from demo_benchmark.shapes.airplanes import airplane, biplane
from demo_benchmark.shapes.birds import bird
from demo_benchmark.shapes.dogs import dog
from demo_benchmark.shapes.fishes import fish
from demo_benchmark.shapes.helicopters import helicopter
from demo_benchmark.shapes.rockets import rocket
from demo_benchmark.shapes.seats import chair, stool
from demo_benchmark.shapes.spiders import spider
from demo_benchmark.shapes.tables import lamp, table
from demo_benchmark.shapes.tools import hammer, screwdriver, wrench
from demo_benchmark.shapes.vessels import bottle, goblet, mug, teapot, vase
from demo_benchmark.solid import Solid, normalised

ORDER_SEED = "shrec viewer demo"
"""Seed that shuffles the names of the models, so that names do not reveal classes, as in contests."""

QUERY_DRAWS = 101
"""First index for the parameters of queries; the collection stays below. 101 is prime, so styles do not repeat."""

SIDEWAYS = 90.0
"""Degrees about the up axis: facing right instead of the viewer."""


@dataclass(frozen=True)
class ModelClass:
    """A class of the tree.

    Attributes
    ----------
    name : as in the ``.cla`` file.
    parent : name of the parent class, "" at the top.
    make : generates one model; None for a class that only has subclasses.
    count : models in the collection.
    turn : degrees about the up axis, so that long objects show their side to the default camera.
    """

    name: str
    parent: str
    make: Callable[[Draw], Solid] | None = None
    count: int = 0
    turn: float = 0.0


CLASSES = (
    ModelClass("furniture", ""),
    ModelClass("seat", "furniture"),
    ModelClass("chair", "seat", chair, 8),
    ModelClass("stool", "seat", stool, 6),
    ModelClass("table", "furniture", table, 7),
    ModelClass("lamp", "furniture", lamp, 6),
    ModelClass("vessel", ""),
    ModelClass("drinking_vessel", "vessel"),
    ModelClass("mug", "drinking_vessel", mug, 7),
    ModelClass("goblet", "drinking_vessel", goblet, 6),
    ModelClass("pouring_vessel", "vessel"),
    ModelClass("teapot", "pouring_vessel", teapot, 6),
    ModelClass("bottle", "pouring_vessel", bottle, 6),
    ModelClass("vase", "vessel", vase, 6),
    ModelClass("aircraft", ""),
    ModelClass("winged_aircraft", "aircraft"),
    ModelClass("airplane", "winged_aircraft", airplane, 6),
    ModelClass("biplane", "winged_aircraft", biplane, 6, SIDEWAYS),
    ModelClass("helicopter", "aircraft", helicopter, 6, SIDEWAYS),
    ModelClass("rocket", "aircraft", rocket, 6),
    ModelClass("tool", ""),
    ModelClass("hammer", "tool", hammer, 6),
    ModelClass("screwdriver", "tool", screwdriver, 6),
    ModelClass("wrench", "tool", wrench, 6),
    ModelClass("animal", ""),
    ModelClass("dog", "animal", dog, 7, SIDEWAYS),
    ModelClass("bird", "animal", bird, 6, SIDEWAYS),
    ModelClass("fish", "animal", fish, 6, SIDEWAYS),
    ModelClass("spider", "animal", spider, 6),
)
"""Parents before children, as the format requires. Sizes differ, as in real contests."""


@dataclass(frozen=True)
class QueryPlan:
    """A query: its class, and whether it is a model or a sketch of one."""

    class_name: str
    style: int
    sketch: bool = False


QUERIES = (
    QueryPlan("chair", 1),
    QueryPlan("chair", 3, sketch=True),
    QueryPlan("table", 1),
    QueryPlan("lamp", 0),
    QueryPlan("mug", 0, sketch=True),
    QueryPlan("goblet", 2),
    QueryPlan("teapot", 1),
    QueryPlan("vase", 0),
    QueryPlan("airplane", 0),
    QueryPlan("biplane", 0, sketch=True),
    QueryPlan("helicopter", 3),
    QueryPlan("hammer", 0),
    QueryPlan("wrench", 0),
    QueryPlan("dog", 3),
    QueryPlan("bird", 1, sketch=True),
    QueryPlan("fish", 3),
)
"""In the order of the classes, so that query numbers ascend in the classification."""


@dataclass(frozen=True, eq=False)
class DemoModel:
    """One generated model of the collection, or one generated query."""

    name: str
    class_name: str
    solid: Solid
    sketch: bool = False


def make_collection() -> list[DemoModel]:
    """All models of the collection, sorted by name."""
    plans = [(kind, index) for kind in CLASSES if kind.make is not None for index in range(kind.count)]
    random.Random(ORDER_SEED).shuffle(plans)
    models = []
    for place, (kind, index) in enumerate(plans, start=1):
        models.append(DemoModel(f"M{place:03d}", kind.name, _made(kind, Draw(kind.name, index))))
    return models


def make_queries() -> list[DemoModel]:
    """All queries in order; a sketch has the model from which it is drawn."""
    kinds = {kind.name: kind for kind in CLASSES}
    queries = []
    for place, plan in enumerate(QUERIES, start=1):
        solid = _made(kinds[plan.class_name], styled(plan))
        queries.append(DemoModel(f"Q{place:02d}", plan.class_name, solid, plan.sketch))
    return queries


def _made(kind: ModelClass, draw: Draw) -> Solid:
    if kind.make is None:
        raise ValueError(f"the class '{kind.name}' only holds other classes")
    return normalised(kind.make(draw).turned("y", kind.turn))


def styled(plan: QueryPlan) -> Draw:
    """Parameters of a query, different from those of all models of the collection, and its planned style."""
    draw = Draw(plan.class_name, QUERY_DRAWS + plan.style)
    draw.index = plan.style
    return draw
