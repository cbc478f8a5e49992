"""`events/stream/`: public events as server-sent events (WHATWG HTML, Section 9.2).

A stream ends after some seconds, and the client continues with the header Last-Event-ID. The number of streams of a
process is limited, and that of each client in it, because each takes a thread of the server, but no database connection.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack

from django.db.models import Q
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from registry.api.events.feed import MAX_EVENTS, Frame, Subscription, feed, frame_of
from registry.api.events.views import EventFilterSerializer, LogBehind, filters_in
from registry.api.framework.conditional import StalePrecondition
from registry.api.framework.fields import WHOLE_NUMBER, InvalidParameter
from registry.api.framework.pagination import KeyField
from registry.api.framework.throttling import account_key
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import READ_PROBLEMS, TEXT, operation
from registry.audit_log.models import Event, LogPosition
from registry.core.pagination import take
from registry.environment import read
from registry.events.events import with_publicity

WARNING_INTERVAL = 60.0  # seconds


class OncePerMinute(logging.Filter):
    """Lets one line a minute of this process through: clients that are refused come back, each on its own."""

    def __init__(self) -> None:
        super().__init__()
        self._paused_until = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        if (now := time.monotonic()) < self._paused_until:
            return False
        self._paused_until = now + WARNING_INTERVAL
        return True


logger = logging.getLogger(__name__)
logger.addFilter(OncePerMinute())

MEDIA_TYPE = "text/event-stream"
CONTENT_TYPE = f"{MEDIA_TYPE}; charset=utf-8"
STREAM_PROBLEMS = tuple(each for each in READ_PROBLEMS if each is not StalePrecondition)
# Milliseconds until the client connects again, and seconds after which a line shows that the connection is alive.
RETRY = 1_000
# The same if the server has as many streams as it can.
RETRY_FULL = 30_000
HEARTBEAT = 10.0
LAST_EVENT_ID = OpenApiParameter(
    "Last-Event-ID",
    {"type": "string", "pattern": f"^({WHOLE_NUMBER.pattern})$"},
    OpenApiParameter.HEADER,
    description="The number of the last event that you have read, which takes precedence over `since`. An EventSource "
    "sends it by itself.",
    examples=[OpenApiExample("a number", "812")],
)


class EventStreamRenderer(BaseRenderer):
    """For content negotiation; the view itself writes the stream."""

    media_type = MEDIA_TYPE
    format = "stream"
    charset = "utf-8"


class EventStreamQuerySerializer(EventFilterSerializer):
    """The beginning and the filters of a stream."""

    since = KeyField(
        required=False,
        help_text="The number of the last event that you have read. Without it, the stream begins with the next event.",
    )


class EventStream:
    """The content of a response: the events that there are, then new ones as they occur, until its time is over.

    `sent` is the number of the last event that the client has. `position` is the number of the event up to which `first`
    is complete.
    """

    def __init__(self, subscription: Subscription, sent: int, first: list[Frame], position: int) -> None:
        self._subscription, self._sent = subscription, sent
        self._first: tuple[list[Frame], int] | None = (first, position)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._first:
            first, self._first = self._first, None
            return b"retry: %d\n\n" % RETRY + self._unsent(*first)
        left = self._subscription.until - time.monotonic()
        if left <= 0 or self._subscription.is_ended:
            self.close()
            raise StopIteration
        return self._unsent(*feed.next(self._subscription, min(HEARTBEAT, left)))

    def close(self) -> None:
        feed.unsubscribe(self._subscription)

    def _unsent(self, frames: list[Frame], position: int) -> bytes:
        """The events that the client does not have, or a comment. An ID alone moves it past events that it does not want."""
        unsent = [each for each in frames if each.number > self._sent]
        self._sent = max([self._sent, position, *(each.number for each in unsent)])
        return b"".join(each.content for each in unsent) or b": alive\nid: %d\n\n" % self._sent


def _full(since: int) -> bytes:
    """A stream that ends at once. After an error status, an EventSource would never connect again."""
    return b": too many streams are open\nretry: %d\nid: %d\n\n" % (RETRY_FULL, since)


class EventStreamView(PublicAPIView):
    """Public events as they occur, as server-sent events."""

    query = EventStreamQuerySerializer
    renderer_classes = (EventStreamRenderer,)
    request_headers = f"{PublicAPIView.request_headers}, Last-Event-ID"

    @operation(
        "streamEvents",
        "New events as they occur",
        response={MEDIA_TYPE: TEXT},
        about=(
            "Server-sent events: `id` is the number of a public event, and `data` the event in JSON, as `events/` lists it. "
            "A stream ends after some seconds; an EventSource then continues by itself. With more than "
            f"{MAX_EVENTS} events to send it ends at once, and so if too many streams are open: `retry` is then "
            "30 seconds. An account, or a network address without a token, has a limited number of streams at a time; the response "
            "to a further one is 429. Comments, and IDs without data, show that the connection is alive."
        ),
        refusals=[LogBehind],
        common=STREAM_PROBLEMS,
        parameters=[LAST_EVENT_ID],
        has_etag=False,
    )
    def get(self, request: Request) -> HttpResponseBase:
        head = LogPosition.current().number
        since = self._since(request, head)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        if request.method == "HEAD":
            return HttpResponse(content_type=CONTENT_TYPE, headers=headers)
        stream = self._stream(since, head, account_key(request._request))
        if stream is None:
            return HttpResponse(_full(since), content_type=CONTENT_TYPE, headers=headers)
        return StreamingHttpResponse(stream, content_type=CONTENT_TYPE, headers=headers)

    def _since(self, request: Request, head: int) -> int:
        """The number of the last event that the client has. Raises InvalidParameter or LogBehind."""
        header = request.headers.get("Last-Event-ID", "")
        if header and not WHOLE_NUMBER.fullmatch(header):
            raise InvalidParameter({"Last-Event-ID": "“Last-Event-ID” must be the number of an event."})
        since = int(header) if header else self.parameters.get("since", head)
        if since > head:
            raise LogBehind(since, head)
        return int(since)

    def _stream(self, since: int, head: int, client: str) -> EventStream | None:
        """The stream; None if the server has as many as it can. Raises TooManyStreams."""
        chosen = filters_in(self.parameters)
        until = time.monotonic() + read("EVENT_STREAM_SECONDS")
        subscription = Subscription(
            lambda event: all(getattr(event, name) == value for name, value in chosen.items()),
            head,
            until,
            client,
        )
        if not feed.subscribe(subscription, read("EVENT_STREAMS"), read("EVENT_STREAMS_OF_A_CLIENT")):
            logger.warning("Too many event streams are open. A client was told to reconnect in 30 seconds.")
            return None
        with ExitStack() as undo:
            undo.callback(feed.unsubscribe, subscription)
            # After the subscription, which has all later events.
            head = LogPosition.current().number
            wanted = Q(is_public=True, number__gt=since, number__lte=head, **chosen)
            events = with_publicity(Event.objects.select_related("actor")).filter(wanted).order_by("number")
            found, has_more = take(events, MAX_EVENTS, lambda event: len(event.reason))
            first = [frame_of(event) for event in found]
            undo.pop_all()
        subscription.is_ended = has_more
        return EventStream(subscription, since, first, first[-1].number if has_more else head)
