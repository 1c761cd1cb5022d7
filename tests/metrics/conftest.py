"""Helper modules of this folder are importable from the tests in its sub-folders."""
