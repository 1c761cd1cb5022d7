"""Panels and dialogs for findings, import and background tasks."""
