"""Application: start-up, main window, docking, bars, dialogs and commands."""
