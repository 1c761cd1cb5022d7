"""The numpy renderer."""
