"""Bytes to nouns: one file a format, gathered in `readers.READERS`."""
