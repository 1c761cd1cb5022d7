"""benchmark.toml and .shrec documents."""
