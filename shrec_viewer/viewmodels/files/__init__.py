"""Findings, the import dialog, disk caches."""
