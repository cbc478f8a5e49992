"""The registry as a table: in plain text, and as one self-contained HTML page."""

import base64
import hashlib
from collections.abc import Iterable, Iterator

from django.utils.html import escape
from django.utils.html import format_html as safely

from registry.namespaces.models import Kind
from registry.publication.formats.published_namespaces import (
    PublishedNamespace,
    published_head,
    published_namespaces,
)
from registry.publication.iana.csv_format import bracketed_labels
from registry.publication.iana.records import Element, IanaFile, Record, Xref

TITLES = {Kind.FORMAL: "Formal URN Namespaces", Kind.INFORMAL: "Informal URN Namespaces"}
HEADER = ("URN Namespace", "Registered", "Updated", "Template", "Reference")
# A NID has 32 characters at most (RFC 8141, Section 2); most have far fewer, and so have their labels.
WIDTHS = (20, 10, 10, 24)


def format_text() -> Iterator[str]:
    """Yield the lines of both lists, each as a table."""
    yield "Uniform Resource Names (URN) Namespaces\n"
    yield f"\nLast updated: {published_head().updated}\n"
    for kind, title in TITLES.items():
        yield f"\n{title}\n{'=' * len(title)}\n\n"
        yield _text_row(*HEADER)
        yield _text_row(*("-" * width for width in WIDTHS), "-" * len(HEADER[-1]))
        for entry in published_namespaces(kind):
            yield _text_row(*_cells(entry.record), _reference(entry))


def _cells(record: Record) -> tuple[str, str, str, str]:
    return record.name, record.date, record.updated, bracketed_labels(record.template_column)


def _reference(entry: PublishedNamespace) -> str:
    reference = bracketed_labels(entry.record.reference_column)
    return f"{reference} ({entry.remark})" if entry.remark else reference


def _text_row(*cells: str) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=False)]
    return "  ".join([*padded, cells[-1]]).rstrip() + "\n"


STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; }
table { border-collapse: collapse; width: 100%; }
caption { font-size: 1.25rem; font-weight: 600; padding: 1rem 0 .5rem; text-align: left; }
th, td { border-bottom: 1px solid #8888; padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: Canvas; }
tbody th { font-family: ui-monospace, monospace; font-weight: 400; }
.scroll { overflow-x: auto; }
"""


def style_source(style: str) -> str:
    """The hash that a Content Security Policy must allow for an embedded style sheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"


LIST_IDS = {Kind.FORMAL: "urn-namespaces-1", Kind.INFORMAL: "urn-namespaces-2"}


def format_html() -> Iterator[str]:
    """Yield the page: both lists as tables, with links to the registry's pages and to references."""
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>URN Namespaces</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        "<h1>Uniform Resource Names (URN) Namespaces</h1>\n"
    )
    head = published_head()
    yield safely('<p>Last updated <time datetime="{0}">{0}</time></p>\n', head.updated)
    for kind, title in TITLES.items():
        yield from _table(LIST_IDS[kind], title, _rule(head, kind), published_namespaces(kind))
    yield "</body>\n</html>\n"


def _rule(head: IanaFile, kind: Kind) -> str:
    above = head.formal_head if kind == Kind.FORMAL else head.informal_head
    return " ".join(_words(each) for each in above if each.tag == "registration_rule")


def _words(element: Element) -> str:
    """Return a text of the head with its references as plain text."""
    if element.tag == "xref":
        return Xref(element.attribute("type"), element.attribute("data"), element.text).display_text
    return "".join(part if isinstance(part, str) else _words(part) for part in element.content)


def _table(list_id: str, title: str, rule: str, entries: Iterable[PublishedNamespace]) -> Iterator[str]:
    yield safely('<div class="scroll" role="region" tabindex="0" aria-label="{}">\n', title)
    yield safely('<table id="table-{}">\n<caption>{}</caption>\n<thead><tr>', list_id, title)
    yield "".join(f'<th scope="col">{each}</th>' for each in HEADER) + "</tr></thead>\n<tbody>\n"
    yield from (_html_row(entry) for entry in entries)
    yield "</tbody>\n</table>\n</div>\n"
    if rule:
        yield safely("<p>Registration procedure: {}</p>\n", rule)


def _html_row(entry: PublishedNamespace) -> str:
    record = entry.record
    remark = safely(" <em>({})</em>", entry.remark) if entry.remark else ""
    return (
        f'<tr id="{escape(record.nid)}"><th scope="row"><a href="{escape(entry.page)}">{escape(record.name)}</a></th>'
        f"<td>{escape(record.date)}</td><td>{escape(record.updated)}</td>"
        f"<td>{_links(record.template_column)}</td><td>{_links(record.reference_column)}{remark}</td></tr>\n"
    )


def _links(column: Iterable[Xref]) -> str:
    return ", ".join(
        f'<a href="{escape(xref.url)}">{escape(xref.display_text)}</a>'
        if xref.url
        else escape(xref.display_text)
        for xref in column
    )
