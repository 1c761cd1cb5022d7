"""Ids, findings and read options shared by all readers."""
