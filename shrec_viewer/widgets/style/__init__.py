"""Theme, icons, tool tips, relevance marks and thumbnail painting."""
