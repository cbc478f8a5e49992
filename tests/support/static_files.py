"""Static files: from the source folders in tests, and collected for the servers that tests start."""

from functools import cache

from django.conf import settings
from django.test import override_settings

from registry.core.staticfiles import collect_static_files

FOLDER = settings.BASE_DIR / "static"
COLLECTED = {"BACKEND": "registry.core.staticfiles.CollectedStaticFilesStorage"}


def use_source_files() -> None:
    """Let tests not depend on collected files."""
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.WHITENOISE_AUTOREFRESH = settings.WHITENOISE_USE_FINDERS = True
    # Another worker may collect files between two runs of `publish`, which would then publish everything again.
    settings.STATIC_ROOT = FOLDER.with_name("static-of-no-test")


@cache
def collect() -> None:
    """Collect the static files of this checkout as a deployment does, if they are not up to date."""
    with override_settings(STORAGES=settings.STORAGES | {"staticfiles": COLLECTED}, STATIC_ROOT=FOLDER):
        collect_static_files()
