"""Static files are collected under names with digests, as in production."""

import re
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
def test_the_stylesheets_of_all_pages_stay_small_and_load_nothing(collected: Path) -> None:
    named = re.findall(r"static '(\w+\.css)'", (settings.BASE_DIR / "templates" / "base.html").read_text())
    assert named[0] == "site.css"
    for sheet in (collected / name for name in named):
        assert not {"url(", "@import"} & set(re.findall(r"url\(|@import", sheet.read_text()))
    # What a first round trip carries.
    assert sum((collected / f"{name}.gz").stat().st_size for name in named) < 14_000
