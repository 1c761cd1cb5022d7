"""Contents of charts and tables: one function for each concept, of data and a request."""
