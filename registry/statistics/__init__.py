"""How the registry is doing, in numbers: pictures, their tables, and CSV. Everyone may look."""
