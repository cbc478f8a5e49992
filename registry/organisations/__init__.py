"""Organisations, which hold namespaces and cases, and their members."""
