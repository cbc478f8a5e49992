"""The static assets that pages reference, and the assets that these reference."""

import posixpath
import re
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage

from registry.core.exceptions import RegistryError

# url(…) and @import "…" in a style sheet. A URL that begins with a scheme, "/" or "#" is not a relative path.
CSS_REFERENCE = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])(?![a-z]+:|/|#)([^"')?#]+)""")


class AssetMissing(RegistryError):
    """A page references an asset that does not exist."""

    title = "An asset is missing"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"“{name}” does not exist. Run `manage.py collectstatic --no-input`, then try again."
        )


def read_asset(name: str) -> bytes:
    """Return the content of an asset by its name below STATIC_URL. Raises AssetMissing."""
    found = finders.find(name)
    if isinstance(found, str):  # The name has no digest, so the collected file may be outdated.
        return Path(found).read_bytes()
    if not staticfiles_storage.exists(name):
        raise AssetMissing(name)
    with staticfiles_storage.open(name) as file:
        return bytes(file.read())


def referenced_assets(name: str, content: bytes) -> list[str]:
    """Return the assets that a style sheet references, by their names below STATIC_URL."""
    if not name.endswith(".css"):
        return []
    named = CSS_REFERENCE.findall(content.decode())
    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), each.strip())) for each in named]


def with_dependencies(addresses: set[str]) -> dict[str, bytes]:
    """Return the assets at these URLs and their dependencies, by path on the site."""
    found: dict[str, bytes] = {}
    waiting = sorted(address.removeprefix(settings.STATIC_URL) for address in addresses)
    while waiting:
        name = waiting.pop()
        path = f"{settings.STATIC_URL}{name}"[1:]
        if path not in found:
            found[path] = read_asset(name)
            waiting += referenced_assets(name, found[path])
    return found
