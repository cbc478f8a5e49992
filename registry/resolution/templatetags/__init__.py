"""Template tags of resolution."""
