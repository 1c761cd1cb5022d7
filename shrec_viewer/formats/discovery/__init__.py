"""From a folder to a Benchmark: list files, recognise them, read them, assemble."""
