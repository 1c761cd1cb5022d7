"""Small general-purpose widgets: eliding labels, fields, messages, progress, start page."""
