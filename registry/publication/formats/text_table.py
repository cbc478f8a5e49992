"""The registry as a plain text table, with the widest column last."""

from collections.abc import Iterator

from registry.namespaces.models import Kind
from registry.publication.formats.published_namespaces import (
    PublishedNamespace,
    published_head,
    published_namespaces,
)
from registry.publication.iana.csv_format import bracketed_labels
from registry.publication.iana.records import Record

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
        yield _row(*HEADER)
        yield _row(*("-" * width for width in WIDTHS), "-" * len(HEADER[-1]))
        for entry in published_namespaces(kind):
            yield _row(*_cells(entry.record), _reference(entry))


def _cells(record: Record) -> tuple[str, str, str, str]:
    return record.name, record.date, record.updated, bracketed_labels(record.template_column)


def _reference(entry: PublishedNamespace) -> str:
    reference = bracketed_labels(entry.record.reference_column)
    return f"{reference} ({entry.remark})" if entry.remark else reference


def _row(*cells: str) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=False)]
    return "  ".join([*padded, cells[-1]]).rstrip() + "\n"
