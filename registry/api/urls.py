"""The addresses of the API. Each exists with and without the last slash, without a redirect.

In the address of a URN, every slash belongs to the URN (`registry.api.urns.views`).
"""

from collections.abc import Mapping

from django.urls import URLPattern, include, path, re_path, register_converter
from django.urls.converters import StringConverter
from rest_framework.views import APIView

from registry.api.account import AccountView, NotificationsView, TokenView
from registry.api.audit_log import (
    AuditLogView,
    ConsistencyProofView,
    SignedHeadDetailView,
    SignedHeadListView,
    SignedNoteView,
)
from registry.api.cases.comments import CommentListView
from registry.api.cases.draft_checks import CheckDraftView
from registry.api.cases.drafts import DraftView
from registry.api.cases.reviews import ReviewListView
from registry.api.cases.rounds import CompareRoundsView, RoundDetailView, RoundListView, RoundTemplateView
from registry.api.cases.transitions import ACTION_VIEWS as CASE_ACTION_VIEWS
from registry.api.cases.views import (
    CaseActionsView,
    CaseDetailView,
    CaseEventListView,
    CaseListView,
    ReviseNamespaceView,
)
from registry.api.claims import DECISION_VIEWS as CLAIM_DECISION_VIEWS
from registry.api.claims import ClaimDetailView, ClaimListView, ClaimNamespaceView
from registry.api.domains import CheckDomainView, DomainDetailView, DomainListView
from registry.api.events.stream import EventStreamView
from registry.api.events.views import EventHeadView, EventListView
from registry.api.files import FileDownloadView, FileListView
from registry.api.namespaces.actions import (
    ANSWER_VIEWS,
    ConfirmContactView,
    ContactView,
    DeprecateNamespaceView,
    MoveNamespacesView,
    TransfersView,
)
from registry.api.namespaces.bulk_lookup import LookUpNamespacesView
from registry.api.namespaces.entries import (
    BRANCH_ACTION_VIEWS,
    ENTRY_ANSWER_VIEWS,
    RECALL_VIEWS,
    BranchEntryView,
    BranchRequestListView,
    BranchView,
    ChangeEntryView,
    EntryDetailView,
    EntryListView,
    EntryOfferListView,
)
from registry.api.namespaces.entry_lists import BranchEntriesView, WriteEntriesView
from registry.api.namespaces.profiles import NamespaceProfileView
from registry.api.namespaces.registers import (
    REGISTER_ACTION_VIEWS,
    REQUEST_ACTION_VIEWS,
    EntryRequestDetailView,
    EntryRequestListView,
    RegisterEntryView,
    RegisterView,
    RequestCommentListView,
)
from registry.api.namespaces.subnamespaces import (
    ImportSubnamespacesView,
    SubNamespaceDetailView,
    SubNamespaceListView,
)
from registry.api.namespaces.versions import (
    CompareProfilesView,
    CompareVersionsView,
    NamespaceEventListView,
    NamespaceTemplateView,
    VersionDetailView,
    VersionListView,
    VersionTemplateView,
)
from registry.api.namespaces.views import NamespaceDetailView, NamespaceListView
from registry.api.nids import NIDCheckView
from registry.api.organisations.members import (
    DECISION_VIEWS as INVITATION_DECISION_VIEWS,
)
from registry.api.organisations.members import (
    InvitationDetailView,
    InvitationListView,
    MemberDetailView,
    MemberListView,
)
from registry.api.organisations.views import ACTION_VIEWS as ORGANISATION_ACTION_VIEWS
from registry.api.organisations.views import (
    OrganisationDetailView,
    OrganisationEventListView,
    OrganisationListView,
)
from registry.api.problem_types import ProblemTypeDetailView, ProblemTypeListView
from registry.api.root import NotFoundView, RootView
from registry.api.schema.views import SchemaView, schema_browser
from registry.api.services import ServiceListView
from registry.api.sightings import DECISION_VIEWS as SIGHTING_DECISION_VIEWS
from registry.api.sightings import OwnSightingListView, SightingDetailView, SightingListView
from registry.api.statistics import StatisticsView
from registry.api.tokens import OwnTokenDetailView, OwnTokenListView, RotateTokenView
from registry.api.urns.checking import CheckURNsView
from registry.api.urns.comparing import CompareURNsView
from registry.api.urns.resolution import ResolveURNsView
from registry.api.urns.views import URNByParameterView, URNDetailView
from registry.api.webhooks.views import (
    ACTION_VIEWS as WEBHOOK_ACTION_VIEWS,
)
from registry.api.webhooks.views import (
    DeliveryListView,
    RotateSecretView,
    WebhookDetailView,
    WebhookListView,
)

app_name = "api"


class TextConverter(StringConverter):
    """Any text, slashes and line breaks included."""

    regex = r"(?s:.+?)"


class SuffixConverter(StringConverter):
    """The suffix of a file name, which determines the format."""

    regex = "json|jsonl|jsonld|txt|xml|yaml"


register_converter(TextConverter, "text")
register_converter(SuffixConverter, "suffix")


def resource_paths(route: str, view: type[APIView], name: str) -> list[URLPattern]:
    """The address of a resource, and the same without its last slash or, for a file, with one."""
    as_view = view.as_view()
    alternative = route[:-1] if route.endswith("/") else f"{route}/"
    return [path(route, as_view, name=name), path(alternative, as_view)]


def action_resources(route: str, views: Mapping[str, type[APIView]], name: str = "{}") -> list[URLPattern]:
    """The addresses of actions, by their parts below `route`, which are also in the names of the URLs."""
    return [
        pattern
        for part, view in views.items()
        for pattern in resource_paths(f"{route}{part}/", view, name.format(part))
    ]


WRITE_PATHS = [
    *resource_paths("cases/", CaseListView, "cases"),
    *resource_paths("cases/<number>/actions/", CaseActionsView, "actions"),
    *resource_paths("cases/<number>/draft/", DraftView, "draft"),
    path("cases/<number>/draft.<suffix:suffix>", DraftView.as_view(), name="draft-file"),
    *resource_paths("cases/<number>/check/", CheckDraftView, "check"),
    *resource_paths("cases/<number>/comments/", CommentListView, "comments"),
    *action_resources("cases/<number>/", CASE_ACTION_VIEWS),
    *resource_paths("namespaces/<nid>/revise/", ReviseNamespaceView, "revise"),
    *resource_paths("namespaces/<nid>/deprecate/", DeprecateNamespaceView, "deprecate"),
    *resource_paths(
        "namespaces/<nid>/subnamespaces/import/", ImportSubnamespacesView, "import-subnamespaces"
    ),
    *resource_paths("namespaces/<nid>/register/", RegisterView, "register"),
    *resource_paths("namespaces/<nid>/register/entries/", RegisterEntryView, "register-entries"),
    *resource_paths("namespaces/<nid>/register/entries/bulk/", WriteEntriesView, "write-entries"),
    *resource_paths("namespaces/<nid>/register/requests/", EntryRequestListView, "entry-requests"),
    *resource_paths("namespaces/<nid>/register/requests/<number>/", EntryRequestDetailView, "entry-request"),
    *resource_paths(
        "namespaces/<nid>/register/requests/<number>/comments/",
        RequestCommentListView,
        "comments-entry-request",
    ),
    *action_resources(
        "namespaces/<nid>/register/requests/<number>/", REQUEST_ACTION_VIEWS, "{}-entry-request"
    ),
    *action_resources("namespaces/<nid>/register/", REGISTER_ACTION_VIEWS, "{}-register"),
    *resource_paths("namespaces/<nid>/entries/<entry>/change/", ChangeEntryView, "change-entry"),
    *action_resources("namespaces/<nid>/entries/<entry>/", RECALL_VIEWS, "{}-entry"),
    *resource_paths("namespaces/<nid>/entries/<entry>/offers/", EntryOfferListView, "entry-offers"),
    *action_resources(
        "namespaces/<nid>/entries/<entry>/offers/<number>/", ENTRY_ANSWER_VIEWS, "{}-entry-offer"
    ),
    *resource_paths("namespaces/<nid>/entries/<entry>/register/", BranchView, "register"),
    *resource_paths(
        "namespaces/<nid>/entries/<entry>/register/entries/", BranchEntryView, "register-entries"
    ),
    *resource_paths(
        "namespaces/<nid>/entries/<entry>/register/entries/bulk/", BranchEntriesView, "write-entries"
    ),
    *resource_paths(
        "namespaces/<nid>/entries/<entry>/register/requests/", BranchRequestListView, "entry-requests"
    ),
    *action_resources("namespaces/<nid>/entries/<entry>/register/", BRANCH_ACTION_VIEWS, "{}-register"),
    *resource_paths("namespaces/<nid>/transfers/", TransfersView, "transfers"),
    *action_resources("namespaces/<nid>/transfers/<number>/", ANSWER_VIEWS, "{}-transfer"),
    *resource_paths("namespaces/<nid>/claims/", ClaimNamespaceView, "claim-namespace"),
    *resource_paths("claims/", ClaimListView, "claims"),
    *resource_paths("claims/<number>/", ClaimDetailView, "claim"),
    *action_resources("claims/<number>/", CLAIM_DECISION_VIEWS, "{}-claim"),
    *resource_paths("account/sightings/", OwnSightingListView, "own-sightings"),
    *resource_paths("sightings/", SightingListView, "sightings"),
    *resource_paths("sightings/<number>/", SightingDetailView, "sighting"),
    *action_resources("sightings/<number>/", SIGHTING_DECISION_VIEWS, "{}-sighting"),
    *resource_paths("namespaces/<nid>/contact/", ContactView, "contact"),
    *resource_paths("namespaces/<nid>/contact/confirm/", ConfirmContactView, "confirm-contact"),
    *resource_paths("organisations/", OrganisationListView, "organisations"),
    *resource_paths("organisations/<organisation>/", OrganisationDetailView, "organisation"),
    *action_resources("organisations/<organisation>/", ORGANISATION_ACTION_VIEWS),
    *resource_paths("organisations/<organisation>/events/", OrganisationEventListView, "organisation-events"),
    *resource_paths("organisations/<organisation>/namespaces/", MoveNamespacesView, "move-namespaces"),
    *resource_paths("organisations/<organisation>/members/", MemberListView, "members"),
    *resource_paths("organisations/<organisation>/members/<number>/", MemberDetailView, "member"),
    *resource_paths(
        "organisations/<organisation>/invitations/", InvitationListView, "membership-invitations"
    ),
    *resource_paths(
        "organisations/<organisation>/invitations/<number>/", InvitationDetailView, "membership-invitation"
    ),
    *action_resources(
        "organisations/<organisation>/invitations/<number>/", INVITATION_DECISION_VIEWS, "{}-membership"
    ),
    *resource_paths("organisations/<organisation>/domains/", DomainListView, "domains"),
    *resource_paths("organisations/<organisation>/domains/<number>/", DomainDetailView, "domain"),
    *resource_paths("organisations/<organisation>/domains/<number>/check/", CheckDomainView, "check-domain"),
    *resource_paths("account/", AccountView, "account"),
    *resource_paths("token/", TokenView, "token"),
    *resource_paths("account/notifications/", NotificationsView, "notifications"),
    *resource_paths("account/tokens/", OwnTokenListView, "own-tokens"),
    *resource_paths("account/tokens/<number>/", OwnTokenDetailView, "own-token"),
    *resource_paths("account/tokens/<number>/rotate/", RotateTokenView, "rotate-token"),
    *resource_paths("account/webhooks/", WebhookListView, "webhooks"),
    *resource_paths("account/webhooks/<number>/", WebhookDetailView, "webhook"),
    *resource_paths("account/webhooks/<number>/deliveries/", DeliveryListView, "webhook-deliveries"),
    *resource_paths("account/webhooks/<number>/rotate-secret/", RotateSecretView, "rotate-webhook-secret"),
    *action_resources("account/webhooks/<number>/", WEBHOOK_ACTION_VIEWS, "{}-webhook"),
]

CASE_PATHS = [
    *resource_paths("cases/<number>/", CaseDetailView, "case"),
    *resource_paths("cases/<number>/rounds/", RoundListView, "rounds"),
    *resource_paths("cases/<number>/rounds/<round>/", RoundDetailView, "round"),
    *resource_paths("cases/<number>/rounds/<round>/template.txt", RoundTemplateView, "round-template"),
    *resource_paths("cases/<number>/reviews/", ReviewListView, "reviews"),
    *resource_paths("cases/<number>/events/", CaseEventListView, "case-events"),
    *resource_paths("cases/<number>/compare/", CompareRoundsView, "compare-rounds"),
]

V1_PATHS = [
    path("", RootView.as_view(), name="root"),
    *resource_paths("namespaces/", NamespaceListView, "namespaces"),
    path("namespaces/<nid>.<suffix:suffix>", NamespaceDetailView.as_view(), name="namespace-file"),
    path("namespaces/<nid>/versions.<suffix:suffix>", VersionListView.as_view(), name="versions-file"),
    path(
        "namespaces/<nid>/subnamespaces.<suffix:suffix>",
        SubNamespaceListView.as_view(),
        name="subnamespaces-file",
    ),
    path(
        "namespaces/<nid>/subnamespace.<suffix:suffix>",
        SubNamespaceDetailView.as_view(),
        name="subnamespace-file",
    ),
    path(
        "namespaces/<nid>/versions/<version>.<suffix:suffix>",
        VersionDetailView.as_view(),
        name="version-file",
    ),
    *resource_paths("namespaces/lookup/", LookUpNamespacesView, "look-up-namespaces"),
    *resource_paths("namespaces/<nid>/", NamespaceDetailView, "namespace"),
    *resource_paths("namespaces/<nid>/template.txt", NamespaceTemplateView, "namespace-template"),
    *resource_paths("namespaces/<nid>/profile/", NamespaceProfileView, "namespace-profile"),
    *resource_paths("namespaces/<nid>/subnamespaces/", SubNamespaceListView, "subnamespaces"),
    *resource_paths("namespaces/<nid>/subnamespace/", SubNamespaceDetailView, "subnamespace"),
    *resource_paths("namespaces/<nid>/entries/", EntryListView, "entries"),
    *resource_paths("namespaces/<nid>/entries/<entry>/", EntryDetailView, "entry"),
    *resource_paths("namespaces/<nid>/profile/compare/", CompareProfilesView, "compare-profiles"),
    *resource_paths("namespaces/<nid>/events/", NamespaceEventListView, "namespace-events"),
    *resource_paths("namespaces/<nid>/compare/", CompareVersionsView, "compare-versions"),
    *resource_paths("namespaces/<nid>/versions/", VersionListView, "versions"),
    *resource_paths("namespaces/<nid>/versions/<version>/", VersionDetailView, "version"),
    *resource_paths(
        "namespaces/<nid>/versions/<version>/template.txt", VersionTemplateView, "version-template"
    ),
    *resource_paths("nids/<text:nid>/", NIDCheckView, "nid"),
    *resource_paths("urns/check/", CheckURNsView, "check-urns"),
    path("urns/check.<suffix:suffix>", CheckURNsView.as_view(), name="check-urns-file"),
    *resource_paths("urns/compare/", CompareURNsView, "compare-urns"),
    *resource_paths("resolve/", ResolveURNsView, "resolve"),
    path("resolve.<suffix:suffix>", ResolveURNsView.as_view(), name="resolve-file"),
    *resource_paths("urns/", URNByParameterView, "urns"),
    path("urns/<text:urn>", URNDetailView.as_view(), name="urn"),
    *resource_paths("schema/", SchemaView, "schema"),
    path("schema.<suffix:suffix>", SchemaView.as_view(), name="schema-file"),
    path("schema/browse/", schema_browser, name="schema-browser"),
    *CASE_PATHS,
    *WRITE_PATHS,
    *resource_paths("files/", FileListView, "files"),
    *resource_paths("files/<file>", FileDownloadView, "file"),
    *resource_paths("events/", EventListView, "events"),
    *resource_paths("events/head/", EventHeadView, "event-head"),
    *resource_paths("events/stream/", EventStreamView, "event-stream"),
    *resource_paths("services/", ServiceListView, "services"),
    *resource_paths("statistics/", StatisticsView, "statistics"),
    *resource_paths("audit-log/", AuditLogView, "audit-log"),
    *resource_paths("audit-log/heads/", SignedHeadListView, "heads"),
    *resource_paths("audit-log/heads/<size>/", SignedHeadDetailView, "head"),
    *resource_paths("audit-log/heads/<size>/note.txt", SignedNoteView, "head-note"),
    *resource_paths("audit-log/heads/<size>/consistency/<other>/", ConsistencyProofView, "consistency-proof"),
    *resource_paths("problems/", ProblemTypeListView, "problems"),
    *resource_paths("problems/<slug>/", ProblemTypeDetailView, "problem"),
]

urlpatterns = [
    path("v1/", include(V1_PATHS)),
    path("v1", RootView.as_view()),
    re_path("", NotFoundView.as_view()),
]
