"""Perspectives, docks and panels."""
