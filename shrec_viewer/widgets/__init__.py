"""Pieces that know no session: arrays in, intentions out."""
