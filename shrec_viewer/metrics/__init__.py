"""Verbs on arrays: every measure, curve and profile of shape-retrieval evaluation; numpy only."""
