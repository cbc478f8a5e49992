"""The operations of both clients, each declared once, as a flow."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

from urnregistry.errors import UnexpectedResponse
from urnregistry.exchange import JSON_LINES, Exchange, parsed_lines
from urnregistry.messages import Flow, Request
from urnregistry.namespaces import Namespace, NamespaceDetail
from urnregistry.records import Event, Resolution, URNCheck

T = TypeVar("T")
# URNs or NIDs in one request: as many as the registry can judge at once, even if each belongs to another namespace.
BLOCK = 500
Level = Literal["namespace", "syntax"]


def lookup(exchange: Exchange, /, nid: str) -> Flow[NamespaceDetail]:
    """Return a namespace, by its NID in any case of letters. `source` says whether it comes from the cache.

    Raises Problem with the name `namespace-unknown`; `members["nid_status"]` says whether the NID is free.
    """
    namespace, source = yield from exchange.fetch_cached(path_of(nid), NamespaceDetail.from_resource)
    return namespace.with_source(source)


def lookup_many(exchange: Exchange, /, nids: Iterable[str]) -> Iterator[Flow[list[Namespace | None]]]:
    """Look up NIDs of any number, in order: each namespace as in a list, or None if it is not registered."""
    texts = iter(nids)
    while block := list(islice(texts, BLOCK)):
        yield _lookup_block(exchange, block)


def _lookup_block(exchange: Exchange, nids: list[str]) -> Flow[list[Namespace | None]]:
    request = Request("namespaces/lookup/", content={"nids": nids})
    return (yield from exchange.fetch(request, _looked_up))


def _looked_up(body: Mapping[str, Any]) -> list[Namespace | None]:
    found = [each["namespace"] for each in body["results"]]
    return [Namespace.from_item(each) if each else None for each in found]


def path_of(nid: str) -> str:
    """The path of a namespace. Raises ValueError if a URL would resolve it as another path."""
    if nid in ("", ".", ".."):
        raise ValueError(f"“{nid}” is not a NID.")
    return f"namespaces/{quote(nid.lower(), safe='')}/"


def resolve(exchange: Exchange, /, urn: str) -> Flow[Resolution]:
    """Return the address to which the registry redirects for a URN, or the reason why there is none."""
    request = Request("resolve/", content={"urns": [urn]})
    return (yield from exchange.fetch(request, lambda body: Resolution.from_json(body["results"][0])))


def resolve_many(exchange: Exchange, /, urns: Iterable[str]) -> Iterator[Flow[list[Resolution]]]:
    """Resolve URNs of any number, in order. `urns` may be a stream. It is read in blocks of 500."""
    texts = iter(urns)
    while block := list(islice(texts, BLOCK)):
        yield exchange.fetch(Request("resolve/", content={"urns": block}), _resolved)


def _resolved(body: Mapping[str, Any]) -> list[Resolution]:
    return [Resolution.from_json(each) for each in body["results"]]


def check(
    exchange: Exchange, /, urns: Iterable[str], *, level: Level = "namespace"
) -> Iterator[Flow[list[URNCheck]]]:
    """Check texts of any number, in order, by the rules of their namespaces or (`syntax`) of RFC 8141 alone.

    `urns` may be a stream. It is read in blocks of 500, and each is checked when it is full, or at the end of the stream.
    """
    texts = iter(urns)
    while block := list(islice(texts, BLOCK)):
        yield _check_block(exchange, block, level)


def _check_block(exchange: Exchange, urns: list[str], level: Level) -> Flow[list[URNCheck]]:
    request = Request("urns/check/", content={"urns": urns, "level": level}, headers=JSON_LINES)
    response = yield from exchange.send(request)
    results: list[dict[str, Any]] = parsed_lines(response, dict)
    if len(results) != len(urns):
        raise UnexpectedResponse(f"There are {len(results)} results for {len(urns)} URNs.")
    return [URNCheck.from_json(urn, result) for urn, result in zip(urns, results, strict=True)]


def namespaces(exchange: Exchange, /, **filters: Any) -> Iterator[Flow[list[Namespace]]]:
    """List the namespaces that match the filters of the API, such as `q`, `kind`, `subject` or `updated_since`."""
    return _pages(exchange, "namespaces/", filters, Namespace.from_item)


def events(exchange: Exchange, /, since: int = 0, **filters: Any) -> Iterator[Flow[list[Event]]]:
    """List the events after the number `since`. Filters are `nid`, `case` and `verb`.

    Raises Problem with the name `log-behind` if the log ends before `since`.
    """
    return _pages(exchange, "events/", {"since": since, **filters}, Event.from_json)


def _pages(exchange: Exchange, path: str, query: Mapping[str, Any], parse: Any) -> Iterator[Flow[list[Any]]]:
    """Yield a flow for each page. Each is run before the next one is asked for.

    Raises UnexpectedResponse rather than to ask for the same page twice, or on after an empty one, without an end.
    """
    following: list[Mapping[str, Any] | None] = [query]
    asked: set[frozenset[tuple[str, str]]] = set()

    def page(query: Mapping[str, Any]) -> Flow[list[Any]]:
        asked.add(_key(query))
        entries, next_query = yield from exchange.fetch(Request(path, query), lambda body: _page(body, parse))
        if next_query is not None and (not entries or _key(next_query) in asked):
            raise UnexpectedResponse("The list has no end: its pages are empty, or repeat themselves.")
        for each in entries:
            if isinstance(each, Event):
                exchange.position.hear(each.number)
        following.append(next_query)
        return entries

    while (wanted := following.pop()) is not None:
        yield page(wanted)


def _key(query: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    return frozenset((name, str(value)) for name, value in query.items())


def _page(body: Mapping[str, Any], parse: Any) -> tuple[list[Any], dict[str, str] | None]:
    """Return the entries, and the query of the next page. Its address may name another host than the client's."""
    query = dict(parse_qsl(urlsplit(body["next"]).query)) if body["has_more"] else None
    return [parse(each) for each in body["results"]], query
