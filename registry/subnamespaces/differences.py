"""Pages that show what a list would change, before it is written."""

import json
from collections.abc import Callable
from itertools import islice
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from registry.accounts.middleware import SignedInRequest
from registry.actions.declarations import Action
from registry.actions.forms import ActionForm
from registry.core.exceptions import RegistryError
from registry.core.form_views import process_form, with_values
from registry.subnamespaces.importing import ListChange
from registry.subnamespaces.models import MEMBER_WORDS, Status, SubNamespace
from urnsyntax.profiles.subnamespaces.history import stored_history
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Entry

MAX_SHOWN = 100  # of the sub-namespaces that a list adds, changes or retires


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The members that differ, as pages call them, each with its old and its new value as text, "" if there is none. Each field is a
    member. Of a history, only the records that are added are shown, in words.
    """
    past, later = _records(old), _records(new)
    # A history is only added to: what is kept is no difference.
    kept = len(past) if later[: len(past)] == past else 0
    old = {**_flat(old), "history": "; ".join(past[kept:])}
    new = {**_flat(new), "history": "; ".join(later[kept:])}
    names = [each for each in {**old, **new} if each != "prefix" and old.get(each) != new.get(each)]
    return [
        (MEMBER_WORDS.get(name, name.replace("_", " ")), _text(old.get(name, "")), _text(new.get(name, "")))
        for name in names
    ]


def _flat(content: dict[str, Any]) -> dict[str, Any]:
    """The members of a content, with its status if that is left out, and with those of `fields` after them."""
    status = content.get("status", Status.ACTIVE.value)
    return {**content, "status": status, "fields": {}} | {
        f"field_{name}": value for name, value in content.get("fields", {}).items()
    }


def _records(content: dict[str, Any]) -> list[str]:
    """The records of a history in words, such as “2003-04: changed, Harbour gazette”."""
    records = stored_history(content.get("history", ()))
    return [f"{each.date}: {', '.join([each.change, *each.texts])}" for each in records]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(change: ListChange) -> dict[str, Any]:
    """What a list would change, at most MAX_SHOWN of each kind."""

    def pair(row: SubNamespace, entry: Entry) -> dict[str, Any]:
        return {"entry": entry, "members": differences(row.content, entry.to_dict())}

    return {
        "counts": change.counts,
        "is_empty": change.is_empty,
        "most": MAX_SHOWN,
        "added": list(islice(change.added.values(), MAX_SHOWN)),
        "changed": [pair(row, entry) for _, row, entry in change.changed[:MAX_SHOWN]],
        "retired": [entry for *_, entry in change.retired[:MAX_SHOWN]],
    }


def show_difference(
    action: Action[Any],
    template: str,
    plan: Callable[..., ListChange],
    *arguments: str,
    context: Callable[[Any], dict[str, Any]],
) -> Callable[[SignedInRequest, Any], HttpResponse | None]:
    """What an action page shows instead, if the button for the difference was pressed: the page with what the list in the form
    would change. Nothing is changed.

    `plan` gets the subject, and these arguments of the action. `context` makes more of the context from the subject.
    """

    def page_for(request: SignedInRequest, subject: Any) -> HttpResponse | None:
        if request.method != "POST" or "difference" not in request.POST:
            return None
        form = ActionForm(request.POST, action=action, subject=subject, by=request.user)
        # Read before the list is, so that another version in between is noticed.
        form.data = with_values(form.data, **form.stamps(subject))
        shared = {"form": form, "action": action, "subject": subject, **context(subject)}

        def compare() -> HttpResponse:
            form.check_open()
            given = {name: form.cleaned_data[name] for name in arguments}
            return render(request, template, shared | {"change": _shown(plan(subject, **given))})

        def page(refusal: RegistryError | None = None) -> HttpResponse:
            shown = form.show_refusal(refusal) if refusal else None
            return render(request, template, shared | {"refusal": shown})

        return process_form(form, compare, page)

    return page_for
