"""The kinds of search and list requests: filters alone and in pairs, orders, page positions, and words."""

import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from .databases import WORDS, BenchmarkDatabase

API, PAGES, HOME = "/api/v1/namespaces/", "/namespaces/", "/"
LONGEST = 0.050  # seconds, for 95 of 100
LONGEST_OF_A_THOUSAND = 0.500  # ten times as many entries, whose output takes longer than the query

Values = Mapping[str, str]


@dataclass
class RequestKind:
    """A kind of request with varying parameters, and its response times in seconds."""

    name: str
    path: Callable[[], str]
    longest: float = LONGEST
    seconds: list[float] = field(default_factory=list)

    def percentile(self, which: int) -> float:
        """Return a percentile of the response times."""
        return sorted(self.seconds)[math.ceil(len(self.seconds) * which / 100) - 1]

    @property
    def is_quick(self) -> bool:
        """Whether the 95th percentile is within the limit."""
        return self.percentile(95) <= self.longest


def all_request_kinds(bench_db: BenchmarkDatabase) -> list[RequestKind]:
    """Return all kinds of requests, with words and page positions from this database."""
    chance = random.Random(8141)
    samples = _SampleValues(bench_db, chance)
    found = [
        RequestKind(f"{interface}: {name}", _asking(start, lambda words=words: {"q": words()}))  # type: ignore[misc]
        for interface, start in (("API", API), ("page", PAGES))
        for name, words in samples.words().items()
    ]
    return [
        *found,
        *_header_searches(samples),
        *_searches_with_filters(samples),
        *_lists(samples),
        *_pages(samples),
    ]


class _SampleValues:
    """Sample values for requests."""

    def __init__(self, bench_db: BenchmarkDatabase, chance: random.Random) -> None:
        self.size, self.chance = bench_db.size, chance
        with bench_db.connect() as connection:
            query = """
                SELECT nid, registered_on, updated_on, split_part(purpose, 'collection ', 2)
                FROM namespaces_namespace WHERE nid = ANY (%s)
            """
            self.rows = connection.execute(query, [bench_db.nids(1000)]).fetchall()

    @property
    def nid(self) -> str:
        return str(self.chance.choice(self.rows)[0])

    @property
    def rare(self) -> str:
        return str(self.chance.choice(self.rows)[3][:32])

    @property
    def common(self) -> str:
        return self.chance.choice(WORDS)

    def after(self, column: str) -> str:
        """Return a key within the list, in the API's format."""
        nid, registered_on, updated_on, _ = self.chance.choice(self.rows)
        return {"registered_on": f"{registered_on}.{nid}", "updated_on": f"{updated_on}.{nid}"}.get(
            column, nid
        )

    def words(self) -> dict[str, Callable[[], str]]:
        chance = self.chance
        return {
            "a word that few have": lambda: self.rare,
            "a word that many have": lambda: self.common,
            "two words that many have": lambda: " ".join(chance.sample(WORDS, 2)),
            "three words that many have": lambda: " ".join(chance.sample(WORDS, 3)),
            "two words that all have": lambda: "collection catalogues",
            "a word that many have, one that few have": lambda: f"{self.common} {self.rare}",
            "two words that never meet": lambda: "urn institute",
            "a whole phrase": lambda: f"names {self.common} and {self.common} in collection",
            "a sentence": lambda: "so that all catalogues can cite them",
            "a letter": lambda: chance.choice("abcdefghijklmnopqrstuvwxyz0123456789"),
            "two letters": lambda: self.common[:2],
            "three letters": lambda: self.common[:3],
            "beginnings of two words": lambda: " ".join(word[:3] for word in chance.sample(WORDS, 2)),
            "a word that all have": lambda: "collection",
            "a NID": lambda: self.nid,
            "the beginning of a NID": lambda: self.nid[:5],
            "the middle of a NID": lambda: self.nid[3 : 3 + chance.randrange(2, 6)],
            "an informal NID": lambda: f"urn-{chance.randrange(self.size)}",
            "a number of a registrant": lambda: f"Body {chance.randrange(self.size) // 4}",
            "a registrant of many": lambda: "Standards Institute",
            "a word that none has": lambda: f"zzz{chance.randrange(10**6)}",
            "a word that none has, one that all have": lambda: f"collection zzz{chance.randrange(10**6)}",
        }


# Words of the real profiles, and how people mistype them.
REAL_WORDS = ("library", "medical", "video", "legal", "aviation", "book", "libraries", "mobile phone")
MISSPELT_WORDS = (
    "librery",
    "medcial",
    "vidio",
    "leagl",
    "avation",
    "journnal",
    "mobile fone",
    "brigdes",
    "colection",
)
BARE_NAMES = ("9780451450524", "0028-0836", "urn: isbn: 0451450523", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6")


def _header_searches(samples: _SampleValues) -> Iterator[RequestKind]:
    """Yield searches with the field in the header; a NID is answered with a redirect to its namespace."""
    chance = samples.chance
    words = samples.words() | {
        "a word of real namespaces": lambda: chance.choice(REAL_WORDS),
        "a misspelt word": lambda: chance.choice(MISSPELT_WORDS),
        "a misspelt word that none has": lambda: f"zzz{chance.choice(WORDS)}zzz",
        "a name without its scheme": lambda: chance.choice(BARE_NAMES),
    }
    for name, text in words.items():
        yield RequestKind(f"header: {name}", _asking(HOME, lambda text=text: {"q": text()}))  # type: ignore[misc]


# The filters of the list, from selective to unselective.
FILTERS: dict[str, Callable[[_SampleValues], Values]] = {
    "of a kind": lambda samples: {"kind": samples.chance.choice(["formal", "informal"])},
    "of a status": lambda samples: {"status": samples.chance.choice(["active", "deprecated"])},
    "of a kind and a status": lambda _: {"kind": "informal", "status": "deprecated"},
    "with a grammar": lambda _: {"grammar": "true"},
    "without a grammar": lambda _: {"grammar": "false"},
    "of a subject": lambda _: {"subject": "science"},
    "of an organisation": lambda _: {"organisation": "1"},
    "changed lately": lambda samples: {"updated_since": f"2026-06-{samples.chance.randrange(1, 30):02}"},
    "changed this year": lambda _: {"updated_since": "2026-01"},
    "changed since some day": lambda samples: {
        "updated_since": f"{samples.chance.randrange(1998, 2026)}-{samples.chance.randrange(1, 13):02}-15"
    },
    "changed since some day, of a kind": lambda samples: {
        "updated_since": f"{samples.chance.randrange(1998, 2026)}-05",
        "kind": samples.chance.choice(["formal", "informal"]),
    },
    "changed lately, of a status": lambda samples: {
        "updated_since": "2026-05-20",
        "status": samples.chance.choice(["active", "deprecated"]),
    },
}
REGISTRANTS: dict[str, Callable[[_SampleValues], Values]] = {
    "of a registrant of four": lambda samples: {
        "registrant": f"example body {samples.chance.randrange(samples.size) // 4}"
    },
    "of a registrant of many": lambda _: {"registrant": "Standards Institute"},
    "of registrants by the beginning of a word": lambda _: {"registrant": "exa"},
    "of no registrant": lambda samples: {"registrant": f"zzz{samples.chance.randrange(10**6)}"},
}
COLUMNS = ("nid", "registered_on", "updated_on")


def _searches_with_filters(samples: _SampleValues) -> Iterator[RequestKind]:
    """Yield searches with words and each filter, and by registrant, in all orders."""
    filters = FILTERS | REGISTRANTS

    def combined(*chosen: Callable[[_SampleValues], Values]) -> Callable[[], Values]:
        def values() -> Values:
            ordering = samples.chance.choice(["", "-"]) + samples.chance.choice(COLUMNS)
            return {key: value for each in chosen for key, value in each(samples).items()} | {
                "ordering": ordering
            }

        return values

    for name, of_list in REGISTRANTS.items():
        yield RequestKind(f"API: {name}", _asking(API, combined(of_list)))
        for other, more in FILTERS.items():
            yield RequestKind(f"API: {name}, {other}", _asking(API, combined(of_list, more)))
    for name, of_list in filters.items():
        words = combined(of_list, lambda samples: {"q": samples.common})
        yield RequestKind(f"API: a word that many have, {name}", _asking(API, words))


def _lists(samples: _SampleValues) -> Iterator[RequestKind]:
    """Yield lists without words: each filter in each order and direction, from the first or a later page."""

    def combined(chosen: Callable[[_SampleValues], Values], column: str, **rest: str) -> Callable[[], Values]:
        def values() -> Values:
            ordering = samples.chance.choice(["", "-"]) + column
            after = {"after": samples.after(column)} if samples.chance.random() < 0.5 else {}
            return {**chosen(samples), "ordering": ordering, **after, **rest}

        return values

    everything: dict[str, Callable[[_SampleValues], Values]] = {"all": lambda _: {}}
    for name, chosen in (everything | FILTERS).items():
        for column in COLUMNS:
            yield RequestKind(f"API: {name}, by {column}", _asking(API, combined(chosen, column)))
    for name in ("all", "of a kind", "changed since some day"):
        large = combined((everything | FILTERS)[name], "updated_on", page_size="1000")
        yield RequestKind(f"API: a thousand, {name}", _asking(API, large), LONGEST_OF_A_THOUSAND)


def _pages(samples: _SampleValues) -> Iterator[RequestKind]:
    chance = samples.chance
    yield RequestKind("page: the list", lambda: PAGES)
    yield RequestKind("page: the first page", lambda: "/")
    for sort, column in (("nid", "nid"), ("newest", "registered_on"), ("updated", "updated_on")):
        yield RequestKind(
            f"page: a page of the list, {sort}",
            _asking(PAGES, lambda sort=sort, column=column: {"sort": sort, "after": samples.after(column)}),  # type: ignore[misc]
        )
    yield RequestKind(
        "page: of a kind and a status",
        _asking(PAGES, lambda: {"kind": "formal", "status": chance.choice(["active", "deprecated"])}),
    )
    yield RequestKind(
        "page: a word that many have, of a kind, newest first",
        _asking(PAGES, lambda: {"q": samples.common, "kind": "informal", "sort": "newest"}),
    )


def _asking(start: str, values: Callable[[], Values]) -> Callable[[], str]:
    return lambda: f"{start}?{urlencode(values())}"
