"""Plot panels: curves and generality."""
