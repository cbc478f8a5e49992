"""Where a walk begins: an address or two of every view, with values of things that are there, and what people type."""

from collections.abc import Callable, Container, Iterable, Iterator
from itertools import islice, product
from typing import Any

from allauth.mfa.models import Authenticator
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model

from registry.accounts.models import Body, RoleName, Token
from registry.accounts.views import token_for
from registry.audit_log.models import Event, Timestamp
from registry.audit_log.tiles import WIDTH, Place, published_size
from registry.cases.models import CannedText, Case, State
from registry.cases.workflow.declarations.transitions import ACTION_BY_SLUG
from registry.custody.links import confirmation_path, objection_path
from registry.custody.models import NamespaceClaim, NamespaceContact
from registry.domains.models import OrganisationDomain
from registry.mail.models import BouncedAddress, Message
from registry.mail.preferences import key_for
from registry.namespaces.models import Namespace, Transfer
from registry.organisations.models import Membership, MembershipInvitation
from registry.registers.models import Entry, EntryOffer, EntryRequest
from registry.review_desk.admin import admin_site
from registry.review_desk.experts.queue import QUEUE_GROUP_BY_SLUG
from registry.review_desk.experts.views_review import VERDICTS
from registry.review_desk.models import Absence
from registry.sightings.models import Sighting
from registry.statistics.queries import CHARTS
from registry.webhooks.models import Webhook
from tests.contracts.test_url_table import Address, every_address
from tests.journeys.full_registry import person

# Addresses that no link leads to, with what people may type.
ASKED = (
    "/?q=nothing-like-it",
    "/?q=trees",
    "/?q=libary",
    "/?q=0451450524",
    "/?q=urn:isbn:045145052",
    f"/?q={'long-' * 100}",
    "/namespaces/?q=nothing-like-it",
    "/namespaces/?q=isb&status=active&sort=newest",
    "/namespaces/?kind=special",
    "/namespaces/?after=zzz",
    "/namespaces/is_bn/",
    "/namespaces/x-foo/",
    "/namespaces/isbm/",
    "/namespaces/example-trees/compare/?from=9&to=x",
    *(f"/nids/?nid={nid}" for nid in ("isbm", "x-foo", "fipa", "example-birds", "is_bn")),
    "/urns/?urn=urn:isbn:0451450523%3F%2Br%3F%3Dq%23f",
    f"/urns/?urn=urn:isbn:{'a' * 200}",
    "/urns/?urn=urn:isbn:a%20b",
    "/urns/?urn=urn:isbn:978-0-451-45052-4",
    "/urns/?urn=urn:isbn:978-0-451-45052-5",
    "/urns/?urn=urn:isbm:0451450523",
    "/namespaces/example-trees/profile/compare/?from=9&to=x",
    "/cases/?nid=nothing-like-it",
    "/cases/?state=special",
    "/nothing-here/",
)
# Parts that scripts ask for, with what people type: a name that follows the rules, one that breaks them, a text that is
# no URN, a URN of another namespace, and a name whose rules are not known.
ASKED_IN_PARTS = (
    "/namespaces/isbn/check/?urn=978-0-451-45052-4",
    "/namespaces/isbn/check/?urn=978-0-451-45052-5",
    "/namespaces/isbn/check/?urn=a%20b",
    "/namespaces/isbn/check/?urn=urn:issn:0167-6423",
    "/namespaces/oma/check/?urn=abc",
)
ASKED_BY_ADMINISTRATOR = (
    "/desk/corrections/?of=example-trees",
    "/desk/corrections/?of=nothing",
    "/desk/corrections/?of=is_bn",
    "/admin/accounts/user/?q=nothing-like-it",
    "/people/3/withdraw-role/liaison/",
)
# Views of a request for an entry, and of an entry, each of one register.
OF_REQUESTS = ("entry_request", "accept_request", "refuse_request", "revise_request", "revise_change")
OF_ENTRIES = ("change_entry", "recall_entry", "keep_entry", "offer_entry", "open_branch")
TRANSITIONS = tuple(action.name for action in ACTION_BY_SLUG.values())
Values = Callable[[], Iterable[object]]


def is_a_page(at: Address) -> bool:
    """Whether a person may come there; the API's own description is the one page below it."""
    return bool(at.path) and (at.name.partition(":")[0] != "api" or at.name == "api:schema-browser")


def derived(without: Container[str] = ()) -> Iterator[str]:
    """One or two addresses for every named view but these. Parameters of a view that have no values raise KeyError."""
    for at in every_address():
        if is_a_page(at) and at.name not in without:
            values = [list(islice(values_of(at.name, each), 30)) for each in at.parameters]
            for chosen in product(*values):
                yield at.with_values(dict(zip(at.parameters, chosen, strict=True)))


def values_of(view: str, parameter: str) -> Iterator[object]:
    room = view.partition(":")[0]
    for key in (f"{view} {parameter}", f"{room} {parameter}", parameter):
        if key in VALUES:
            return iter(VALUES[key]())
    raise KeyError(f"{view} has a parameter “{parameter}”: say in VALUES what stands there.")


def _key_of(model: type[Model]) -> Values:
    """The latest row."""
    return lambda: model._default_manager.order_by("-pk").values_list("pk", flat=True)[:1]


def _entry_of_gardens() -> Iterable[int]:
    """One that the holder of the register has not delegated."""
    entries = Entry.objects.filter(register__namespace__nid="example-trees", person=None, organisation=None)
    return entries.values_list("pk", flat=True)[:1]


def _entries_of_others(**filters: Any) -> Iterable[int]:
    """Those that people hold beside the holder of the register."""
    entries = Entry.objects.filter(register__namespace__nid="example-trees", person__isnull=False, **filters)
    return entries.order_by("pk").values_list("pk", flat=True)[:1]


def _entries_with_registers() -> Iterable[int]:
    return Entry.objects.filter(below__isnull=False).values_list("pk", flat=True)


def membership_of_walk() -> Membership:
    """That of a representative whom every walk has."""
    return Membership.objects.of(person("registrant")).earliest("pk")


def _cases() -> list[int]:
    """The first case, which was submitted long ago; and one that is only begun."""
    begun = Case.objects.filter(state=State.DRAFT).order_by("pk")
    return [Case.objects.order_by("pk")[0].pk, begun[0].pk]


def _slugs(names: Iterable[str]) -> list[str]:
    return [name.replace("_", "-") for name in names]


def _event(verb: str) -> Values:
    return lambda: Event.objects.filter(verb=verb).values_list("number", flat=True)[:1]


# By the name of a parameter, of one room or of one view where it means another thing there.
VALUES: dict[str, Values] = {
    "nid": lambda: ["example-trees", "isbn"],
    "version": lambda: [1],
    "number": lambda: [1],
    "pk": _cases,
    "name": lambda: _slugs(TRANSITIONS),
    "file": lambda: ["urn-namespaces.xml"],
    "publication:register_file nid": lambda: ["example-trees"],
    "publication:register_file file": lambda: ["register-of-example-trees.html"],
    "publication:register_feed nid": lambda: Namespace.objects.filter(
        registers__entry__isnull=False
    ).values_list("nid", flat=True),
    "publication entry": _entries_with_registers,
    "slug": lambda: list(CHARTS)[:1],
    "documentation slug": lambda: ["errors", "synchronisation"],
    "documentation tag": lambda: ["urns", "events"],
    "key": lambda: ["a-key"],
    "provider_id": lambda: ["example"],
    "urn": lambda: ["urn:isbn:978-0-451-45052-4", "urn:example:a", "urn:uuid:zzz"],
    "service": lambda: ["I2Ls", "N2L"],
    "host": lambda: ["openlibrary.org", "books.google.com"],
    "uidb36": lambda: ["1"],
    "namespaces pk": _key_of(Transfer),
    "organisations pk": lambda: [membership_of_walk().organisation_id],
    "organisations number": lambda: [membership_of_walk().pk],
    "organisations:invitation pk": lambda: MembershipInvitation.objects.values_list(
        "organisation", flat=True
    )[:1],
    "organisations:invitation number": _key_of(MembershipInvitation),
    "move_namespaces pk": lambda: [membership_of_walk().organisation_id],
    "custody pk": _key_of(NamespaceClaim),
    "custody:recover_organisation nid": lambda: ["example-lawns"],
    "custody:confirm_by_link token": lambda: [
        confirmation_path(NamespaceContact.objects.get(namespace__nid="example-trees")).split("/")[-2]
    ],
    "custody token": lambda: [objection_path(NamespaceClaim.objects.latest("pk")).split("/")[-2]],
    "account:check_address pk": lambda: person("registrant").emailaddress_set.values_list("pk", flat=True),
    "account:confirm_bounced_address token": lambda: [token_for(BouncedAddress.objects.latest("pk"))],
    "domains pk": lambda: [OrganisationDomain.objects.latest("pk").organisation_id],
    "domains number": _key_of(OrganisationDomain),
    # That of an organisation, a suspended one, one with the requests below, and a namespace without one.
    "registers nid": lambda: [
        "example-trees",
        *Namespace.objects.filter(registers__suspended_at__isnull=False).values_list("nid", flat=True),
        *Namespace.objects.filter(registers__policy="specification").values_list("nid", flat=True),
        *Namespace.objects.filter(kind="informal", origin="registry", registers=None).values_list(
            "nid", flat=True
        ),
    ],
    "registers pk": lambda: (
        EntryRequest.objects.undecided()  # type: ignore[attr-defined]
        .filter(register__policy="specification")
        .order_by("-pk")
        .values_list("pk", flat=True)[:3]
    ),
    **dict.fromkeys(
        (f"registers:{view} nid" for view in OF_REQUESTS),
        lambda: Namespace.objects.filter(registers__policy="specification").values_list("nid", flat=True),
    ),
    **dict.fromkeys((f"registers:{view} nid" for view in OF_ENTRIES), lambda: ["example-trees"]),
    # That of a branch with a register; one to offer or to open a register below; and one that is offered.
    "registers entry": _entries_with_registers,
    "registers:change_entry entry": _entry_of_gardens,
    "registers:offer_entry entry": _entry_of_gardens,
    "registers:open_branch entry": _entry_of_gardens,
    "registers:recall_entry entry": lambda: _entries_of_others(recall_ends_at=None),
    "registers:keep_entry entry": lambda: _entries_of_others(recall_ends_at__isnull=False),
    "registers:entry_offer entry": lambda: [EntryOffer.objects.latest("pk").entry_id],
    "registers:entry_offer nid": lambda: [EntryOffer.objects.latest("pk").entry.register.namespace.nid],
    "registers:entry_offer pk": _key_of(EntryOffer),
    "sightings pk": _key_of(Sighting),
    "subnamespaces nid": lambda: ["example-trees", "nbn"],
    "cases:draft_version number": lambda: [1],
    "cases:transition pk": lambda: _cases()[:1],
    "cases:unsubscribe_by_mail key": lambda: [key_for(f"case-{_cases()[0]}", person("expert"))],
    "people pk": lambda: [person("expert").pk],
    "people name": lambda: [RoleName.EXPERT],
    "tokens pk": _key_of(Token),
    "mfa_remove_webauthn pk": _key_of(Authenticator),
    "webhooks pk": _key_of(Webhook),
    "review_desk:queue_group name": lambda: QUEUE_GROUP_BY_SLUG,
    "review_desk:verdict name": lambda: _slugs(VERDICTS),
    "review_desk:end_absence pk": _key_of(Absence),
    "review_desk:canned_text pk": _key_of(CannedText),
    "review_desk:remove_canned_text pk": _key_of(CannedText),
    "review_desk:body pk": _key_of(Body),
    "review_desk:mail pk": _key_of(Message),
    "review_desk:import_detail number": _event("import_iana"),
    "review_desk:correct number": _event("submit"),
    "audit_log size": lambda: Timestamp.objects.values_list("head", flat=True),
    "audit_log authority": lambda: Timestamp.objects.values_list("authority", flat=True),
    "audit_log level": lambda: [0],
    "audit_log place": lambda: [Place(0, min(WIDTH, published_size()))],
    "admin app_label": lambda: ["audit_log"],
    "admin:view_on_site content_type_id": lambda: [ContentType.objects.get_for_model(Namespace).pk],
    "admin:view_on_site object_id": _key_of(Namespace),
    **{
        f"admin:{model._meta.app_label}_{model._meta.model_name}_change object_id": _key_of(model)
        for model in admin_site._registry
    },
}
