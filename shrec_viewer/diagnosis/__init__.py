"""What explains a result: suspicious assessments, and how far a conclusion depends on the conventions."""
