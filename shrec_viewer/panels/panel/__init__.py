"""The panel record, the base widget of panels and shared context menu actions."""
