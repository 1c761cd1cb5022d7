"""Text, blocks, archives, compressed files, atomic writes and the parse cache."""
