"""The newest events for the streams of this process, read once for all of them.

One thread reads the log while there are streams, so that they need no database connection: a stream waits in a thread
of the server, of which there are many.
"""

import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition, Thread

from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Q
from rest_framework.renderers import JSONRenderer

from registry.api.framework.throttling import TooManyStreams
from registry.audit_log.models import Event, LogPosition
from registry.core.pagination import take
from registry.events.events import event_without_leaf, with_publicity

logger = logging.getLogger(__name__)

# Seconds between two looks at the log.
INTERVAL = 1.0
MAX_EVENTS = 500
# A client that reads so slowly that more events wait asks again after the last one that it has.
MAX_WAITING = 2 * MAX_EVENTS


@dataclass(frozen=True, slots=True)
class Frame:
    """An event as a server-sent event, and its number."""

    number: int
    content: bytes


@dataclass(eq=False, slots=True)
class Subscription:
    """The events for one stream. `position` is the number of the last event that was looked at for it.

    `client` is the account, or the network address, whose stream it is. After `until`, by the monotonic clock, the stream is
    over, also if the server has not closed it.
    """

    wants: Callable[[Event], bool]
    position: int
    until: float
    client: str
    frames: deque[Frame] = field(default_factory=deque)
    is_ended: bool = False


def frame_of(event: Event) -> Frame:
    """The event as the API lists it, in one line. It has the annotation `is_public`."""
    body: bytes = JSONRenderer().render(event_without_leaf(event))
    return Frame(event.number, b"id: %d\ndata: %s\n\n" % (event.number, body))


class EventFeed:
    """The subscriptions of this process, and the thread that serves them."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._subscriptions: set[Subscription] = set()
        self._position: int | None = None  # None while no thread runs

    def subscribe(self, subscription: Subscription, most: int, most_of_client: int) -> bool:
        """Add a subscription; False if there are `most`. Raises TooManyStreams if its client has `most_of_client`."""
        with self._changed:
            self._drop_old()
            own = [each.until for each in self._subscriptions if each.client == subscription.client]
            if len(own) >= most_of_client:
                raise TooManyStreams(most_of_client, min(own, default=0) - time.monotonic())
            if len(self._subscriptions) >= most:
                return False
            self._subscriptions.add(subscription)
            return True

    def unsubscribe(self, subscription: Subscription) -> None:
        with self._changed:
            self._subscriptions.discard(subscription)

    def next(self, subscription: Subscription, timeout: float) -> tuple[list[Frame], int]:
        """Wait for events of a subscription, up to `timeout` seconds. Return them, and its position after them."""
        with self._changed:
            self._start()
            self._changed.wait_for(lambda: subscription.frames or subscription.is_ended, timeout)
            frames = list(subscription.frames)
            subscription.frames.clear()
            return frames, subscription.position

    def _start(self) -> None:
        if self._position is None and self._subscriptions:
            self._position = min(each.position for each in self._subscriptions)
            Thread(target=self._run, name="event-feed", daemon=True).start()

    def _run(self) -> None:
        is_idle = False
        try:
            while (position := self._current_position()) is not None:
                self._publish(*_events_after(position))
                time.sleep(INTERVAL)
            is_idle = True  # another thread may have begun since
        except (DatabaseError, InterfaceError):
            logger.exception("The log can't be read. All event streams end; their clients ask again.")
        finally:
            connection.close()
            if not is_idle:
                self._end_all()

    def _current_position(self) -> int | None:
        """The position from which to read on; None ends the thread, because no stream is left."""
        with self._changed:
            self._drop_old()
            if not self._subscriptions:
                self._position = None
            return self._position

    def _drop_old(self) -> None:
        now = time.monotonic()
        self._subscriptions = {each for each in self._subscriptions if each.until > now}

    def _publish(self, events: list[Event], position: int) -> None:
        frames = [(event, frame_of(event)) for event in events]
        with self._changed:
            self._position = position
            for each in self._subscriptions:
                each.frames.extend(frame for event, frame in frames if each.wants(event))
                each.position = max(each.position, position)
                each.is_ended = each.is_ended or len(each.frames) > MAX_WAITING
            self._changed.notify_all()

    def _end_all(self) -> None:
        with self._changed:
            for each in self._subscriptions:
                each.is_ended = True
            self._subscriptions.clear()
            self._position = None
            self._changed.notify_all()


def _events_after(position: int) -> tuple[list[Event], int]:
    """The next public events, and the number of the event up to which the log was read."""
    head = LogPosition.current().number
    if head <= position:
        return [], position
    wanted = Q(is_public=True, number__gt=position, number__lte=head)
    events = with_publicity(Event.objects.select_related("actor")).filter(wanted).order_by("number")
    found, has_more = take(events, MAX_EVENTS, lambda event: len(event.reason))
    return found, found[-1].number if has_more else head


feed = EventFeed()
