"""Claims of namespaces: evidence, announcement, objection, decision."""
