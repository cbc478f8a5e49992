"""Static files from the source folders, so that tests do not depend on collected files."""

from django.conf import settings


def use_source_files() -> None:
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.WHITENOISE_AUTOREFRESH = settings.WHITENOISE_USE_FINDERS = True
