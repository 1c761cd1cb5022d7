"""Readers and writers of files: truth, runs, matrices, meshes, benchmark.toml; formats are rows of READERS."""
