"""Erasure of personal data: no word of a name is left in the vocabulary of searches, also not from earlier versions."""

from dataclasses import replace

import pytest

from registry.accounts.erasure import Erasure, erase_person
from registry.accounts.personal_data import find_person
from registry.namespaces.actions.registration import register_formal, register_revision
from registry.namespaces.models import Namespace, SearchWord
from registry.registration_template.sections import Registrant
from tests.security.erasure.erasing import REASON, erase
from tests.security.erasure.leaver import ADDRESS, NAME, person
from tests.support.factories import a_template

LATER_NAME = "Wanda Weddington"


def words_left(*words: str) -> set[str]:
    return set(SearchWord.objects.filter(word__in=words).values_list("word", flat=True))


@pytest.fixture
def two_versions(registry: None) -> None:
    """A namespace that the person registered under one name, and revised under another."""
    template = a_template(
        namespace_identifier="example-yews", registrant=Registrant(contact_person=NAME, email=ADDRESS)
    )
    namespace = register_formal(template, registrant=person("registrant")).namespace
    second = replace(template, version=2, registrant=Registrant(contact_person=LATER_NAME, email=ADDRESS))
    register_revision(namespace, second)
    assert words_left("leaver", "wanda", "weddington") == {"leaver", "wanda", "weddington"}


@pytest.mark.exhaustive
def test_the_names_of_all_versions_are_forgotten(two_versions: None) -> None:
    assert erase().remains == []
    assert words_left("leaver", "wanda", "weddington") == set()


@pytest.mark.exhaustive
def test_words_that_another_namespace_has_stay(two_versions: None) -> None:
    Namespace.objects.create(nid="wanda-society", kind="formal", holder="Society of Leaver Street")
    erase()
    assert words_left("leaver", "wanda", "weddington", "example") == {"leaver", "wanda", "example"}


@pytest.mark.exhaustive
def test_words_of_versions_that_stay_are_listed(two_versions: None) -> None:
    """The current version has another name, so the namespace does not name the person."""
    erasure = erase(with_texts=False)
    assert "words of searches: leaver" in erasure.remains
    assert words_left("leaver") == {"leaver"}


def test_a_given_name_that_no_version_has_is_forgotten(registry: None) -> None:
    """Such as the name of a registrant of a namespace that was renamed by an import."""
    old = Namespace.objects.get(nid="example-old")
    holder = old.holder
    for each in (LATER_NAME, holder):
        Namespace.objects.filter(pk=old.pk).update(holder=each)
    assert words_left("wanda", "weddington") == {"wanda", "weddington"}
    given = find_person(ADDRESS, [LATER_NAME])
    without_texts: Erasure = erase_person(given, by=None, reason=REASON)
    assert "words of searches: wanda, weddington" in without_texts.remains
    assert erase_person(given, by=None, reason=REASON, with_texts=True).remains == []
    assert words_left("wanda", "weddington") == set()
