"""What is shown, as records over numpy: one description for the window, for figures and for web pages."""
