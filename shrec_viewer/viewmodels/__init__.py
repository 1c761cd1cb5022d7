"""State that signals: the one store, the only threads, item models."""
