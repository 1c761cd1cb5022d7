"""Tables: a record, its file formats, and the kinds of tables."""
