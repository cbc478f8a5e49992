"""The views of resolution."""
