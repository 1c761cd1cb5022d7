"""Measures as the share of relevant models falls (Sebe et al.)."""
