"""Charts and tables that show why a run is weak, and how the runs relate."""
