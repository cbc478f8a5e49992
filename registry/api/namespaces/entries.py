"""`namespaces/{nid}/entries/`: entries of registers and their holders, changes and offers of them, and the registers below them."""

from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.actions.declarations import offered
from registry.api.framework.actions import action_method, action_view, action_views
from registry.api.framework.fields import nid_field, parse_number
from registry.api.framework.methods import token_operation
from registry.api.framework.pagination import (
    FieldsField,
    PageQuerySerializer,
    PaginatedAPIView,
    page_of,
    page_query,
)
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.urls import LinkField, PageLinkField, api_url
from registry.api.framework.views import PublicAPIView, TokenAPIView
from registry.api.namespaces.actions import OFFER_KWARGS
from registry.api.namespaces.registers import (
    MAKES_REQUEST,
    ON_REGISTER,
    SEEN_REQUESTS,
    TO_FIRST_REQUEST,
    EntryRequestPageSerializer,
    EntrySerializer,
    RegisterSerializer,
    RequestsView,
    address_of,
    find,
    rendered_entry,
    rendered_register,
    rendered_request,
)
from registry.api.namespaces.subnamespaces import PrefixField
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID, POSITIVE_INTEGER, operation, path_parameter
from registry.registers.actions.changes import CHANGE_ENTRY
from registry.registers.actions.entries import ANSWERS, OFFER_ENTRY, OPEN_BRANCH
from registry.registers.actions.recalls import ACTIONS as RECALLS
from registry.registers.actions.registers import REGISTER_ENTRY
from registry.registers.actions.requests import REQUEST_ENTRY
from registry.registers.models import Entry, EntryOffer
from registry.registers.subjects import get_entry, get_entry_offer
from registry.subnamespaces.models import MAX_KEY
from registry.subnamespaces.queries import get_subnamespace

ENTRY = path_parameter("entry", "EntryNumber", "The number of an entry of a register.", 1, **POSITIVE_INTEGER)
OFFER = path_parameter(
    "number", "EntryOfferNumber", "The number of an offer of an entry.", 1, **POSITIVE_INTEGER
)
OF_ENTRY = {"nid": "$request.path.nid", "entry": "$request.path.entry"}
OF_FIRST = {"nid": "$request.path.nid", "entry": "$response.body#/results/0/number"}
OF_OFFER = {**OF_ENTRY, "number": "$response.body#/number"}
BELOW = " below an entry"
TO_REGISTER = {"register": ("getRegisterBelow", OF_ENTRY)}


class EntryOfferLinksSerializer(serializers.Serializer[EntryOffer]):
    """Addresses related to an offer of an entry."""

    html = PageLinkField()
    entry = LinkField(
        "entry", nid="entry.register.namespace.nid", entry="entry_id", help_text="The address of the entry."
    )


class EntryOfferSerializer(serializers.ModelSerializer[EntryOffer]):
    """The offer of an entry to another holder, as the owner of the token sees it."""

    number = serializers.IntegerField(source="pk", help_text="The number of the offer.")
    nid = nid_field(source="entry.register.namespace.nid")
    prefix = serializers.CharField(
        source="entry.subnamespace.prefix", help_text="The prefix of names that is offered."
    )
    offered_by = serializers.CharField(help_text="The display name of the person who made the offer.")
    to = serializers.CharField(source="email", help_text="The address to which the entry is offered.")
    actions = serializers.SerializerMethodField(
        help_text="The addresses of the actions that the user can take; empty unless the offer is open."
    )
    links = EntryOfferLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = EntryOffer
        fields = (
            "number",
            "nid",
            "prefix",
            "offered_by",
            "to",
            "offered_at",
            "ended_at",
            "is_accepted",
            "actions",
            "links",
        )
        read_only_fields = fields
        extra_kwargs = OFFER_KWARGS

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_actions(self, offer: EntryOffer) -> dict[str, str]:
        at = {"nid": offer.entry.register.namespace.nid, "entry": offer.entry_id, "number": offer.pk}
        possible = offered(ANSWERS, self.context["user"], offer)
        return {part: api_url(f"{part}-entry-offer", **at) for part in possible}


class EntryQuerySerializer(PageQuerySerializer):
    """The page, and a filter."""

    prefix = PrefixField(
        required=False,
        max_length=MAX_KEY,
        help_text="Only the entry with this prefix, in any equivalent form.",
    )
    fields = FieldsField(EntrySerializer, always="number")  # type: ignore[assignment]  # a parameter


EntryOfferPageSerializer = page_of(
    EntryOfferSerializer, "A page of the offers of one entry that the owner of the token sees, oldest first."
)
EntryOfferQuerySerializer = page_query(EntryOfferSerializer, always="number")


def _entry(user: Any, nid: str, entry: str) -> Entry:
    return get_entry(registered_or_404(nid), parse_number(entry))


def _offer(user: User, nid: str, entry: str, number: str) -> EntryOffer:
    return get_entry_offer(user, _entry(user, nid, entry), parse_number(number))


def _rendered_offer(offer: EntryOffer, user: User) -> Any:
    return EntryOfferSerializer(offer, context={"user": user}).data


class EntryListView(PaginatedAPIView):
    """The entries of all registers of a namespace, oldest first, with their holders."""

    query = EntryQuerySerializer

    @operation(
        "listEntries",
        "Entries of the registers of a namespace",
        response=page_of(EntrySerializer, "A page of entries, oldest first."),
        about="Each entry is a sub-namespace, too. `holder` says who assigns the names below it.",
        refusals=(NamespaceUnknown,),
        parameters=(NID,),
        links={"entry": ("getEntry", OF_FIRST)},
    )
    def get(self, request: Request, nid: str) -> HttpResponseBase:
        namespace = registered_or_404(nid)
        rows = Entry.objects.with_places().filter(register__namespace=namespace).order_by("pk")
        if prefix := self.parameters.get("prefix"):
            rows = rows.filter(subnamespace=get_subnamespace(namespace, prefix))
        return self.paginated(request, rows, EntrySerializer)


class EntryDetailView(PublicAPIView):
    """An entry of a register."""

    @operation(
        "getEntry",
        "An entry of a register",
        response=EntrySerializer,
        about="People who hold entries are not named.",
        refusals=(NamespaceUnknown, NOT_FOUND),
        parameters=(NID, ENTRY),
        links=TO_REGISTER,
    )
    def get(self, request: Request, nid: str, entry: str) -> Response:
        return Response(EntrySerializer(_entry(None, nid, entry)).data)


class EntryOfferListView(PaginatedAPIView, TokenAPIView):
    """Offer an entry to another holder, and see the offers."""

    query = EntryOfferQuerySerializer

    @token_operation(
        "listEntryOffers",
        "Your offers of an entry",
        scope=Scope.READ,
        response=EntryOfferPageSerializer,
        about=(
            "The offers to you or by you, and if you hold the entry, those that wait and those of the time in which you have held it."
        ),
        refusals=(NamespaceUnknown, NOT_FOUND),
        parameters=(NID, ENTRY),
        links={"history": ("listNamespaceEvents", OF_NAMESPACE)},
    )
    def get(self, request: Request, nid: str, entry: str) -> HttpResponseBase:
        offers = EntryOffer.objects.visible_to(self.user).filter(entry=_entry(self.user, nid, entry))
        rows = offers.with_places().order_by("pk")
        return self.paginated(request, rows, EntryOfferSerializer, context={"user": self.user})

    post = action_method(
        OFFER_ENTRY,
        _entry,
        _rendered_offer,
        response=EntryOfferSerializer,
        status=HTTPStatus.CREATED,
        summary="Offer an entry to another holder",
        refusals=(NamespaceUnknown,),
        parameters=(NID, ENTRY),
        links={name: (each.operation_id, OF_OFFER) for name, each in ANSWERS.items()},
    )


ChangeEntryView = action_view(
    CHANGE_ENTRY,
    _entry,
    rendered_request,
    parameters=(NID, ENTRY),
    **MAKES_REQUEST,
)
RECALL_VIEWS = action_views(
    RECALLS,
    _entry,
    rendered_entry,
    response=EntrySerializer,
    refusals=(NamespaceUnknown,),
    parameters=(NID, ENTRY),
    links={"entry": ("getEntry", OF_ENTRY)},
)
ENTRY_ANSWER_VIEWS = action_views(
    ANSWERS,
    _offer,
    _rendered_offer,
    response=EntryOfferSerializer,
    refusals=(NamespaceUnknown,),
    parameters=(NID, ENTRY, OFFER),
    links={"entry": ("getEntry", OF_ENTRY)},
)


class BranchView(TokenAPIView):
    """The register below an entry."""

    max_body = OPEN_BRANCH.body_size

    @operation(
        "getRegisterBelow",
        "The register below an entry",
        response=RegisterSerializer,
        about="Its entries are sub-namespaces directly below that of the entry.",
        refusals=(NamespaceUnknown, NOT_FOUND),
        parameters=(NID, ENTRY),
        links={"entry": ("getEntry", OF_ENTRY)},
    )
    def get(self, request: Request, nid: str, entry: str) -> Response:
        return Response(RegisterSerializer(find(None, nid, entry)).data)

    post = action_method(
        OPEN_BRANCH,
        _entry,
        rendered_register,
        response=RegisterSerializer,
        status=HTTPStatus.CREATED,
        location=address_of,
        refusals=(NamespaceUnknown,),
        parameters=(NID, ENTRY),
        links=TO_REGISTER,
    )


class BranchRequestListView(RequestsView):
    """The requests for entries of a register below an entry."""

    @token_operation(
        "listEntryRequestsBelow",
        "Requests for entries of a register below an entry",
        scope=Scope.READ,
        response=EntryRequestPageSerializer,
        about=SEEN_REQUESTS,
        refusals=(NamespaceUnknown, NOT_FOUND),
        parameters=(NID, ENTRY),
        links=TO_FIRST_REQUEST,
    )
    def get(self, request: Request, nid: str, entry: str) -> HttpResponseBase:
        return self.page_of(request, find(self.user, nid, entry))

    post = action_method(
        REQUEST_ENTRY,
        find,
        rendered_request,
        operation_id="requestEntryBelow",
        summary=f"{REQUEST_ENTRY.label}{BELOW}",
        parameters=(NID, ENTRY),
        **MAKES_REQUEST,
    )


BRANCH_ACTION_VIEWS = action_views(
    ON_REGISTER,
    find,
    rendered_register,
    summary=f"{{}}{BELOW}",
    operation_id="{}Below",
    response=RegisterSerializer,
    refusals=(NamespaceUnknown,),
    parameters=(NID, ENTRY),
    links=TO_REGISTER,
)
BranchEntryView = action_view(
    REGISTER_ENTRY,
    find,
    rendered_entry,
    operation_id="registerEntryBelow",
    summary=f"{REGISTER_ENTRY.label}{BELOW}",
    response=EntrySerializer,
    status=HTTPStatus.CREATED,
    refusals=(NamespaceUnknown,),
    parameters=(NID, ENTRY),
    links={"entry": ("getEntry", {"nid": "$request.path.nid", "entry": "$response.body#/number"})},
)
