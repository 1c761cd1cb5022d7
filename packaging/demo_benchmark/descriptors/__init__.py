"""Simple shape descriptors, each a function from samples to distances; they are the runs of the demo."""

from demo_benchmark.descriptors.chance import chance_distances
from demo_benchmark.descriptors.fusion import fused_distances
from demo_benchmark.descriptors.global_numbers import global_distances
from demo_benchmark.descriptors.histograms import d2_distances, sector_distances
from demo_benchmark.descriptors.silhouettes import silhouette_distances

__all__ = [
    "chance_distances",
    "d2_distances",
    "fused_distances",
    "global_distances",
    "sector_distances",
    "silhouette_distances",
]
