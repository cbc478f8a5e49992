"""`cases/`: the public cases, new cases, a case with the transitions that are open to the user, and its events."""

from http import HTTPStatus
from typing import Any

from django.db.models import Prefetch, Q, prefetch_related_objects
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.cases.proposed_profiles import ProposedProfileRequestSerializer
from registry.api.cases.queries import (
    CASE_LINKS,
    DRAFT_LINKS,
    OF_CASE,
    CaseSearchSerializer,
    CaseUnknown,
    filtered_cases,
    public_case,
    visible_case,
)
from registry.api.cases.serializers import (
    CaseDetailSerializer,
    CaseSerializer,
    CreatedCaseSerializer,
    ParticipantCaseSerializer,
)
from registry.api.framework.fields import (
    EmptyRequestSerializer,
    NIDField,
    QueryBooleanField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
    UpdatedSinceField,
    body_choice,
    query_choice,
)
from registry.api.framework.methods import token_operation, write_operation
from registry.api.framework.pagination import (
    AFTER,
    FieldsField,
    KeysetPagination,
    PageSizeField,
    PaginatedAPIView,
    page_of,
    page_query,
)
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import api_url
from registry.api.framework.views import PublicAPIView, TokenAPIView
from registry.api.namespaces.views import NamespaceUnknown, registered_or_404
from registry.api.organisations.fields import OrganisationFilterField
from registry.api.registration_template import (
    SectionsField,
    SectionsRefused,
    TemplateUnreadable,
    read_sections,
    read_template,
)
from registry.api.schema.operations import NID, NUMBER, operation
from registry.api.schema.token_operations import OPTIONAL_TEXT_PROBLEMS
from registry.audit_log.models import Event
from registry.cases.drafts import drafts
from registry.cases.forms.cases import NewCaseForm
from registry.cases.models import PUBLIC_STATES, Case, CoEditor, Invitation, Procedure
from registry.core.exceptions import NotPermitted
from registry.core.pagination import Keyset, in_both_directions
from registry.core.validators import BodySize
from registry.events.events import EventSerializer, with_publicity
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.registration_template.parsing.parser import ParsedTemplate
from registry.registration_template.template import RegistrationTemplate

KEYSETS = in_both_directions(
    {
        "number": Keyset("pk"),
        "state": Keyset("state", "state_since", "pk"),
        "state_since": Keyset("state_since", "pk"),
        "changed_at": Keyset("changed_at", "pk"),
    }
)
KEY = r"([a-z_]{1,24}\.)?([0-9]{1,17}\.)?[0-9]{1,18}"


@extend_schema_field({"type": "string", "pattern": f"^{KEY}$"})
class CaseKeyField(serializers.RegexField):
    """The key after which a page starts: the number of a case, after its state or a time in another order."""

    def __init__(self, **options: Any) -> None:
        message = "“after” must be the key of an entry, as in `next`."
        super().__init__(rf"^{KEY}\Z", error_messages={"invalid": message}, trim_whitespace=False, **options)


class CaseQuerySerializer(CaseSearchSerializer):
    """Filters and order of the list."""

    state = query_choice("state", PUBLIC_STATES, help_text="Only cases in this state.")
    kind = query_choice("kind", tuple(Kind.values), help_text="Only cases for namespaces of this kind.")
    procedure = query_choice(
        "procedure", tuple(Procedure.values), help_text="Only cases that follow this procedure."
    )
    is_open = QueryBooleanField(
        required=False, help_text="Only open cases (`true`), or closed ones (`false`)."
    )
    is_revision = QueryBooleanField(
        required=False, help_text="Only revisions of namespaces (`true`), or requests for new ones (`false`)."
    )
    nid = NIDField(required=False, help_text="The NID that is requested, revised or registered.")
    organisation = OrganisationFilterField("cases")
    updated_since = UpdatedSinceField("cases")
    ordering = query_choice(
        "ordering",
        tuple(KEYSETS),
        default="-number",
        help_text="Sort key. Prefix it with `-` for descending order. Cases in one state are in the order of `state_since`.",
    )
    fields = FieldsField(CaseSerializer, always="number")  # type: ignore[assignment]  # a parameter
    after = CaseKeyField(required=False, help_text=AFTER)
    page_size = PageSizeField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        after = attrs.get("after")
        if after and KEYSETS[attrs["ordering"]].parse(Case.objects.all(), after) is None:
            raise ValidationError({"after": "“after” is not a key of this order. Use the address in `next`."})
        return attrs


class CasePagination(KeysetPagination):
    """Pages in the order of the parameter `ordering`."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.keyset = KEYSETS[view.parameters["ordering"]]
        return super().paginate_queryset(queryset, request, view)


class CreateCaseRequestSerializer(StrictSerializer):
    """A new case. Its template may be included, as sections or as plain text."""

    kind = body_choice(Kind.choices, help_text="The kind of namespace: formal or informal.")
    procedure = body_choice(
        Procedure.choices,
        default=Procedure.COMMUNITY,
        help_text="The procedure of RFC 8141, Section 6: by experts, or the fast track.",
    )
    body = StrictCharField(default="", help_text="The name of the requesting body, on the fast track.")
    standards_action = StrictBooleanField(
        required=False, help_text="Whether a standard is expected to define the namespace."
    )
    sections = SectionsField(
        required=False, help_text="The sections of the registration template. Omitted sections are empty."
    )
    profile = ProposedProfileRequestSerializer(
        required=False, allow_null=True, help_text="The proposed profile; null states nothing."
    )
    organisation = StrictIntegerField(
        default=None,
        allow_null=True,
        help_text="The number of an organisation that you represent or for which you edit, if the case is to belong to it.",
    )
    template = StrictCharField(default="", help_text="The completed template, as plain text.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["template"] and "sections" in attrs:
            raise ValidationError({"template": ["Send the template as text or as sections, not as both."]})
        return attrs


class CaseListView(PaginatedAPIView, TokenAPIView):
    """The public cases, the latest first. A case is public from its first submission on."""

    query = CaseQuerySerializer
    pagination_class = CasePagination
    knows_etags = True
    max_body = BodySize.TEMPLATE

    @operation(
        "listCases",
        "All cases",
        response=page_of(CaseSerializer, "A page of cases."),
        links={"case": ("getCase", {"number": "$response.body#/results/0/number"})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        return self.paginated(request, filtered_cases(self.parameters), CaseSerializer)

    @write_operation(
        "createCase",
        "Start a case for a new namespace",
        scope=Scope.WRITE,
        request=CreateCaseRequestSerializer,
        response=CreatedCaseSerializer,
        status=HTTPStatus.CREATED,
        about="Until it is submitted, the case is a draft that only its editors can see. Location is the draft.",
        refusals=(SectionsRefused, TemplateUnreadable, NOT_FOUND, *OPTIONAL_TEXT_PROBLEMS),
        links=DRAFT_LINKS,
    )
    def post(self, request: Request) -> Response:
        body = self.validated_data(CreateCaseRequestSerializer)
        parsed = read_template(body["template"]) if body["template"] else None
        template = parsed.template if parsed else read_sections(body.get("sections", {}))
        choices = {key: body[key] for key in ("standards_action",) if key in body}
        if "profile" in body:
            choices["profile"] = body["profile"] or ProposedProfile()
        case = _begin(body, by=self.user, template=template, **choices)
        return _created(case, self.user, parsed)


def _begin(body: dict[str, Any], *, by: User, template: RegistrationTemplate, **choices: Any) -> Case:
    """Create a case with the form of the page. Raises ValidationError, and NotPermitted of another organisation."""
    form = NewCaseForm({key: body[key] for key in ("kind", "procedure", "body", "organisation")}, by=by)
    if "organisation" in form.errors:
        raise NotPermitted(f"There is no organisation {body['organisation']} for which you can start a case.")
    if not form.is_valid():
        raise ValidationError({name: list(map(str, errors)) for name, errors in form.errors.items()})
    return form.create(by=by, template=template, **choices)


def _created(case: Case, by: User, parsed: ParsedTemplate | None = None) -> Response:
    # A new case has no rounds, co-editors or invitations, so there is nothing to query.
    case.latest_round = None
    prefetch_related_objects([case], Prefetch("co_editors", CoEditor.objects.none()))
    prefetch_related_objects([case], Prefetch("invitations", Invitation.objects.none()))
    body = CreatedCaseSerializer(case, context={"user": by, "reading": parsed}).data
    return Response(body, HTTPStatus.CREATED, headers={"Location": api_url("draft", number=case.pk)})


class CaseDetailView(PublicAPIView):
    """One case, with its rounds and its competing cases."""

    @operation(
        "getCase",
        "One case",
        response=CaseDetailSerializer,
        refusals=[CaseUnknown],
        parameters=[NUMBER],
        links={
            "round": ("getRound", {**OF_CASE, "round": "$response.body#/rounds/0/round"}),
            "rounds": ("listRounds", OF_CASE),
            "reviews": ("listReviews", OF_CASE),
            "comments": ("listComments", OF_CASE),
            "events": ("listCaseEvents", OF_CASE),
            "namespace": ("getNamespace", {"nid": "$response.body#/namespace"}),
        },
    )
    def get(self, request: Request, number: str) -> Response:
        return Response(CaseDetailSerializer(public_case(number)).data)


class CaseActionsView(TokenAPIView):
    """A case or draft, with the actions that are open to the owner of the token."""

    @token_operation(
        "getCaseActions",
        "The actions open in a case",
        scope=Scope.READ,
        response=ParticipantCaseSerializer,
        about="The case as the owner of the token sees it, with the actions that are open to them now.",
        refusals=(NOT_FOUND,),
        parameters=(NUMBER,),
        links=CASE_LINKS,
    )
    def get(self, request: Request, number: str) -> Response:
        case = visible_case(number, self.user)
        return Response(ParticipantCaseSerializer(case, context={"user": self.user}).data)


class ReviseNamespaceView(TokenAPIView):
    """`namespaces/{nid}/revise/`: start a revision of a namespace."""

    @write_operation(
        "reviseNamespace",
        "Start a revision of a namespace",
        scope=Scope.WRITE,
        request=EmptyRequestSerializer,
        response=CreatedCaseSerializer,
        status=HTTPStatus.CREATED,
        about="Only the registrant can start a revision. The draft contains the current text.",
        refusals=(NamespaceUnknown,),
        parameters=(NID,),
        links=DRAFT_LINKS,
    )
    def post(self, request: Request, nid: str) -> Response:
        self.validated_data(EmptyRequestSerializer)
        namespace = registered_or_404(nid, Namespace.objects.select_related("latest"))
        return _created(drafts.start_revision(namespace, by=self.user), self.user)


CaseEventQuerySerializer = page_query(EventSerializer, always="number")


class CaseEventPagination(KeysetPagination):
    text = "reason"


class CaseEventListView(PaginatedAPIView):
    """The events of a case in order, from its first submission on."""

    query = CaseEventQuerySerializer
    pagination_class = CaseEventPagination
    knows_etags = True

    @operation(
        "listCaseEvents",
        "The events of a case",
        response=page_of(EventSerializer, "A page of events of a case.", "CaseEvent"),
        refusals=[CaseUnknown],
        parameters=[NUMBER],
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        case = public_case(number)
        events = with_publicity(Event.objects.of_case(case.pk)).filter(Q(is_public=True))
        return self.paginated(request, events.select_related("actor"), EventSerializer)
