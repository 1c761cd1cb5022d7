"""Docks: one file, one widget tied to the session."""
