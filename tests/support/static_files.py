"""Assets as they lie in the source: no test waits for, or depends on, what was collected before."""

from django.conf import settings


def use_source_files() -> None:
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.WHITENOISE_AUTOREFRESH = settings.WHITENOISE_USE_FINDERS = True
