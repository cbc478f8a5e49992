"""Differences between two versions of an entry, or of the head, of IANA's registry."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace

from registry.publication.iana.records import Element, Record, Xref


def fill_from_known(record: Record, known: Record) -> Record:
    """Complete an entry of a CSV file with details of the known entry where the labels agree."""
    if _labels(record) == _labels(known):
        return known
    record = replace(record, date=known.date, updated=known.updated)
    if _labels_of(record.template_column) == _labels_of(known.template_column):
        if record.is_formal:
            return replace(record, template=known.template)
        return replace(record, references=known.template_column)
    if _labels_of(record.reference_column) == _labels_of(known.reference_column):
        if record.is_formal:
            return replace(record, references=known.references)
        return replace(record, contact=known.reference_column)
    return record


def _labels(record: Record) -> tuple[list[str], list[str]]:
    return _labels_of(record.template_column), _labels_of(record.reference_column)


def _labels_of(column: Iterable[Xref]) -> list[str]:
    return [xref.display_text for xref in column]


def differences(old: Record | None, new: Record | None) -> dict[str, tuple[str, str]]:
    before, after = old.field_texts() if old else {}, new.field_texts() if new else {}
    pairs = {name: (before.get(name, ""), after.get(name, "")) for name in {**before, **after}}
    return {name: (was, will) for name, (was, will) in pairs.items() if was != will}


PART_NAMES = {"head": "", "formal_head": "formal ", "informal_head": "informal ", "people": ""}


def head_differences(
    part: str, before: tuple[Element, ...], after: tuple[Element, ...]
) -> dict[str, tuple[str, str]]:
    """Return the changes in one part of the head by element, such as `formal registration_rule`.

    Changes of people are only counted.
    """
    if part == "people":
        return {"people": (str(len(before)), str(len(after)))}
    changes = {}
    for tag in dict.fromkeys(element.tag for element in (*before, *after)):
        old, new = ([each for each in elements if each.tag == tag] for elements in (before, after))
        if old != new:
            changes[PART_NAMES[part] + tag] = (_joined_text(old), _joined_text(new))
    return changes or {PART_NAMES[part] + "order": ("", "")}


def _joined_text(elements: Iterable[Element]) -> str:
    return " ".join(element.display_text for element in elements)


def content_digest(record: Record) -> str:
    """Return a digest of an entry without its name, so that a renamed entry keeps its digest."""
    fields = {name: text for name, text in record.field_texts().items() if name != "name"}
    fields["kind"] = "formal" if record.is_formal else "informal"
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
