"""Assets as `manage.py collectstatic` collects them, and whether those that are collected are still the source's."""

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
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]


class CollectedStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Each file comes under its name when it is whole, so that whoever is killed leaves no half of one.

    What is newer than its source, or has the digest in its name, is never looked at again.
    """

    def _save(self, name: str, content: Any) -> str:
        beside: str = super()._save(f"{name}.new", content)
        Path(self.path(beside)).replace(self.path(name))
        return name

    def reload_manifest(self) -> None:
        """Others may have collected since this process began."""
        self.hashed_files, self.manifest_hash = self.load_manifest()

    def is_up_to_date(self) -> bool:
        """The list of what was collected is written last, so each source is older."""
        written = Path(self.path(self.manifest_name))
        if not written.exists():
            return False
        at = written.stat().st_mtime_ns
        return all(name in self.hashed_files and path.stat().st_mtime_ns <= at for name, path in _sources())


def collect_static_files() -> None:
    """Let pages name the assets of the source, where nothing was collected or they were changed since."""
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


def _sources() -> Iterator[tuple[str, Path]]:
    """Every asset by the name under which it is collected."""
    for finder in get_finders():
        for path, storage in finder.list(StaticFilesConfig.ignore_patterns):
            name = f"{storage.prefix}/{path}" if getattr(storage, "prefix", None) else path
            yield name.replace(os.sep, "/"), Path(storage.path(path))


@contextmanager
def _locked_folder(folder: Path) -> Iterator[None]:
    """One after the other: whoever comes second finds all collected."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
