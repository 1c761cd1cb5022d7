"""Run formats: rank lists, TREC, submissions, long tables; checks and writers."""
