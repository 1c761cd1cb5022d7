"""The contest site: static pages with the collection, queries, runs and scores of a benchmark."""
