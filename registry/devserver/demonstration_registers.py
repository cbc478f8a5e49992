"""The register of the demonstration: gardens below urn:example-trees, with entries, and requests in each state."""

from functools import partial

from registry.devserver.demonstration_cases import AdvanceDays, person
from registry.namespaces.models import Namespace
from registry.registers.actions import registers, requests
from registry.registers.models import Register

GUIDANCE = (
    "A garden gets one number, for all its places.\n\n"
    "Reviewers look at two things: whether the garden keeps a catalogue of its trees that the public can read, and whether "
    "it has no number yet."
)


def make_register(advance_days: AdvanceDays) -> list[str]:
    """Open a register that is first come first served for some days, and reviewed after that. Returns what was made."""
    trees = Namespace.objects.filter(nid="example-trees", profile__isnull=False).first()
    if trees is None or Register.objects.filter(namespace=trees).exists():
        return []
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
    ask = partial(ask, register_version=2)
    advance_days(1)
    registers.change_register(
        register, by=holder, policy="expert_review", title=register.title, guidance=GUIDANCE, replaces=1
    )
    accepted = ask(label="23", title="Arboretum of the Example University", reference="Catalogue of 2026")
    asked = ask(label="31", title="Orchard", note="We keep old kinds of apples.")
    refused = ask(label="45", title="Balcony")
    withdrawn = ask(label="58", title="Tree nursery")
    ask(label="67", title="Park with ginkgos", reference="https://park.example.org/trees")
    requests.accept_request(accepted, by=holder, revision=1)
    requests.ask_for_changes(
        asked, by=person("participant"), revision=1, text="Whose orchard is it? Name it in the title, please."
    )
    requests.comment_on_request(asked, by=requester, text="It belongs to the village. I ask for its name.")
    requests.refuse_request(
        refused, by=holder, revision=1, reason="A balcony has no catalogue that the public can read."
    )
    requests.withdraw_request(withdrawn, by=requester)
    return [f"register “{register}”"]
