"""Parallel work: threads and processes on this machine, and the workers of a cluster."""
