"""Reads that may be a moment old, and those that have to contain an earlier write."""
