"""Makes `widget_models` importable from the folders of this layer."""
