"""What waits in the inbox about registers: requests and changes to decide on or to revise, offers of entries, and recalls."""

from functools import partial

from django.db.models import F
from django.urls import reverse

from registry.accounts.models import User
from registry.accounts.waiting import Line, WaitingKind, declare, waiting_offers
from registry.custody.actions.claims import time_to_object
from registry.registers.models import Entry, EntryOffer, EntryRequest, RequestState
from registry.registers.models.entries import EntryQuerySet
from registry.registers.models.registers import is_held_directly


def _is_recalled_from(user: User) -> EntryQuerySet:
    """The recalled entries that `user` can keep. An entry that can be offered to others by now is theirs until that is accepted."""
    return Entry.objects.filter(is_held_directly(user), recall_ends_at__isnull=False)


_requests = partial(
    WaitingKind,
    since="requested_at",
    nid=F("register__namespace__nid"),
    person=F("requested_by__name"),
    related=(
        "register__namespace",
        "register__branch",
        "register__entry__subnamespace",
        "entry__subnamespace",
    ),
)


def _title_of(request: EntryRequest) -> str:
    """The title, with the label after the register: its prefix takes queries for each."""
    of = "Change of" if request.is_change else "Request for"
    return f"{of} “{request.label}” below {request.register.name}: {request.title}"


declare(
    _requests(
        name="entry_request",
        label="Request in a register",
        rows=lambda user: EntryRequest.objects.filter(state=RequestState.OPEN).reviewed_by(user),
        show=lambda request: Line(
            _title_of(request), "read the request, and decide on it.", request.get_absolute_url()
        ),
    )
)
declare(
    _requests(
        name="own_entry_request",
        label="Your request in a register",
        rows=lambda user: EntryRequest.objects.filter(
            state=RequestState.CHANGES_REQUESTED, requested_by=user, register__suspended_at=None
        ),
        show=lambda request: Line(
            _title_of(request), "change the request, or withdraw it.", request.get_absolute_url()
        ),
        assignee=True,
    )
)
declare(
    waiting_offers(
        name="entry_offer",
        label="Offer of an entry",
        rows=lambda user: EntryOffer.objects.waiting().to(user),
        show=lambda offer: Line(
            f"{offer.offered_by} offers “{offer.entry.name}” to you",
            "accept or decline the offer.",
            offer.get_absolute_url(),
        ),
        nid=F("entry__register__namespace__nid"),
        related=("offered_by", "entry__subnamespace", "entry__register__namespace"),
    )
)
declare(
    WaitingKind(
        name="recall",
        label="Recall of your entry",
        rows=_is_recalled_from,
        show=lambda entry: Line(
            f"The holder of the register recalls “{entry.name}”",
            "keep the entry, if you still use it.",
            reverse("registers:keep_entry", kwargs={"nid": entry.register.namespace.nid, "entry": entry.pk}),
        ),
        since=lambda: F("recall_ends_at") - time_to_object(),
        due="recall_ends_at",
        nid=F("register__namespace__nid"),
        assignee=True,
        related=("subnamespace", "register__namespace"),
    )
)
