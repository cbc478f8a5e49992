"""Static files are collected under names with digests, as in production."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.test import override_settings

from tests.support import static_files

PRODUCTION = settings.STORAGES | {"staticfiles": static_files.COLLECTED}


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
def test_no_file_of_a_package_is_public_that_no_page_loads(collected: Path) -> None:
    paths = json.loads((collected / "staticfiles.json").read_text())["paths"]
    of_packages = [name for name in paths if "/" in name and not name.startswith("admin/")]
    templates = "".join(path.read_text() for path in (settings.BASE_DIR / "templates").rglob("*.html"))
    loaded = {*re.findall(r"static '(\w+/[^']+)'", templates), "django_htmx/htmx-2.min.js"}
    assert loaded <= {*of_packages}
    assert {name for name in of_packages if name not in loaded} == {
        "account/js/account.js",
        "mfa/js/recovery_codes.js",
        "django_htmx/django-htmx.js",  # with DEBUG
        "drf_spectacular_sidecar/swagger-ui-dist/LICENSE",
        "drf_spectacular_sidecar/swagger-ui-dist/favicon-32x32.png",
        "drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt",
        "drf_spectacular_sidecar/swagger-ui-dist/swagger-ui.css.map",  # the style sheet names it
    }


@pytest.mark.xdist_group("static files")
def test_the_stylesheets_of_all_pages_stay_small_and_load_nothing(collected: Path) -> None:
    named = re.findall(r"static '(\w+\.css)'", (settings.BASE_DIR / "templates" / "base.html").read_text())
    assert named[0] == "site.css"
    for sheet in (collected / name for name in named):
        assert not {"url(", "@import"} & set(re.findall(r"url\(|@import", sheet.read_text()))
    # What a first round trip carries.
    assert sum((collected / f"{name}.gz").stat().st_size for name in named) < 14_000
