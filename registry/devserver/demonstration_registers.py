"""The registers of the demonstration, one of each policy: with entries, and with requests in each state."""

from collections.abc import Callable
from functools import partial
from typing import Any

from registry.devserver.demonstration_cases import LISTS, AdvanceDays, person
from registry.namespaces.models import Namespace
from registry.organisations.actions.organisations import create_organisation
from registry.registers.actions import changes, entries, lists, registers, requests
from registry.registers.actions.fields import declare_fields
from registry.registers.actions.recalls import recall_entry
from registry.registers.fields import FieldKind
from registry.registers.models import Entry, Register
from registry.registers.policies import Policy

GUIDANCE = (
    "A garden gets one number, for all its places.\n\n"
    "Reviewers look at two things: whether the garden keeps a catalogue of its trees that the public can read, and whether "
    "it has no number yet."
)

FIELDS: list[dict[str, Any]] = [
    {
        "label": "Kind of garden",
        "help": "Where its trees stand.",
        "kind": FieldKind.CHOICE.value,
        "choices": ["Park", "Arboretum", "Orchard", "Other"],
        "required": True,
    },
    {
        "label": "Open to visitors since",
        "help": "The first day on which people could see the trees.",
        "kind": FieldKind.DATE.value,
    },
]

# Kept on paper before.
LANDINGS = """\
label,title,status,successor,registered,history
north-quay,North Quay,,,1987,"[{""date"": ""2003-04"", ""change"": ""changed"", ""source"": ""Harbour gazette, number 12""}]"
old-quay,Old Quay,retired,north-quay,1911,"[{""date"": ""1986-10-31"", ""change"": ""retired"", ""title"": ""Old Quay""}]"
"""


def make_registers(advance_days: AdvanceDays) -> list[str]:
    """Open those that are missing. Returns what was made."""
    made = [_make_gardens(advance_days), *(_make(**each) for each in LISTS if "policy" in each)]
    return [f"register “{each}”" for each in made if each]


def _without_register(**conditions: Any) -> Namespace | None:
    return Namespace.objects.filter(profile__isnull=False, registers=None, **conditions).first()


def _make_gardens(advance_days: AdvanceDays) -> Register | None:
    """One that is first come first served for some days, and reviewed after that, with fields of its own, and a request in
    each state.
    """
    trees = _without_register(nid="example-trees")
    if trees is None:
        return None
    holder, requester = person("registrant"), person("second-registrant")
    register: Register = registers.open_register(
        trees,
        by=holder,
        policy="first_come",
        entry_name="garden",
        title="Gardens with numbered trees",
        guidance="",
    )
    registers.register_entry(register, by=holder, label="12", title="Botanical Garden of Exampletown")
    ask = partial(requests.request_entry, register, by=requester, contact=requester.email)
    ask(label="14", title="Rose garden at the old mill", register_version=1)
    advance_days(1)
    registers.change_register(
        register, by=holder, policy="expert_review", title=register.title, guidance=GUIDANCE, replaces=1
    )
    declare_fields(register, by=holder, fields=FIELDS, replaces=2)
    ask = partial(ask, register_version=3)
    accepted = ask(
        label="23",
        title="Arboretum of the Example University",
        reference="Catalogue of 2026",
        fields={"kind_of_garden": "Arboretum", "open_to_visitors_since": "1912-04-01"},
    )
    asked = ask(
        label="31",
        title="Orchard",
        fields={"kind_of_garden": "Orchard"},
        note="We keep old kinds of apples.",
    )
    refused = ask(label="45", title="Balcony", fields={"kind_of_garden": "Other"})
    withdrawn = ask(label="58", title="Tree nursery", fields={"kind_of_garden": "Other"})
    ask(
        label="67",
        title="Park with ginkgos",
        reference="https://park.example.org/trees",
        fields={"kind_of_garden": "Park", "open_to_visitors_since": "1888-05-12"},
    )
    requests.accept_request(accepted, by=holder, revision=1)
    requests.ask_for_changes(
        asked, by=person("participant"), revision=1, text="Whose orchard is it? Name it in the title, please."
    )
    requests.comment_on_request(asked, by=requester, text="It belongs to the village. I ask for its name.")
    requests.refuse_request(
        refused, by=holder, revision=1, reason="A balcony has no catalogue that the public can read."
    )
    requests.withdraw_request(withdrawn, by=requester)
    roses = register.entries.get(person=requester, subnamespace__prefix="14")
    entries.offer_entry(roses, by=requester, to=person("participant").email)
    other = {"kind_of_garden": "Other"}
    palms = registers.register_entry(register, by=holder, label="9", title="Palm house", fields=other)
    change = {"title": "Palm house", "status": "deprecated", "successor": "12", "fields": other}
    _change(palms, "registrant", **change)
    return register


def _make(
    *, policy: str, title: str, entry: str, guidance: str = "", **of_profile: object
) -> Register | None:
    """One below an informal namespace."""
    namespace = _without_register(profile__content__title=title)
    if namespace is None:
        return None
    register: Register = registers.open_register(
        namespace,
        by=person("registrant"),
        # A closed one took requests before.
        policy="expert_review" if policy == Policy.CLOSED else policy,
        entry_name=entry,
        title=title,
        guidance=guidance,
    )
    if fill := FILL.get(policy):
        fill(register)
    return register


def _delegate(register: Register) -> None:
    """A municipality numbers what it owns in a register of its own, which the order about another label does not concern."""
    exampletown, _ = (
        registers.register_entry(register, by=person("registrant"), label=label, title=title)
        for label, title in (("exampletown", "Exampletown"), ("sampleton", "Sampleton"))
    )
    mayor = person("second-registrant")
    town = create_organisation(by=mayor, name="Municipality of Exampletown")
    offer = entries.offer_entry(exampletown, by=person("registrant"), to=mayor.email)
    entry = entries.accept_entry(offer, by=mayor, organisation=town).entry
    benches = entries.open_branch(
        entry,
        by=mayor,
        policy="first_come",
        title="Benches and lamps of Exampletown",
        guidance="Clubs that look after a bench can choose the number of its plate.",
    )
    registers.register_entry(benches, by=mayor, label="17", title="Bench at the fountain")
    _ask(benches, "participant", label="23", title="Bench of the chess club")
    registers.suspend_register(
        register,
        by=person("administrator"),
        reason="Order of the court of Exampletown, which decides to which of two municipalities the label “sampleton” belongs.",
    )


def _serve(register: Register) -> None:
    for who, label, title in (
        ("second-registrant", "example-works", "Example Works"),
        ("participant", "tiny-tracks", "Tiny Tracks"),
    ):
        _ask(register, who, label=label, title=title)
    recall_entry(
        register.entries.get(subnamespace__prefix="tiny-tracks"),
        by=person("registrant"),
        reason="The maker moved, and letters to the new address come back.",
    )


def _specify(register: Register) -> None:
    accepted = _ask(
        register,
        "second-registrant",
        label="frame-sizes",
        title="Sizes of frames",
        reference="Frames, 2nd edition, https://bees.example.org/frames/2",
    )
    _ask(
        register,
        "second-registrant",
        label="swarms",
        title="Reports of swarms",
        reference="https://bees.example.org/swarms/1",
    )
    requests.accept_request(accepted, by=person("registrant"), revision=1)
    frames = register.entries.get(subnamespace__prefix="frame-sizes")
    edition = "Frames, 3rd edition, https://bees.example.org/frames/3"
    _change(frames, "second-registrant", title="Sizes of frames", status="active", reference=edition)


def _change(entry: Entry, who: str, **change: Any) -> None:
    """A change of an entry as it is now, by its holder: at once, or as a request."""
    entry = Entry.objects.with_places().get(pk=entry.pk)
    read = {"replaces": entry.subnamespace.version, "register_version": entry.register.version}
    changes.change_entry(entry, by=person(who), **read, **change)


def _close(register: Register) -> None:
    holder = person("registrant")
    lists.write_entries(register, by=holder, document=LANDINGS, list_format="csv", replaces=0)
    _ask(register, "participant", label="south-quay", title="South Quay")
    registers.change_register(
        register,
        by=holder,
        policy="closed",
        title=register.title,
        guidance="The ferry line has ended: no landing is added.",
        replaces=1,
    )


def _ask(register: Register, who: str, **asked: str) -> Any:
    requester = person(who)
    return requests.request_entry(
        register, by=requester, contact=requester.email, register_version=1, **asked
    )


FILL: dict[str, Callable[[Register], None]] = {
    Policy.HIERARCHICAL: _delegate,
    Policy.FIRST_COME: _serve,
    Policy.SPECIFICATION: _specify,
    Policy.CLOSED: _close,
}
