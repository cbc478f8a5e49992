"""Services as mappings: what the schema takes, and how it points at a fault."""

import json

import pytest

from tests.urnsyntax.profiles.samples import mapping
from tests.urnsyntax.profiles.services.samples import GRAMMAR, SOURCE, service, trees
from urnsyntax.profiles import InvalidProfile, Profile
from urnsyntax.profiles.services.service import KINDS


def source(**changes):
    return service(source={**SOURCE, **changes})


REFUSED = [
    (service(title=None), "services[0].title: The key is missing."),
    (service(kind=None), "services[0].kind: The key is missing."),
    (service(template=None), "services[0].template: The key is missing."),
    (service(source=None), "services[0].source: The key is missing."),
    (service(examples=None), "services[0].examples: The key is missing."),
    (service(examples=[]), "services[0].examples: The list has 0 items; it needs 1 to 10."),
    (service(colour="red"), "services[0].colour: The key is unknown. Use one of: title, kind, template"),
    (service(kind="N2L"), "services[0].kind: “N2L” is not a kind of service. Use one of: I2L, I2Ls"),
    (
        service(template="http://a.example/"),
        "services[0].template, column 1: The scheme is not https. Write https://",
    ),
    (
        service(template="https://a.example/{nss"),
        "services[0].template, column 19: “{” is not closed, or contains another one.",
    ),
    (
        service(template="https://a.example/{root}"),
        "services[0].template, column 19: The grammar has no rule or group “root”. It has: alpha, digit, garden",
    ),
    (
        service(template="https://a.example/{number:no-check-digit}"),
        "services[0].template, column 19: “number” has no check digits at its end. Add a check",
    ),
    (service(requires=["root"]), "services[0].requires: The grammar has no rule or group “root”."),
    (service(only={"root": ["a"]}), "services[0].only: The grammar has no rule or group “root”."),
    (service(only={"garden": []}), "services[0].only.garden: The list has 0 items"),
    (service(only={"garden": "a"}), "services[0].only.garden: This is a text. Write a list."),
    (service(examples=["urn:isbn:1"]), "services[0].examples[0]: “urn:isbn:1” belongs to another namespace."),
    (service(examples=["trees:1"]), "services[0].examples[0]: “trees:1” is not a URN: at position 0"),
    (service(media_type="html"), "services[0].media_type: “html” is not a media type."),
    (service(media_type="text/html; charset=utf-8"), "services[0].media_type: “text/html; charset=utf-8” is not"),
    (service(media_type="Text/HTML"), "services[0].media_type: “Text/HTML” is not a media type."),
    (service(media_type=""), "services[0].media_type: “” is not a media type."),
    (service(language="english!"), "services[0].language: “english!” is not a language tag (BCP 47)."),
    (service(language="e"), "services[0].language: “e” is not a language tag"),
    (service(language="en_GB"), "services[0].language: “en_GB” is not a language tag"),
    (service(language="ſv"), "services[0].language: “ſv” is not a language tag"),
    (service(language="en-"), "services[0].language: “en-” is not a language tag"),
    (service(priority=-1), "services[0].priority: -1 is not from 0 to 99."),
    (service(priority=100), "services[0].priority: 100 is not from 0 to 99."),
    (service(priority=True), "services[0].priority: This is a boolean. Write a whole number."),
    (service(priority=1.0), "services[0].priority: This is a number. Write a whole number."),
    (service(passes_q=True), "services[0].passes_q: The template says otherwise. Write {q} in the template"),
    (service(template="https://a.example/?{q}"), "services[0].passes_q: The template says otherwise."),
    (service(r_components=["a=b"]), "services[0].r_components[0]: “a=b” is not a name in an r-component."),
    (service(checked_on="22.11.2026"), "services[0].checked_on: The text has 10 characters"),
    (source(stated_on="2026-02-30"), "services[0].source.stated_on: “2026-02-30” is not a date."),
    (source(stated_on="2026-13"), "services[0].source.stated_on: “2026-13” is not a date. Write “2026-11-22”"),
    (source(stated_on="0000"), "services[0].source.stated_on: “0000” is not a date."),
    (source(url="trees"), "services[0].source.url: “trees” is not a web address."),
    (source(document=""), "services[0].source.document: The text is empty"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "reason"), REFUSED, ids=[reason[:60] for _, reason in REFUSED])
def test_a_fault_is_named_with_its_key_and_reason(given, reason):
    with pytest.raises(InvalidProfile) as refusal:
        trees(given)
    assert str(refusal.value).startswith(
        reason.replace("The text has 10 characters", "“22.11.2026” is not a date.")
    )


EVERY_KEY = service(
    template="https://gardens.example/{garden}?{q}",
    media_type="application/ld+json",
    language="pt-BR",
    priority=7,
    passes_q=True,
    r_components=["format"],
    requires=["number"],
    only={"garden": ["12", "13"]},
    checked_on="2026-11-22",
)


def test_a_service_is_the_same_after_writing_and_reading():
    profile = trees(EVERY_KEY, service())
    written = profile.to_dict()
    assert written["services"] == [EVERY_KEY, service()]
    assert Profile.from_dict(json.loads(json.dumps(written))) == profile


def test_the_host_of_a_service_is_known():
    assert trees(service()).services[0].host == "gardens.example"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_rfc_2483_is_taken(kind):
    assert trees(service(kind=kind)).services[0].kind == kind


LANGUAGES = [
    "de", "gsw", "zh-Hant", "zh-cmn-Hans-CN", "sr-Latn-RS", "sl-rozaj-biske", "de-CH-1901", "es-419", "en-a-myext-b-another",
    "de-Latn-DE-1996-x-phonebk", "x-whatever", "az-Arab-x-AZE-derbend", "qaa",
]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_language_tags_of_rfc_5646_are_taken(language):
    assert trees(service(language=language)).services[0].language == language


@pytest.mark.parametrize("day", ["2026-11-22", "2026-11", "2026", "2024-02-29"])
def test_a_date_can_be_a_month_or_a_year(day):
    assert trees(source(stated_on=day)).services[0].source.stated_on == day


def test_services_need_a_source():
    with pytest.raises(InvalidProfile, match=r"These facts have no source: services."):
        Profile.from_dict(mapping(names={"abnf": GRAMMAR}, services=[service()]))


def test_without_a_grammar_only_the_whole_name_is_known():
    whole = service(template="https://gardens.example/{nss}", examples=["urn:trees:a"])
    unstated = {"abnf": None, "unstated": "Nothing is stated."}
    names = {key: value for key, value in unstated.items() if value}
    facts = ["title", "summary", "subjects", "grammar", "services"]
    sources = [{"facts": facts, "kind": "registration", "document": "Registration of urn:trees"}]
    found = Profile.from_dict(mapping(names=names, services=[whole], sources=sources))
    assert [each.address for each in found.services_for("urn:trees:a:b")] == ["https://gardens.example/a%3Ab"]
    with pytest.raises(InvalidProfile, match="“garden” needs a grammar"):
        Profile.from_dict(mapping(names=names, services=[service()], sources=sources))
