"""Export of panels: what they show as figures, tables and commands."""
