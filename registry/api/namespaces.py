"""`namespaces/` and `namespaces/{nid}/`: what is registered."""

import re
from http import HTTPStatus
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, QuerySet
from django.utils.http import http_date
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.description import NID, in_formats, operation, with_members
from registry.api.namespace_shapes import STATUSES, NamespaceDetailSerializer, NamespaceSerializer, in_lines
from registry.api.nids import case_links
from registry.api.pages import Page, PageSizeField, cut, in_json, page
from registry.api.parameters import DayField, NIDField, WordsField, YesOrNoField, one_of
from registry.api.problem_shapes import NIDProblem
from registry.api.renderers import PlainTextRenderer, XMLRenderer
from registry.api.resources import PublicResource, address
from registry.errors import RegistryError
from registry.namespaces import answers
from registry.namespaces.models import Kind, Namespace, Revision
from registry.namespaces.search import MOST, Question, Sorting, found_by, listed
from registry.registrations.nid_reports import NIDReport, report_on
from urnsyntax.nid import NID_PATTERN

ORDERINGS = ("nid", "-nid", "registered_on", "-registered_on", "updated_on", "-updated_on")
OF_NAMESPACE = {"nid": "$response.body#/nid"}
DATE_OR_NONE = re.compile("([0-9]{4}-[0-9]{2}(-[0-9]{2})?)?")


@with_members(
    NIDProblem,
    nid="example-forest",
    nid_status="requested",
    section="6.2",
    position=None,
    rule=None,
    pointed=None,
    cases=[{"case": 12, "html": "https://registry.example.org/registrations/12/"}],
)
class NamespaceUnknown(RegistryError):
    """No namespace is registered under this NID; `nid_status` says whether one could be."""

    status = HTTPStatus.NOT_FOUND
    title = "No such namespace"

    def __init__(self, report: NIDReport) -> None:
        super().__init__(report.reason)
        self.members: dict[str, Any] = {
            "nid": report.nid,
            "nid_status": report.status.value,
            "section": report.section,
            "position": report.fault.position if report.fault else None,
            "rule": report.fault.rule if report.fault else None,
            "pointed": report.fault.pointed() if report.fault else None,
            "cases": case_links(report),
        }


@extend_schema_field({"type": "string", "pattern": f"^({DATE_OR_NONE.pattern},)?({NID_PATTERN})$"})
class AfterField(NIDField):
    """Where a page begins: after a NID, in another order than that of the NIDs with its date before it."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is serializers.empty:
            return super().run_validation(data)
        date, comma, nid = str(data).rpartition(",")
        if not DATE_OR_NONE.fullmatch(date):
            self.fail("blank", name=self.field_name)
        return f"{date}{comma}{super().run_validation(nid)}"


class NamespaceQuery(serializers.Serializer[Any]):
    """What the list can be asked. `updated_since` asks the registry's dates, the day of deprecation too."""

    kind = one_of("kind", tuple(Kind.values))
    status = one_of("status", STATUSES)
    registrant = WordsField(
        required=False, allow_blank=True, help_text="Words of the registrant's name, or how they begin."
    )
    q = WordsField(required=False, allow_blank=True, help_text="Words to search for.")
    updated_since = DayField(required=False)
    has_rules = YesOrNoField(required=False, help_text="Whether rules for names are set.")
    ordering = one_of("ordering", ORDERINGS, default="nid", help_text="By what; “-” is downwards.")
    after = AfterField(required=False)
    page_size = PageSizeField()


class NamespacePage(Page):
    """Some namespaces."""

    results = NamespaceSerializer(many=True)
    is_cut = serializers.BooleanField(
        help_text=f"Whether more than {MOST} have the words, so that some of them are left out on all pages."
    )


class NamespaceList(PublicResource):
    """All namespaces, in pages that stay right while namespaces are added.

    `next` and the header Link lead to the next page; `after` is the key that the page begins behind.
    """

    query = NamespaceQuery

    @operation(
        "namespaces",
        "All namespaces",
        answers=NamespacePage,
        parameters=[NamespaceQuery],
        links={
            "namespace": ("namespace", {"nid": "$response.body#/results/0/nid"}),
            "next page": ("namespaces", {"after": "$response.body#/results/0/nid"}),
        },
    )
    def get(self, request: Request) -> Response:
        asked = self.parameters
        chosen, is_cut = _chosen(asked)
        found, has_more = cut(chosen, asked["page_size"], lambda each: len(each.purpose))
        column = asked["ordering"].removeprefix("-")
        after = {"after": _key(found[-1], column)} if has_more else {}
        answer = page(request, in_json(NamespaceSerializer, found), address("namespaces"), **after)
        answer.data["is_cut"] = is_cut
        return answer


def _key(last: Namespace, column: str) -> str:
    """What `after` is for the page that follows. It holds the date, which may be another one by then."""
    return last.nid if column == "nid" else f"{getattr(last, column)},{last.nid}"


def _chosen(asked: dict[str, Any]) -> tuple[QuerySet[Namespace], bool]:
    """The namespaces that are asked for, those after `after`, in order; and whether a search left some out."""
    kind, status, since = (asked.get(name, "") for name in ("kind", "status", "updated_since"))
    words, registrant = (asked.get(name, "").strip() for name in ("q", "registrant"))
    sorting, how_many = _sorting(asked["ordering"], asked.get("after", "")), asked["page_size"] + 1
    question = Question(
        words, kind, status, registrant=registrant, since=since, has_rules=asked.get("has_rules")
    )
    if words or registrant:
        found, is_cut = found_by(question, sorting, how_many)
        return _brief(found), is_cut
    return listed(_brief(Namespace.objects.all()), question.chosen, sorting, how_many, since), False


def _brief(found: QuerySet[Namespace]) -> QuerySet[Namespace]:
    """Without their texts, which no list shows."""
    return found.select_related("latest").defer("latest__content", "latest__text")


def _sorting(ordering: str, after: str) -> Sorting:
    """By a column and, where that says the same of several, by NID; beyond the key `after`."""
    column, descends = ordering.removeprefix("-"), ordering.startswith("-")
    date, _, nid = after.rpartition(",")
    beyond = (nid,) if column == "nid" else (date, nid)
    return Sorting("" if column == "nid" else column, descends, beyond if nid else ())


class NamespaceDetail(PublicResource):
    """One namespace, by its NID in any case of letters. A deprecated one says so, and is still here.

    As plain text: what is known of it, and its current template. An address that ends in .json, .txt or .xml
    (`namespaces/isbn.txt`) asks for that format, whatever Accept says.
    """

    renderer_classes = (JSONRenderer, PlainTextRenderer, XMLRenderer)
    element = "namespace"

    @operation(
        "namespace",
        "One namespace",
        answers=in_formats(NamespaceDetailSerializer),
        refusals=[NamespaceUnknown],
        parameters=[NID],
        links={
            "versions": ("versions", OF_NAMESPACE),
            "version": ("version", {**OF_NAMESPACE, "version": "$response.body#/version"}),
            "template": ("template", OF_NAMESPACE),
            "NID check": ("nid_check", OF_NAMESPACE),
            "rules": ("rules", OF_NAMESPACE),
            "set rules": ("set_rules", OF_NAMESPACE),
            "revise": ("revise", OF_NAMESPACE),
            "deprecate": ("deprecate", OF_NAMESPACE),
            "offer": ("offer_transfer", OF_NAMESPACE),
        },
    )
    def get(self, request: Request, nid: str, suffix: str = "") -> Response:
        self.namespace = namespace = registered(nid, in_full())
        body = NamespaceDetailSerializer(namespace).data
        headers = {"Last-Modified": http_date(namespace.changed_at.timestamp())}
        if isinstance(request.accepted_renderer, JSONRenderer):
            # The same text, octet for octet, that the fast lookup sends (registry.api.front).
            headers["ETag"] = answers.etag(namespace.digest)  # type: ignore[attr-defined]
        return Response(body, headers=headers)

    def in_words(self, body: dict[str, Any]) -> str:
        """What is known, a line each, and the template if it is here."""
        latest = self.namespace.latest
        return "\n".join(in_lines(body)) + "\n" + (f"\n{latest.text}" if latest else "")


def in_full() -> QuerySet[Namespace]:
    """Namespaces with all that an answer needs, in one query."""
    versions = Revision.objects.filter(namespace=OuterRef("pk")).order_by("version").values("version")
    everything = Namespace.objects.select_related("latest", "successor", "rules").annotate(
        versions=ArraySubquery(versions), digest=F("answer__digest")
    )
    return everything.defer("latest__text")


def registered(nid: str, namespaces: QuerySet[Namespace] | None = None) -> Namespace:
    """The namespace, or NamespaceUnknown, which says what else the NID is."""
    report = report_on(nid, namespaces)
    if report.namespace is None:
        raise NamespaceUnknown(report)
    return report.namespace
