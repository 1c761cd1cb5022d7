"""Contents of figures drawn by matplotlib."""
