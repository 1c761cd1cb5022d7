"""Charts and tables of the session: their data, the options that follow the selection, and their computation."""
