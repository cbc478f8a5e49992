"""Atom feeds (RFC 4287) of the whole registry and of one namespace, in pages (RFC 5005, Section 3)."""

import uuid
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from registry.audit_log.models import Event
from registry.core.http.urls import absolute_url, public_url
from registry.core.validators import OBSOLETE_LINE_BREAK
from registry.namespaces.history import event_label, event_remark, event_types
from registry.namespaces.models import Namespace
from registry.registers.models import Register

ENTRIES = 50
# The first round opens a case for review; later rounds appear only on the page of the case.
FIRST_SUBMISSIONS = Q(verb="submit", details__round=1)
NEWS = Q(verb__in=["assign", "deprecate", "import"]) | FIRST_SUBMISSIONS
OF_NAMESPACE = Q(verb__in=[*event_types()]) | FIRST_SUBMISSIONS
AUTHOR = "Registry of URN namespaces"


class PagedFeed(Atom1Feed):
    """A page of a feed. `older` is the number of the event before which the next page begins, None on the last."""

    older: int | None = None
    has_hub = True

    def add_root_elements(self, handler: Any) -> None:
        super().add_root_elements(handler)
        own = self.feed["id"]
        links = [("hub", settings.WEBSUB_HUB)] if settings.WEBSUB_HUB and self.has_hub else []
        links += [("first", own)]
        links += [("next", f"{own}?before={self.older}")] if self.older else []
        for relation, address in links:
            handler.addQuickElement("link", "", {"href": address, "rel": relation})


def feed_for_registry(before: int | None = None) -> str:
    """Return the feed of registrations, revisions, imports from IANA and cases opened for review.

    `before` is the number of an event: the page contains older ones. By default, it contains the newest.
    """
    feed = _feed("URN namespaces", reverse("namespaces:list"), registry_topic())
    return _render(feed, Event.objects.filter(NEWS), before)


def feed_for_namespace(namespace: Namespace, before: int | None = None) -> str:
    """Return the feed of all events of one namespace, or those before an event."""
    title, own = f"URN namespace “{namespace.nid}”", namespace.get_absolute_url()
    feed = _feed(title, own, namespace_topic(namespace.nid))
    return _render(feed, Event.objects.of_namespace(namespace.nid).filter(OF_NAMESPACE), before)


def feed_for_register(register: Register, before: int | None = None) -> str:
    """Return the feed of the register below an entry, and of those further below, or of the events before one."""
    own = public_url("publication:register_feed", **register.address)
    feed = _feed(f"Register “{register.title}” ({register.name})", register.get_absolute_url(), own)
    feed.has_hub = False
    inside = register.place.before
    of_register = Q(details__below=register.prefix) | Q(details__below__startswith=inside)
    of_register |= Q(details__entry__startswith=inside) | Q(
        verb="open_branch", details__entry=register.prefix
    )
    events = Event.objects.of_namespace(register.namespace.nid).filter(OF_NAMESPACE)
    return _render(feed, events.filter(of_register), before, absolute_url(register.get_absolute_url()))


def registry_topic() -> str:
    """The address of the feed of the registry."""
    return public_url("publication:feed")


def namespace_topic(nid: str) -> str:
    """The address of the feed of a namespace."""
    return public_url("publication:namespace_feed", nid=nid)


def _feed(title: str, page: str, own: str) -> PagedFeed:
    return PagedFeed(
        title=title,
        link=absolute_url(page),
        description=None,
        author_name=AUTHOR,
        feed_url=own,
        feed_guid=own,
        language="en",
    )


def _render(feed: PagedFeed, events: QuerySet[Event], before: int | None, page: str = "") -> str:
    """`page` is the address to which all entries lead, instead of one for each kind of event."""
    older = events.filter(number__lt=before) if before else events
    if before:  # `rel="self"` is the address of this page (RFC 4287, Section 4.2.7.2)
        feed.feed["feed_url"] = f"{feed.feed['id']}?before={before}"
    found = list(older.order_by("-number")[: ENTRIES + 1])
    feed.older = found[ENTRIES - 1].number if len(found) > ENTRIES else None
    for event in found[:ENTRIES]:
        feed.add_item(
            title=_title(event),
            link=page or _page(event),
            # Events are immutable, and an old reason may contain one.
            description=OBSOLETE_LINE_BREAK.sub("\n", event_remark(event) or event.reason),
            unique_id=_identity(event),
            pubdate=event.at,
            updateddate=event.at,
            categories=["case" if event.verb == "submit" else "namespace"],
        )
    return feed.writeString("utf-8")


def _title(event: Event) -> str:
    if event.verb != "submit":
        return f"{event.nid}: {event_label(event)}"
    about = f" “{event.nid}”" if event.nid else ""
    return f"Case {event.case_number}{about} opened for review"


def _page(event: Event) -> str:
    if event.verb == "submit":
        return public_url("cases:detail", pk=event.case_number)
    return public_url(event_types()[event.verb].page or "namespaces:detail", nid=event.nid)


def _identity(event: Event) -> str:
    """Return a permanent id that does not depend on the host: it is derived from the digest of the event."""
    return uuid.uuid5(uuid.NAMESPACE_OID, event.digest).urn
