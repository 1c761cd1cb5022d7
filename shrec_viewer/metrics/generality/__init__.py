"""Measures as functions of generality, the share of relevant models (Sebe et al.)."""
