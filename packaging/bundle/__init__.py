"""Contents of the PyInstaller bundle, by platform."""
