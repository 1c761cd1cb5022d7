"""Profiles: the conventions of contests and of their evaluation programs."""
