"""What the demo consists of: the class tree, how many models each class has, the queries, the order of everything."""

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
"""Shuffles the names of the models, so that a name says nothing about its class, as contests do it."""

QUERY_DRAWS = 101
"""Queries draw their parameters from here on; the collection never does. 101 is prime: the styles do not repeat."""

SIDEWAYS = 90.0
"""Looking to the right, from where the front looked at the viewer."""


@dataclass(frozen=True)
class ModelClass:
    """A class of the tree.

    Attributes
    ----------
    name : as in the ``.cla`` file.
    parent : name of the class above, "" at the top.
    make : makes one model; None for a class that only holds others.
    count : models in the collection.
    turn : degrees about the up axis, so that long things show their side to the usual camera.
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
"""Parents before children, as the format wants it. Sizes differ as those of real contests do."""


@dataclass(frozen=True)
class QueryPlan:
    """A query: which class it is drawn from, and whether it is a model or a sketch of one."""

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
"""In the order of the classes, so that the numbers count upwards in the classification, and on the screen, too."""


@dataclass(frozen=True, eq=False)
class DemoModel:
    """One model of the collection or one query, made."""

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
    """All queries in order; a sketch's model is what the draughtsman saw."""
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
    """The draw of a query: numbers that no model of the collection was drawn with, and the style that is planned."""
    draw = Draw(plan.class_name, QUERY_DRAWS + plan.style)
    draw.index = plan.style
    return draw
