"""`namespaces/{nid}/register/`: the register directly below a namespace, and requests for entries of all registers of it.

Those below entries are at `namespaces/{nid}/entries/{entry}/register/` (`registry.api.namespaces.entries`).
"""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.actions.declarations import offered
from registry.api.framework.actions import action_method, action_view, action_views
from registry.api.framework.fields import (
    SUCCESSOR_STATUS,
    NullableCharField,
    NullableChoiceField,
    nid_field,
    parse_number,
    query_choice,
)
from registry.api.framework.methods import token_operation
from registry.api.framework.pagination import (
    FieldsField,
    KeysetPagination,
    PageQuerySerializer,
    PaginatedAPIView,
    page_of,
    page_query,
)
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.register_fields import RegisterFieldSerializer, values_field
from registry.api.namespaces.subnamespaces import ListFileSerializer, StatedFieldsField, StatedHistoryField
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID, POSITIVE_INTEGER, operation, path_parameter
from registry.publication.formats.registers import register_files
from registry.registers.actions.changes import ON_REQUEST as ON_CHANGE
from registry.registers.actions.fields import ACTIONS as FIELD_ACTIONS
from registry.registers.actions.registers import ACTIONS as REGISTER_ACTIONS
from registry.registers.actions.registers import OPEN_REGISTER, REGISTER_ENTRY
from registry.registers.actions.requests import ACTIONS as REQUEST_ACTIONS
from registry.registers.actions.requests import COMMENT_ON_REQUEST, REQUEST_ENTRY
from registry.registers.models import Entry, EntryRequest, Register, RequestComment, RequestState
from registry.registers.policies import Policy
from registry.registers.subjects import get_register, get_request_of
from registry.subnamespaces.models import Status
from registry.subnamespaces.queries import statuses_of

# The actions on a request, also on one for a change.
ON_REQUESTS = {**REQUEST_ACTIONS, **ON_CHANGE}
HOLDERS = ("person", "organisation", "none")


def address_of(register: Register) -> str:
    return api_url("register", **register.address)


class HolderSerializer(serializers.Serializer[Any]):
    """Who holds an entry or a register. People are not named."""

    kind = serializers.ChoiceField(
        choices=HOLDERS, help_text="`none`: the holder of an entry is that of its register."
    )
    organisation = serializers.IntegerField(
        allow_null=True, help_text="The number of the organisation; null if none holds it."
    )
    name = serializers.CharField(
        allow_null=True, help_text="The name of the organisation; null if none holds it."
    )


@extend_schema_field(HolderSerializer)
class HolderField(serializers.Field[Any, Any, Any, Any]):
    """The holder of an entry or a register."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, **options)

    def to_representation(self, held: Entry | Register) -> dict[str, Any]:
        organisation, controller = held.organisation, held.controller
        if organisation is not None:
            return {"kind": "organisation", "organisation": organisation.pk, "name": organisation.name}
        return {"kind": "person" if controller.is_known else "none", "organisation": None, "name": None}


class RegisterLinksSerializer(serializers.Serializer[Register]):
    """Addresses related to a register."""

    self = serializers.SerializerMethodField(help_text="The address of this resource.")
    namespace = LinkField("namespace", nid="namespace.nid", help_text="The address of the namespace.")
    entries = serializers.SerializerMethodField(help_text="The address of the entries.")
    html = PageLinkField()

    @extend_schema_field(serializers.URLField())
    def get_self(self, register: Register) -> str:
        return address_of(register)

    @extend_schema_field(serializers.URLField())
    def get_entries(self, register: Register) -> str:
        address = api_url("subnamespaces", nid=register.namespace.nid)
        return f"{address}?{urlencode({'below': register.prefix})}" if register.entry else address


class RegisterFileSerializer(ListFileSerializer):
    """The register as a file."""

    description = serializers.CharField(help_text="What the file is for.")


class RegisterSerializer(serializers.ModelSerializer[Register]):
    """A register: what its holder assigns below a namespace or an entry, and by which policy (RFC 8126, Section 4)."""

    nid = nid_field(source="namespace.nid")
    below = NullableCharField(
        source="prefix",
        help_text="The prefix of the entry below which the register stands; null directly below the NID.",
    )
    holder = HolderField(source="*", help_text="Who holds the register.")
    entry_name = serializers.CharField(help_text="What the profile calls one entry.")
    policy = serializers.ChoiceField(choices=Policy.choices, help_text="Who may add entries.")
    policy_section = serializers.CharField(
        source="terms.section", help_text="The section of RFC 8126 that defines the policy."
    )
    guidance = NullableCharField(
        help_text="What people should know before they request an entry; null without."
    )
    fields = RegisterFieldSerializer(  # type: ignore[assignment]  # a member of the JSON
        source="declared",
        many=True,
        help_text="What it asks for beside label, title and reference, in order.",
    )
    suspension_reason = NullableCharField(
        help_text="Why an administrator suspended it; null if it is active."
    )
    files = serializers.SerializerMethodField(
        help_text="The register as files. Those of the list exist from the first entry on."
    )
    links = RegisterLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = Register
        fields = (
            "nid",
            "below",
            "title",
            "holder",
            "entry_name",
            "policy",
            "policy_section",
            "guidance",
            "fields",
            "version",
            "opened_at",
            "changed_at",
            "suspended_at",
            "suspension_reason",
            "files",
            "links",
        )
        read_only_fields = fields
        extra_kwargs = {
            "title": {"help_text": "What the register contains."},
            "version": {"help_text": "The version of policy, texts and fields: 1, 2, 3 …"},
            "opened_at": {"help_text": "The time at which it was opened."},
            "changed_at": {"help_text": "The time of the last change of policy, texts or fields."},
            "suspended_at": {
                "help_text": "The time at which an administrator suspended it; null if it is active."
            },
        }

    @extend_schema_field(RegisterFileSerializer(many=True))
    def get_files(self, register: Register) -> Any:
        return RegisterFileSerializer(register_files(register), many=True).data


class RequestCommentSerializer(serializers.ModelSerializer[RequestComment]):
    """A comment on a request for an entry."""

    number = serializers.IntegerField(source="pk", help_text="The number of the comment.")
    author = serializers.CharField(help_text="The display name of the author.")

    class Meta:
        model = RequestComment
        fields = ("number", "author", "text", "created_at")
        read_only_fields = fields
        extra_kwargs = {
            "text": {"help_text": "The comment; empty if it was erased."},
            "created_at": {"help_text": "The time of the comment."},
        }


class EntryRequestLinksSerializer(serializers.Serializer[EntryRequest]):
    """Addresses related to a request for an entry."""

    self = LinkField("entry-request", nid="register.namespace.nid", number="pk")
    register = serializers.SerializerMethodField(help_text="The address of the register.")
    comments = LinkField(
        "comments-entry-request",
        nid="register.namespace.nid",
        number="pk",
        help_text="The address of the discussion.",
    )
    html = PageLinkField()

    @extend_schema_field(serializers.URLField())
    def get_register(self, request: EntryRequest) -> str:
        return address_of(request.register)


class EntryRequestSerializer(serializers.ModelSerializer[EntryRequest]):
    """A request for an entry, as the owner of the token sees it."""

    number = serializers.IntegerField(source="pk", help_text="The number of the request.")
    nid = nid_field(source="register.namespace.nid")
    entry = serializers.IntegerField(
        source="entry_id",
        allow_null=True,
        help_text="The number of the entry that it asks to change; null if it asks for a new one.",
    )
    prefix = serializers.CharField(help_text="The prefix of names that it asks for, without the NID.")
    status = NullableChoiceField(
        choices=Status.choices, help_text="The status that the entry is to get; null for a new one."
    )
    successor = NullableCharField(
        help_text="The label of the entry that is to be used instead, in the same register; null without."
    )
    reference = NullableCharField(help_text="The specification; null without.")
    fields = values_field(  # type: ignore[assignment]  # a member of the JSON
        "The values of the fields of the register, by name; also of fields that the register no longer has."
    )
    contact = NullableCharField(
        help_text="The address of the person who answers for the entry; null if none is named, and if it was erased."
    )
    note = NullableCharField(help_text="What the requester tells those who decide; null without.")
    state = serializers.ChoiceField(choices=RequestState.choices, help_text="The state of the request.")
    requested_by = serializers.CharField(help_text="The display name of the requester.")
    reason = NullableCharField(help_text="The reason of a refusal; null without.")
    actions = serializers.SerializerMethodField(
        help_text="The addresses of the actions that the user can take."
    )
    links = EntryRequestLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = EntryRequest
        fields: tuple[str, ...] = (
            "number",
            "nid",
            "entry",
            "label",
            "prefix",
            "title",
            "reference",
            "fields",
            "status",
            "successor",
            "replaces",
            "contact",
            "note",
            "version",
            "register_version",
            "state",
            "requested_by",
            "requested_at",
            "decided_at",
            "reason",
            "actions",
            "links",
        )
        read_only_fields = fields
        extra_kwargs = {
            "label": {"help_text": "The label, as it was typed."},
            "title": {"help_text": "What it is."},
            "version": {
                "help_text": "The version of the request: 1, 2, 3 … A change begins the next one, and so does asking for changes."
            },
            "replaces": {
                "help_text": "The version of the list in which the content of the entry was set that the requester read; null for a new one."
            },
            "register_version": {"help_text": "The version of the register that the requester read."},
            "requested_at": {"help_text": "The time of the request."},
            "decided_at": {"help_text": "The time at which it was decided or withdrawn; null before."},
        }

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_actions(self, request: EntryRequest) -> dict[str, str]:
        at = {"nid": request.register.namespace.nid, "number": request.pk}
        possible = offered(ON_REQUESTS, self.context["user"], request)
        return {part: api_url(f"{part}-entry-request", **at) for part in possible}


class EntryLinksSerializer(serializers.Serializer[Entry]):
    """Addresses related to an entry."""

    self = LinkField("entry", nid="register.namespace.nid", entry="pk")
    register = serializers.SerializerMethodField(help_text="The address of its register.")
    html = PageLinkField()

    @extend_schema_field(serializers.URLField())
    def get_register(self, entry: Entry) -> str:
        return address_of(entry.register)


class EntrySerializer(serializers.Serializer[Entry]):
    """An entry of a register."""

    number = serializers.IntegerField(source="pk", help_text="The number of the entry.")
    nid = nid_field(source="register.namespace.nid")
    prefix = serializers.CharField(source="subnamespace.prefix", help_text="The prefix of names.")
    title = serializers.CharField(source="subnamespace.title", help_text="What it is.")
    reference = NullableCharField(source="content.reference", help_text="The specification; null without.")
    status = serializers.ChoiceField(
        source="subnamespace.status", choices=Status.choices, help_text="Whether new names use it."
    )
    successor = NullableCharField(
        source="content.successor", help_text="The prefix that is used instead; null without."
    )
    successor_status = serializers.SerializerMethodField(help_text=SUCCESSOR_STATUS)
    version = serializers.IntegerField(
        source="subnamespace.version",
        help_text="The version of the list of sub-namespaces in which its content was set. A change names it.",
    )
    recall_ends_at = serializers.DateTimeField(
        allow_null=True,
        help_text="The end of the time in which its holder is to answer a recall; null if it is not recalled. After it, the entry can be offered to others, and its holder can still keep it until someone accepts it.",
    )
    holder = HolderField(source="*", help_text="Who holds the entry, with all names below it.")
    fields = StatedFieldsField(source="subnamespace")  # type: ignore[assignment]  # a member of the JSON
    history = StatedHistoryField(source="subnamespace")
    links = EntryLinksSerializer(source="*", help_text="Related addresses.")

    @extend_schema_field(NullableChoiceField(choices=Status.choices))
    def get_successor_status(self, entry: Entry) -> str | None:
        # Read once for all entries of a page, which are of one namespace.
        context: Any = self.context
        if "statuses" not in context:
            entries: Any = [entry] if self.parent is None else self.parent.instance
            successors = {each.content.successor for each in entries}
            context["statuses"] = statuses_of(entry.register.namespace, successors)
        statuses: dict[str, str] = context["statuses"]
        return statuses.get(entry.content.successor)


class EntryRequestQuerySerializer(PageQuerySerializer):
    """The page, and a filter."""

    state = query_choice("state", tuple(RequestState.values), help_text="Only requests with this state.")
    fields = FieldsField(EntryRequestSerializer, always="number")  # type: ignore[assignment]  # a parameter


EntryRequestPageSerializer = page_of(EntryRequestSerializer, "A page of requests, as the user sees them.")
RequestCommentQuerySerializer = page_query(RequestCommentSerializer, always="number")
NUMBER = path_parameter(
    "number", "EntryRequestNumber", "The number of a request for an entry.", 1, **POSITIVE_INTEGER
)
OF_REQUEST = {"nid": "$request.path.nid", "number": "$response.body#/number"}
TO_REGISTER = {"register": ("getRegister", OF_NAMESPACE)}
TO_REQUEST = {"request": ("getEntryRequest", OF_REQUEST)}
TO_FIRST_REQUEST = {
    "request": ("getEntryRequest", {**OF_REQUEST, "number": "$response.body#/results/0/number"})
}
SEEN_REQUESTS = "The requests that the user made. The holder of the register, its reviewers and administrators get those of others, too."
# The actions on a register whose response is the register.
ON_REGISTER = {
    part: each for part, each in {**REGISTER_ACTIONS, **FIELD_ACTIONS}.items() if each is not REGISTER_ENTRY
}


def find(user: Any, nid: str, entry: str = "") -> Register:
    """The register directly below a namespace, or below the entry with this number."""
    return get_register(registered_or_404(nid), parse_number(entry) if entry else None)


def _request(user: User, nid: str, number: str) -> EntryRequest:
    return get_request_of(user, registered_or_404(nid), parse_number(number))


def rendered_register(register: Register, user: User) -> Any:
    return RegisterSerializer(register).data


def rendered_request(request: EntryRequest, user: User) -> Any:
    return EntryRequestSerializer(request, context={"user": user}).data


# What the methods have in common that make a request.
MAKES_REQUEST: dict[str, Any] = {
    "response": EntryRequestSerializer,
    "status": HTTPStatus.CREATED,
    "location": lambda made: api_url("entry-request", nid=made.register.namespace.nid, number=made.pk),
    "refusals": (NamespaceUnknown,),
    "links": TO_REQUEST,
}


def _rendered_comment(comment: RequestComment, user: User) -> Any:
    return RequestCommentSerializer(comment).data


def rendered_entry(entry: Entry, user: User) -> Any:
    return EntrySerializer(entry).data


class RegisterView(TokenAPIView):
    """The register below a namespace."""

    max_body = OPEN_REGISTER.body_size

    @operation(
        "getRegister",
        "The register below a namespace",
        response=RegisterSerializer,
        about="Its entries are sub-namespaces of the namespace.",
        refusals=(NamespaceUnknown, NOT_FOUND),
        parameters=(NID,),
        links={"entries": ("listSubnamespaces", OF_NAMESPACE)},
    )
    def get(self, request: Request, nid: str) -> Response:
        return Response(RegisterSerializer(find(None, nid)).data)

    post = action_method(
        OPEN_REGISTER,
        lambda user, nid: registered_or_404(nid),
        rendered_register,
        response=RegisterSerializer,
        status=HTTPStatus.CREATED,
        location=address_of,
        refusals=(NamespaceUnknown,),
        parameters=(NID,),
        links=TO_REGISTER,
    )


class RequestsView(PaginatedAPIView, TokenAPIView):
    """The requests for entries of a register."""

    query = EntryRequestQuerySerializer
    max_body = REQUEST_ENTRY.body_size

    def page_of(self, request: Request, register: Register) -> HttpResponseBase:
        """Those that the user made, or decides on. Rows have the register, which remembers whether the user reviews it."""
        rows = register.requests.visible_to(self.user)
        rows = rows.select_related("requested_by", "entry__subnamespace")
        if state := self.parameters.get("state"):
            rows = rows.filter(state=state)
        return self.paginated(request, rows, EntryRequestSerializer, context={"user": self.user})


class EntryRequestListView(RequestsView):
    """The requests for entries of the register directly below a namespace."""

    @token_operation(
        "listEntryRequests",
        "Requests for entries of a register",
        scope=Scope.READ,
        response=EntryRequestPageSerializer,
        about=SEEN_REQUESTS,
        refusals=(NamespaceUnknown, NOT_FOUND),
        parameters=(NID,),
        links=TO_FIRST_REQUEST,
    )
    def get(self, request: Request, nid: str) -> HttpResponseBase:
        return self.page_of(request, find(self.user, nid))

    post = action_method(
        REQUEST_ENTRY,
        find,
        rendered_request,
        parameters=(NID,),
        **MAKES_REQUEST,
    )


class EntryRequestDetailView(TokenAPIView):
    """A request for an entry."""

    @token_operation(
        "getEntryRequest",
        "A request for an entry",
        scope=Scope.READ,
        response=EntryRequestSerializer,
        about="Only the requester, the holder of the register, its reviewers and administrators see it. While a change waits, those "
        "who hold the entry see it, too.",
        refusals=(NamespaceUnknown, NOT_FOUND),
        parameters=(NID, NUMBER),
        links={
            "comments": (
                "listEntryRequestComments",
                {"nid": "$request.path.nid", "number": "$request.path.number"},
            )
        },
    )
    def get(self, request: Request, nid: str, number: str) -> Response:
        found = _request(self.user, nid, number)
        return Response(EntryRequestSerializer(found, context={"user": self.user}).data)


class RequestCommentPagination(KeysetPagination):
    text = "text"


class RequestCommentListView(PaginatedAPIView, TokenAPIView):
    """The discussion of a request for an entry, oldest first. Those who decide and the requester can comment."""

    query = RequestCommentQuerySerializer
    pagination_class = RequestCommentPagination
    max_body = COMMENT_ON_REQUEST.body_size

    @token_operation(
        "listEntryRequestComments",
        "The discussion of a request for an entry",
        scope=Scope.READ,
        response=page_of(RequestCommentSerializer, "A page of comments."),
        about="Only those who see the request see it.",
        refusals=(NamespaceUnknown, NOT_FOUND),
        parameters=(NID, NUMBER),
    )
    def get(self, request: Request, nid: str, number: str) -> HttpResponseBase:
        comments = _request(self.user, nid, number).comments.select_related("author")
        return self.paginated(request, comments, RequestCommentSerializer)

    post = action_method(
        COMMENT_ON_REQUEST,
        _request,
        _rendered_comment,
        response=RequestCommentSerializer,
        status=HTTPStatus.CREATED,
        refusals=(NamespaceUnknown,),
        parameters=(NID, NUMBER),
        links={
            "comments": (
                "listEntryRequestComments",
                {"nid": "$request.path.nid", "number": "$request.path.number"},
            )
        },
    )


REGISTER_ACTION_VIEWS = action_views(
    ON_REGISTER,
    find,
    rendered_register,
    response=RegisterSerializer,
    refusals=(NamespaceUnknown,),
    parameters=(NID,),
    links=TO_REGISTER,
)
RegisterEntryView = action_view(
    REGISTER_ENTRY,
    find,
    rendered_entry,
    response=EntrySerializer,
    status=HTTPStatus.CREATED,
    refusals=(NamespaceUnknown,),
    parameters=(NID,),
    links={
        "sub-namespace": (
            "getSubnamespace",
            {"nid": "$request.path.nid", "prefix": "$response.body#/prefix"},
        )
    },
)
REQUEST_ACTION_VIEWS = action_views(
    {part: each for part, each in ON_REQUESTS.items() if each is not COMMENT_ON_REQUEST},
    _request,
    rendered_request,
    response=EntryRequestSerializer,
    refusals=(NamespaceUnknown,),
    parameters=(NID, NUMBER),
    links=TO_REQUEST,
)
