"""What a request for a change of an entry changes, as pages show it."""

from typing import Any

from registry.registers.changes import label_of
from registry.registers.models import EntryRequest
from registry.subnamespaces.differences import differences


def difference_of(request: EntryRequest) -> list[tuple[str, str, str]]:
    """What a request for a change changes, as `differences`, beginning with the content that its author read. Fields have their
    labels.
    """
    entry = request.entry
    if entry is None:
        return []
    row = entry.subnamespace
    replaced = (
        None
        if row.version == request.replaces
        else row.replaced.filter(version=request.replaces or 0).first()
    )
    old: dict[str, Any] = (replaced or row).content
    successor = request.successor and (
        old["successor"]
        if label_of(entry.register, old.get("successor", "")) == request.successor
        else f"{entry.register.place.before}{request.successor}"
    )
    given = {
        "title": request.title,
        "reference": request.reference,
        "fields": request.fields,
        "status": request.status,
        "successor": successor,
    }
    new = {**old, **given}
    labels = {f"field {each.name}".replace("_", " "): each.label for each in entry.register.declared}
    found = differences(old, {name: value for name, value in new.items() if value})
    return [(labels.get(name, name), before, after) for name, before, after in found]
