"""Help: pages, tour, what is new, problem report, licences."""
