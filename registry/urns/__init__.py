"""Pages that show what a URN says."""
