"""Publishing static files: content, links, and exclusion of pages that are not public."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.decorators import login_not_required
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path

from registry.api.urls import WRITE_PATHS
from registry.audit_log.heads import publish_head
from registry.publication.atomic_files import current_folder
from registry.publication.snapshot.manifest import verify
from registry.publication.snapshot.pages import PUBLISHED
from registry.publication.snapshot.publisher import publish
from registry.publication.snapshot.rendering import NotPublishable, SiteRenderer
from tests.contracts import test_url_table as url_table
from tests.publication.snapshot.registries import deprecate, files, imported, people, read
from tests.support.databases import a_fresh_database
from tests.support.factories import a_namespace, describe

LINK = re.compile(rb'(?:href|src|action)="([^"]*)"')
COPY = re.compile(rb'<p class="copy">.*?</p>')

# Public views whose pages are no part of a snapshot, each with the reason.
ASKED = "its answer depends on what is asked"
DISCUSSED = "cases are under discussion: not every word of it is an event"
FOR_PROGRAMS = "for programs that write"
AGAIN = "the same stands at the address without the format's name"
LIVING = {
    "mailbox": "only the demonstration has it",
    "namespaces:compare": ASKED,
    "check_name": ASKED,
    "registers:register": "its button leads to a form of the living site",
    "registers:versions": "goes with its register",
    "registers:entry": "leads to the page of a sub-namespace",
    "api:entries": ASKED,
    "api:entry": "goes with its register",
    "publication:register_file": "goes with its register",
    "publication:register_feed": "goes with its register",
    "publication:register_schema": "goes with the registers",
    "api:subnamespaces": ASKED,
    "api:subnamespace": ASKED,
    "namespaces:compare_profiles": ASKED,
    "namespaces:profile_version": "the current one stands on the page of the profile",
    "organisations:detail": DISCUSSED,
    "urns:check": ASKED,
    "account:confirm_bounced_address": "needs the link of a mail",
    "custody:object_by_link": "needs the link of a mail",
    "custody:confirm_by_link": "needs the link of a mail",
    "cases:nids": ASKED,
    "cases:list": DISCUSSED,
    "cases:detail": DISCUSSED,
    "cases:compare": ASKED,
    "cases:template": "goes with its case",
    "cases:unsubscribe_by_mail": "needs a link from a mail",
    "api": "leads to the documentation",
    **dict.fromkeys(("openapi", "openapi_yaml"), "leads to the file"),
    **{
        f"documentation:{page}": "explains how to use the living API"
        for page in ("start", "docs", "guide", "reference", "group", "problems", "problem")
    },
    "api:namespace-profile": "the current profile is part of the namespace",
    "api:root": "tells of addresses with questions in them",
    "api:namespaces": ASKED,
    "api:namespace-file": AGAIN,
    "api:versions-file": AGAIN,
    "api:version-file": AGAIN,
    "api:subnamespaces-file": AGAIN,
    "api:subnamespace-file": AGAIN,
    "api:namespace-template": "the same text stands below the version",
    "api:version-template": "the same text stands with the pages",
    "api:nid": ASKED,
    "api:urns": ASKED,
    "api:urn": ASKED,
    "api:check-urns": ASKED,
    "api:check-urns-file": ASKED,
    "api:compare-urns": ASKED,
    "api:look-up-namespaces": ASKED,
    "api:event-stream": "tells of events as they occur",
    "api:schema": "its format depends on what is asked; each stands in a file of its own",
    "api:schema-browser": "tries the living API out",
    "api:file": "the same file stands with the pages",
    "resolution:resolve": ASKED,
    "resolution:uri_service": ASKED,
    "resolution:without_urn": ASKED,
    "resolution:without_service": ASKED,
    "api:resolve": ASKED,
    "api:resolve-file": ASKED,
    "sightings:detail": "links of the list lead to the living site",
    "services:list": "changes every day without an event",
    "api:services": "changes every day without an event",
    "api:statistics": "changes every day without an event",
    "api:namespace-events": "the history stands on the page of the namespace",
    "api:compare-profiles": ASKED,
    "api:compare-versions": ASKED,
    "api:compare-rounds": ASKED,
    "api:events": ASKED,
    "api:event-head": "is newer with every event",
    "api:audit-log": "the keys stand on the page",
    "api:heads": ASKED,
    "audit_log:proof": "computed from the tiles",
    "namespaces:version_proof": "leads to the living site",
    "namespaces:profile_proof": "leads to the living site",
    "subnamespaces:proof": "leads to the living site",
    "api:consistency-proof": ASKED,
    "api:head": "the newest stands with the pages",
    "api:head-note": "the newest stands with the pages",
    "api:case": DISCUSSED,
    "api:rounds": DISCUSSED,
    "api:round": "goes with its case",
    "api:round-template": "goes with its case",
    "api:reviews": "goes with its case",
    "api:case-events": "goes with its case",
    **{f"api:{pattern.name}": FOR_PROGRAMS for pattern in WRITE_PATHS if pattern.name},
    "api:cases": DISCUSSED,
    "api:problems": "what the living API may refuse",
    "api:problem": "what the living API may refuse",
    "metrics": "needs a token",
    **dict.fromkeys(("health", "health_live", "health_ready"), "tells the state of the running site"),
    **{
        f"publication:{name}": "lists the pages of the living site"
        for name in ("sitemap", "sitemap_pages", "sitemap_namespaces", "sitemap_after", "robots")
    },
    "api_catalog": "names the living API",
    "security_txt": "names the contact of the running site",
    "change_password": "leads to a form of the running site",
}


pytestmark = pytest.mark.usefixtures("real_database")


# What is in it


def test_every_public_view_is_published_or_stays_for_a_reason() -> None:
    public = {
        each.name
        for each in url_table.every_address()
        if each.is_open
        and each.path
        and not each.name.startswith(("account_", "mfa_", "socialaccount_", "openid_connect_"))
    }
    assert public - PUBLISHED == set(LIVING)
    assert public >= PUBLISHED


def test_a_page_equals_that_of_the_site_except_for_links_and_the_copy_notice(
    tmp_path: Path, client: Client, settings: Any
) -> None:
    settings.IS_DEMONSTRATION = False
    imported("example-a")
    publish_head()  # until then, the site has words in place of a link to a proof
    publish(tmp_path)
    for address, name in (
        ("/namespaces/example-a/", "namespaces/example-a/index.html"),
        ("/api/v1/namespaces/example-a/", "api/v1/namespaces/example-a/index.json"),
    ):
        living = client.get(address, headers={"host": "localhost:8000"}).content
        published = (tmp_path / "current" / name).read_bytes()
        assert shortened(published) == shortened(living)


def shortened(page: bytes) -> bytes:
    return b" ".join(LINK.sub(b"", COPY.sub(b"", page)).split())


def test_stylesheets_and_what_they_name_are_there(tmp_path: Path, settings: Any) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    (assets / "extra.css").write_text(
        '@import "more.css"; a { background: url(dot.svg) } b { src: url(data:x) }'
    )
    (assets / "more.css").write_text("c { background: url('./dot.svg?#iefix') }")
    (assets / "dot.svg").write_text("<svg/>")
    settings.STATICFILES_DIRS = [assets, *settings.STATICFILES_DIRS]
    from registry.publication.snapshot.rendering import AssetMissing, with_dependencies

    assert set(with_dependencies({"/static/extra.css"})) == {
        "static/extra.css",
        "static/more.css",
        "static/dot.svg",
    }
    with pytest.raises(AssetMissing, match="collectstatic"):
        with_dependencies({"/static/not-there.css"})


@pytest.mark.soak
def test_two_runs_of_one_registry_are_equal_to_the_byte(
    demonstration_database: None, a_published_demonstration: Path, tmp_path: Path
) -> None:
    publish(tmp_path)
    assert files(tmp_path / "current") == files(a_published_demonstration / "current")


@pytest.mark.exhaustive
def test_an_empty_registry_can_be_published(tmp_path: Path) -> None:
    publish(tmp_path)
    assert verify(tmp_path).faults == []
    assert "No namespaces" in read(tmp_path, "browse/first/index.html")


@pytest.mark.exhaustive
def test_a_restored_registry_is_published_equally(tmp_path: Path) -> None:
    imported("example-a", "example-b")
    a_namespace(**people())
    describe("example-a", title="Two trees")
    deprecate("example-trees")
    publish_head()
    publish(tmp_path / "a")
    check_that_restored_it_is_equal(tmp_path / "a", tmp_path)


@pytest.mark.exhaustive
def test_a_snapshot_of_another_registry_is_replaced_as_a_whole(tmp_path: Path) -> None:
    imported("example-a", "example-b")
    publish(tmp_path)
    with a_fresh_database():
        imported("example-c")
        done = publish(tmp_path)
    assert done.is_whole
    assert not (tmp_path / "current" / "namespaces" / "example-a").exists()


@pytest.mark.soak
def test_the_restored_demonstration_is_published_equally(
    demonstration_database: None, a_published_demonstration: Path, tmp_path: Path
) -> None:
    check_that_restored_it_is_equal(a_published_demonstration, tmp_path)


def check_that_restored_it_is_equal(published: Path, folder: Path) -> None:
    call_command("escrow", str(folder / "escrow"), stdout=StringIO())
    with a_fresh_database():
        call_command("escrow", "--restore", str(folder / "escrow"), stdout=StringIO())
        publish(folder / "b")
    assert files(folder / "b" / "current") == files(published / "current")


# Pages that are not public


@login_not_required
def with_a_cookie(request: HttpRequest) -> HttpResponse:
    response = HttpResponse("hello")
    response.set_cookie("who", "you")
    return response


@login_not_required
def with_a_token(request: HttpRequest) -> HttpResponse:
    return HttpResponse('<input name="csrfmiddlewaretoken" value="x">')


urlpatterns = [
    path("cookie/", with_a_cookie),
    path("token/", with_a_token),
    path("", include("registry.urls")),
]


@pytest.mark.sampled(4)
@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize("address", ["/cookie/", "/token/", "/nowhere/", "/mine/"])
def test_a_page_that_depends_on_the_visitor_is_rejected(address: str) -> None:
    with pytest.raises(NotPublishable, match=address):
        SiteRenderer().file(address)


@pytest.mark.exhaustive
def test_nothing_is_published_with_debug_on(tmp_path: Path, settings: Any) -> None:
    settings.DEBUG = True
    with pytest.raises(NotPublishable, match="DEBUG"):
        publish(tmp_path)
    assert current_folder(tmp_path) == ""
