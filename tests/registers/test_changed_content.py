"""What an entry says after a change: which values are judged, and whose statement it is."""

import json

import pytest
from django.utils import timezone

from registry.accounts.models import User
from registry.mail.models import Message
from registry.registers import subjects
from registry.registers.actions.changes import revise_change
from registry.registers.actions.fields import declare_fields
from registry.registers.actions.lists import write_entries
from registry.registers.actions.registers import register_entry
from registry.registers.actions.requests import accept_request
from registry.registers.fields import FieldValueRefused
from registry.registers.models import Register
from registry.subnamespaces.models import SubNamespace
from tests.registers.conftest import ASKED, a_deep_namespace, a_register, a_request
from tests.registers.test_changes import PAGES, change, content_of, entry_of, under
from tests.registers.test_entries import import_list
from tests.support.browser import post_form, signed_in

# What an entry says, in fields that did not ask for it at that time, beside one that is changed.
FREE = {"trees": "Oaks\nElms", "town": "Oxford", "opened": "in spring", "site": "not on the web"}
CHOICES = ["London", "Bath"]
STRICTER: list[dict[str, object]] = [
    {"name": "trees", "label": "Trees"},
    {"name": "town", "label": "Town", "kind": "choice", "choices": CHOICES, "required": True},
    {"name": "opened", "label": "Opened", "kind": "date"},
    {"name": "site", "label": "Site", "kind": "url"},
    {"label": "Area", "kind": "number", "required": True},
    {"label": "Rose"},
]


def test_only_the_values_that_change_are_judged(register: Register, holder: User) -> None:
    """The others no longer fit their fields, or lack what is needed now. The form sends them back as they are."""
    fields = [{"label": name.capitalize(), "kind": "lines"} for name in FREE]
    declare_fields(register, by=holder, fields=fields, replaces=1)
    register_entry(register, by=holder, label="kew", title="Kew", fields=FREE)
    declare_fields(register, by=holder, fields=STRICTER, replaces=2)
    change("kew", by=holder, fields={**FREE, "rose": "Red"})
    assert content_of("kew")["fields"] == {**FREE, "rose": "Red"}
    for wrong in ({"town": "Paris"}, {"town": ""}, {"area": "large"}, {"opened": "in June"}):
        with pytest.raises(FieldValueRefused):
            change("kew", by=holder, fields={**FREE, "rose": "Red", **wrong})
    line = {"label": "kew", "title": "Kew", "fields": {**FREE, "rose": "White"}}
    list_of_one = {"document": json.dumps(line), "list_format": "jsonl"}
    write_entries(register, by=holder, **list_of_one, replaces=entry_of("kew").subnamespace.version)
    assert content_of("kew")["fields"]["rose"] == "White"
    browser, address = signed_in(holder), f"{PAGES}entries/{entry_of('kew').pk}/change/"
    shown = browser.get(address).text
    for value in FREE.values():
        assert value in shown
    assert 'type="date"' not in shown
    values = {f"field_{name}": value.replace("\n", "\r\n") for name, value in FREE.items()}
    sent = {
        "title": "Kew",
        "status": "active",
        "register_version": 3,
        "replaces": 3,
        **values,
        "field_rose": "Blue",
    }
    assert post_form(browser, address, sent | {"field_area": "large"}).status_code == 422
    assert post_form(browser, address, sent).status_code == 302
    assert content_of("kew")["fields"] == {**FREE, "rose": "Blue"}


def test_a_change_of_a_removed_field_alone_is_not_accepted(
    register: Register, holder: User, requester: User
) -> None:
    """It would drop the value, and write a version that changes nothing."""
    a_request(register, by=requester)
    under("expert_review", holder)
    declare_fields(register, by=holder, fields=[{"label": "Trees"}], replaces=2)
    made = change("kew", by=requester, title=ASKED["title"], fields={"trees": "Oaks"})
    declare_fields(register, by=holder, fields=[], replaces=3)
    with pytest.raises(subjects.InvalidChange, match="were removed from the register"):
        accept_request(made, by=holder, revision=1)
    made.refresh_from_db()
    assert made.is_undecided
    assert not Message.objects.filter(name="accept_change").exists()
    revise_change(
        made, by=requester, title="Kew Park", status="active", register_version=4, replaces=1, revision=1
    )
    accept_request(made, by=holder, revision=2)
    assert content_of("kew")["title"] == "Kew Park"


def test_a_changed_entry_is_a_statement_of_its_register(register: Register, holder: User) -> None:
    """An import named another source, as of a day before. What does not change keeps it."""
    import_list(register.namespace, "kew", "elm", "oak")
    named = {name: content_of("oak")[name] for name in ("source", "as_of")}
    change("kew", by=holder, status="deprecated", title=content_of("kew")["title"])
    lines = [{"label": "elm", "title": "Elm Park"}, {"label": "oak", "title": content_of("oak")["title"]}]
    document = "\n".join(map(json.dumps, lines))
    write_entries(register, by=holder, document=document, list_format="jsonl", replaces=2)
    today = {"source": "Register of urn:example-trees", "as_of": timezone.now().date().isoformat()}
    assert today["source"] != named["source"]
    for label, said in (("kew", today), ("elm", today), ("oak", named)):
        assert {name: content_of(label)[name] for name in said} == said


def test_what_was_only_imported_below_an_entry_stays_when_it_is_retired(holder: User) -> None:
    register = a_register(a_deep_namespace(registrant=holder), by=holder)
    import_list(register.namespace, "kew", "kew:rose")
    change("kew", by=holder, status="retired")
    statuses = dict(SubNamespace.objects.values_list("prefix", "status"))
    assert statuses == {"kew": "retired", "kew:rose": "active"}
