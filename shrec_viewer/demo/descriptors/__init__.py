"""Simple shape descriptors, each a function from samples to distances; they are the runs of the demo."""

from shrec_viewer.demo.descriptors.chance import chance_distances
from shrec_viewer.demo.descriptors.fusion import fused_distances
from shrec_viewer.demo.descriptors.global_numbers import global_distances
from shrec_viewer.demo.descriptors.histograms import d2_distances, sector_distances
from shrec_viewer.demo.descriptors.silhouettes import silhouette_distances

__all__ = [
    "chance_distances",
    "d2_distances",
    "fused_distances",
    "global_distances",
    "sector_distances",
    "silhouette_distances",
]
