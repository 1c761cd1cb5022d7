"""Conventions of contests, and changes to them."""
