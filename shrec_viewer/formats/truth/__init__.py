"""Readers of classifications, relevance judgements and id lists."""
