"""Public statistics of the registry, as charts, tables and CSV."""
