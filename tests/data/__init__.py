"""Facts of public registries, for tests. README.md names the source of each file."""

from pathlib import Path

FOLDER = Path(__file__).parent
IANA = FOLDER / "iana"
IANA_HISTORY = IANA / "history"
IANA_NEWEST = IANA / "urn-namespaces.xml"
