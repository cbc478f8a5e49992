"""The page that checks a URN and shows its parts."""
