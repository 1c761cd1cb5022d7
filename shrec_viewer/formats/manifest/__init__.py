"""Documents `benchmark.toml` and `.shrec`: reading and writing."""
