"""Storage of collected static files, and a check whether they are up to date."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]


class CollectedStaticFilesConfig(StaticFilesConfig):
    """Leaves out files of packages that no page loads: they would be public, and compressing them takes seconds."""

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        *("rest_framework", "redoc", "ext"),  # folders
        *("htmax-*", "htmx-4*", "htmx-2.js"),  # of django_htmx
        *("*.js.map", "oauth2-redirect.*", "swagger-ui-standalone-preset.*"),  # of drf_spectacular_sidecar
    ]


class CollectedStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Writes files atomically, so that a killed process leaves no partial file.

    Files that are newer than their source, or have a digest in their name, are not checked again.
    """

    def _save(self, name: str, content: Any) -> str:
        beside: str = super()._save(f"{name}.new", content)
        Path(self.path(beside)).replace(self.path(name))
        return name

    def reload_manifest(self) -> None:
        """Reload the manifest, because another process may have collected files."""
        self.hashed_files, self.manifest_hash = self.load_manifest()

    def is_up_to_date(self) -> bool:
        """Return whether all sources are older than the manifest, which is written last."""
        written = Path(self.path(self.manifest_name))
        if not written.exists():
            return False
        at = written.stat().st_mtime_ns
        return all(name in self.hashed_files and path.stat().st_mtime_ns <= at for name, path in _sources())


def collect_static_files() -> None:
    """Collect the static files if none were collected or sources have changed."""
    storage: Any = staticfiles_storage
    if not isinstance(storage, CollectedStaticFilesStorage):
        return
    root = Path(settings.STATIC_ROOT)
    root.mkdir(parents=True, exist_ok=True)
    with _locked_folder(root):
        storage.reload_manifest()
        if not storage.is_up_to_date():
            call_command("collectstatic", interactive=False, verbosity=0)
            storage.reload_manifest()


def served_paths() -> frozenset[str]:
    """The paths that WhiteNoise answers, before any other middleware that uses the database."""
    return frozenset(WhiteNoiseMiddleware(None).files)


def _sources() -> Iterator[tuple[str, Path]]:
    """Yield the name under which each asset is collected, and its source."""
    for finder in get_finders():
        for path, storage in finder.list(CollectedStaticFilesConfig.ignore_patterns):
            name = f"{storage.prefix}/{path}" if getattr(storage, "prefix", None) else path
            yield name.replace(os.sep, "/"), Path(storage.path(path))


@contextmanager
def _locked_folder(folder: Path) -> Iterator[None]:
    """Lock the folder, so that a second process waits and finds the files collected."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
