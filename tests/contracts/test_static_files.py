"""Static files are collected under names with digests, as in production."""

from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.test import override_settings

PRODUCTION = {
    **settings.STORAGES,
    "staticfiles": {"BACKEND": "registry.core.staticfiles.CollectedStaticFilesStorage"},
}


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("static")
    with override_settings(STORAGES=PRODUCTION, STATIC_ROOT=folder):
        call_command("collectstatic", interactive=False, verbosity=0)
        assert staticfiles_storage.url("site.css") != "/static/site.css"
    return folder


@pytest.mark.slow
@pytest.mark.xdist_group("static files")
def test_every_file_that_pages_name_is_collected(collected: Path) -> None:
    assert {"site.css", "icon.svg", "staticfiles.json"} <= {path.name for path in collected.iterdir()}


@pytest.mark.xdist_group("static files")
def test_the_stylesheet_stays_small_and_loads_nothing(collected: Path) -> None:
    sheet = (collected / "site.css").read_text()
    assert "url(" not in sheet
    assert "@import" not in sheet
    assert (collected / "site.css.gz").stat().st_size < 14_000  # what a first round trip carries
