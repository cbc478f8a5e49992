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

        if name == "__all__" or name[0].isupper():  # no module
            return getattr(import_module("urnregistry.names"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
