"""Theme, icons, tooltips, relevance marks and thumbnail painting."""
