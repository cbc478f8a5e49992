"""The services that a proposal makes: new ones, and those of the current profile, whose other keys stay."""

import pytest
from django.conf import settings

from registry.namespaces.models import Kind, Namespace
from registry.namespaces.proposals.applying import apply_proposal, as_proposed, with_number
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.namespaces.proposals.services import ServiceLine, service_lines
from tests.namespaces.proposals.samples import SERVICES, a_proposal
from tests.support.factories import a_profile
from tests.support.services import a_service
from urnsyntax.profiles import InvalidProfile, Profile, Service
from urnsyntax.profiles.services.service import MAX_PRIORITY

NID = "example-trees"


def folded(services: str, current: Profile | None = None, **changes: str) -> tuple[Service, ...]:
    """The services after a proposal that states them, for a new namespace also the other members."""
    proposed = (
        ProposedProfile(services=services, **changes) if current else a_proposal(services=services, **changes)
    )
    return apply_proposal(proposed, current, nid=NID, subjects=() if current else ("science",)).services


def a_current(*services: dict[str, object], **changes: object) -> Profile:
    return a_profile(services=list(services), **changes)


def test_lines_of_services_have_numbers() -> None:
    assert list(service_lines("\nI2C https://a.example/{nss}   A  page \n\n I2R\n")) == [
        ServiceLine(2, "I2C", "https://a.example/{nss}", "A  page"),
        ServiceLine(4, "I2R", "", ""),
    ]


def test_a_new_service_names_the_registration_and_the_examples_that_it_takes() -> None:
    photograph, page = folded(SERVICES)
    assert (photograph.kind, photograph.title, photograph.passes_q) == (
        "I2R",
        "Photograph of the tree",
        False,
    )
    assert (page.kind, page.title, page.passes_q) == ("I2C", "Page of the tree", True)
    assert page.examples == ("urn:example-trees:12:4711", "urn:example-trees:1:1", "urn:example-trees:99:4")
    assert page.source.document == "Registration of urn:example-trees"
    assert page.source.url == f"{settings.PUBLIC_ORIGIN}/namespaces/example-trees/profile/"
    with_leaves = a_proposal(
        abnf='tree = 1*DIGIT ":" number [ "/" leaf ]\nnumber = 1*8DIGIT\nleaf = 1*ALPHA',
        examples="urn:example-trees:1:1\nurn:example-trees:1:2/a\nurn:example-trees:1:3/b",
        services="I2C https://gardens.example/{leaf}  Page of the leaf",
    )
    [leaf] = apply_proposal(with_leaves, None, nid=NID, subjects=("science",)).services
    assert leaf.examples == ("urn:example-trees:1:2/a", "urn:example-trees:1:3/b")


def test_the_profile_says_that_its_services_are_from_the_registration() -> None:
    profile = apply_proposal(a_proposal(services=SERVICES), None, nid=NID, subjects=("science",))
    [source] = [each for each in profile.sources if "services" in each.facts]
    assert source.kind == "registration"
    assert profile.services_for("urn:example-trees:12:4711")[0].address == (
        "https://gardens.example/trees/4711?garden=12"
    )


def test_a_service_that_stays_keeps_its_other_keys() -> None:
    kept = a_service(NID, language="de", media_type="text/html", priority=4, checked_on="2026-11-01")
    current = a_current(kept)
    template = kept["template"]
    first, second = folded(
        f"I2C {template}  New title\nI2R https://trees.example/{{nss}}  Photograph", current
    )
    assert first == Profile.from_dict(a_current(kept | {"title": "New title"}).to_dict()).services[0]
    assert (second.language, second.priority) == ("", 5)


@pytest.mark.parametrize(
    ("lines", "priorities"),
    [
        ("AB", [1, 1]),
        ("ABC", [1, 1, 3]),
        ("CAB", [3, 4, 4]),
        ("BA", [1, 1]),
        ("NAB", [0, 1, 1]),
        ("ANB", [1, 2, 3]),
        ("NM", [0, 1]),
    ],
)
def test_services_come_in_the_order_of_their_lines(lines: str, priorities: list[int]) -> None:
    """A and B are equally good in the current profile, C comes after them, and N and M are new."""
    stated = {"A": 1, "B": 1, "C": 3}
    current = a_current(
        *(
            a_service(NID, title=each, template=f"https://{each.lower()}.example/{{nss}}", priority=priority)
            for each, priority in stated.items()
        )
    )
    text = "\n".join(f"I2C https://{each.lower()}.example/{{nss}}  {each}" for each in lines)
    found = folded(text, current)
    assert [each.title for each in found] == list(lines)
    assert [each.priority for each in found] == priorities


def test_the_priorities_of_current_services_leave_room_for_others() -> None:
    page, copy = (
        a_service(NID, title=title, template=f"https://{title}.example/{{nss}}", priority=MAX_PRIORITY)
        for title in ("page", "copy")
    )
    current = a_current(page, copy)
    found = folded(f"{as_proposed(current).services}\nI2R https://trees.example/{{nss}}  Photograph", current)
    assert [(each.title, each.priority) for each in found] == [("page", 0), ("copy", 0), ("Photograph", 1)]


def test_services_with_one_template_are_told_apart_by_their_titles() -> None:
    german, english = (
        a_service(NID, title=title, language=language, priority=number)
        for number, (title, language) in enumerate((("Seite", "de"), ("Page", "en")))
    )
    line = f"I2C {german['template']}"
    found = folded(f"{line}  Page\n{line}  Seite\n{line}  Another", a_current(german, english))
    assert [each.language for each in found] == ["en", "de", ""]


def test_what_the_current_profile_says_changes_nothing() -> None:
    current = a_current(a_service(NID, priority=3), a_service(NID, title="First", priority=1))
    assert apply_proposal(as_proposed(current), current, nid=NID) == current
    assert apply_proposal(ProposedProfile(title="Oaks"), current, nid=NID).services == current.services


@pytest.mark.parametrize(
    ("services", "key"),
    [
        ("I2C https://a.example/{nss}  A\nI2C https://a.example/{leaf}  B", "services[1].template"),
        ("\n".join(f"I2C https://a.example/{n}/{{nss}}  Page" for n in range(31)), "services"),
    ],
)
def test_a_service_that_does_not_fit_has_a_place(services: str, key: str) -> None:
    with pytest.raises(InvalidProfile) as caught:
        folded(services)
    assert caught.value.key == key


def test_an_informal_namespace_gets_its_number_but_no_other_host_or_variable() -> None:
    line = "I2C https://urn-n.example:8443/urn-N/urn:urn-N:{nss}/{+urn-n:lower}  Page of urn-N"
    numbered = with_number(ProposedProfile(services=line), Namespace(nid="urn-7", kind=Kind.INFORMAL))
    assert numbered.services == (
        "I2C https://urn-n.example:8443/urn-7/urn:urn-7:{nss}/{+urn-n:lower}  Page of urn-7"
    )
