"""Lookup of the view of an operation, and of the texts and values of a property."""

# AutoSchema leaves the view of an operation under this key; the hook removes it.
VIEW = "x-view"


def candidates(owner: str, name: str) -> list[str]:
    """The keys of a property, the most specific first. `owner` is the component or property that contains it."""
    return [f"{owner}.{name}", name] if name else []
