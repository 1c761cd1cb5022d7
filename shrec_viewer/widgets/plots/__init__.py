"""Curve plots on pyqtgraph, and painted charts."""
