"""Values of the plots: curves, generality graphs, heat maps and class confusions."""
