"""Every address below /api/, each with and without the last slash, neither a redirect."""

from django.urls import URLPattern, include, path, re_path, register_converter
from django.urls.converters import StringConverter
from rest_framework.views import APIView

from registry.api import (
    cases,
    changes,
    checking,
    comparing,
    drafts,
    entrance,
    events,
    files,
    mine,
    moves,
    namespaces,
    nids,
    registrations,
    reviews,
    rounds,
    rules,
    schema,
    urns,
    versions,
)

app_name = "api"


class TextConverter(StringConverter):
    """Any text, slashes and line breaks included."""

    regex = r"(?s:.+?)"


class SuffixConverter(StringConverter):
    """The end of a file's name, which says its format."""

    regex = "json|txt|xml|yaml"


register_converter(TextConverter, "text")
register_converter(SuffixConverter, "suffix")


def _at(route: str, view: type[APIView], name: str) -> list[URLPattern]:
    """The resource's own address, and the same with its last slash left out (or put behind a file's name)."""
    answer = view.as_view()
    other = route[:-1] if route.endswith("/") else f"{route}/"
    return [path(route, answer, name=name), path(other, answer)]


WRITING = [
    *_at("registrations/", cases.Registrations, "registrations"),
    *_at("registrations/<number>/moves/", cases.OpenMoves, "moves"),
    *_at("registrations/<number>/draft/", drafts.Draft, "draft"),
    *_at("registrations/<number>/check/", cases.Check, "check"),
    *_at("registrations/<number>/comments/", cases.Comments, "comments"),
    *(
        pattern
        for slug, resource in moves.RESOURCES.items()
        for pattern in _at(f"registrations/<number>/{slug}/", resource, slug)
    ),
    *_at("namespaces/<nid>/revise/", cases.Revise, "revise"),
    *_at("namespaces/<nid>/deprecate/", changes.Deprecate, "deprecate"),
    *_at("namespaces/<nid>/transfers/", changes.OfferTransfer, "transfers"),
    *_at("namespaces/<nid>/transfers/<number>/accept/", changes.AcceptTransfer, "accept-transfer"),
    *_at("namespaces/<nid>/transfers/<number>/refuse/", changes.RefuseTransfer, "refuse-transfer"),
    *_at("namespaces/<nid>/transfers/<number>/take-back/", changes.TakeBackTransfer, "take-back-transfer"),
    *_at("mine/", mine.Mine, "mine"),
    *_at("token/", mine.ThisToken, "token"),
]

READING_CASES = [
    *_at("registrations/<number>/", registrations.CaseDetail, "registration"),
    *_at("registrations/<number>/rounds/", rounds.RoundList, "rounds"),
    *_at("registrations/<number>/rounds/<round>/", rounds.RoundDetail, "round"),
    *_at("registrations/<number>/rounds/<round>/template.txt", rounds.RoundTemplate, "round-template"),
    *_at("registrations/<number>/reviews/", reviews.ReviewList, "reviews"),
    *_at("registrations/<number>/events/", reviews.CaseEvents, "registration-events"),
]

V1 = [
    path("", entrance.Entrance.as_view(), name="entrance"),
    *_at("namespaces/", namespaces.NamespaceList, "namespaces"),
    path("namespaces/<nid>.<suffix:suffix>", namespaces.NamespaceDetail.as_view(), name="namespace-file"),
    path("namespaces/<nid>/versions.<suffix:suffix>", versions.VersionList.as_view(), name="versions-file"),
    path(
        "namespaces/<nid>/versions/<version>.<suffix:suffix>",
        versions.VersionDetail.as_view(),
        name="version-file",
    ),
    *_at("namespaces/<nid>/", namespaces.NamespaceDetail, "namespace"),
    *_at("namespaces/<nid>/template.txt", versions.Template, "template"),
    *_at("namespaces/<nid>/rules/", rules.NamespaceRules, "namespace-rules"),
    *_at("namespaces/<nid>/versions/", versions.VersionList, "versions"),
    *_at("namespaces/<nid>/versions/<version>/", versions.VersionDetail, "version"),
    *_at("namespaces/<nid>/versions/<version>/template.txt", versions.VersionTemplate, "version-template"),
    *_at("nids/<text:nid>/", nids.NIDCheck, "nid"),
    *_at("urns/check/", checking.URNsCheck, "urns-check"),
    *_at("urns/compare/", comparing.URNsCompare, "urns-compare"),
    *_at("urns/", urns.URNByParameter, "urns"),
    *_at("urns/<text:urn>/", urns.URNDetail, "urn"),
    *_at("schema/", schema.Schema, "schema"),
    path("schema.<suffix:suffix>", schema.Schema.as_view(), name="schema-file"),
    path("schema/browse/", schema.browse, name="browse"),
    *READING_CASES,
    *WRITING,
    *_at("files/", files.FileList, "files"),
    *_at("files/<file>", files.RegistryFile, "file"),
    *_at("events/", events.EventList, "events"),
    *_at("problems/", entrance.ProblemTypes, "problems"),
    *_at("problems/<slug>/", entrance.ProblemTypeDetail, "problem"),
]

urlpatterns = [
    path("v1/", include(V1)),
    path("v1", entrance.Entrance.as_view()),
    re_path("", entrance.AnythingElse.as_view()),
]
