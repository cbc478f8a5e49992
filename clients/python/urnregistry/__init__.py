"""Client of a registry of URN namespaces (RFC 8141).

    with Registry("https://registry.example.org") as registry:
        print(registry.lookup("isbn").title)

`AsyncRegistry` has the same methods for asyncio. All errors are a `RegistryError`; an error response of the registry is a
`Problem`.
"""

TYPE_CHECKING = False  # that of `typing`, which takes milliseconds to load

if TYPE_CHECKING:
    from urnregistry.names import *  # noqa: F403
else:

    def __getattr__(name):
        """Load the package when one of its classes is asked for. The command has to handle Ctrl-C before (`__main__`)."""
        from importlib import import_module
        from importlib.util import find_spec

        if name == "__all__" or name[:1].isupper():
            names = import_module(f"{__name__}.names")
            if hasattr(names, name):
                return getattr(names, name)
        elif not name.startswith("_") and find_spec(f"{__name__}.{name}"):
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__getattr__("__all__")})
