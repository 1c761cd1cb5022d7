"""The parametric models of the demo benchmark, one file for a few related classes."""
