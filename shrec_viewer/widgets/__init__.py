"""Widgets that know no session: arrays in, signals out."""
