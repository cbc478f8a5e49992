"""The export of a person's data and the admin site show only what the pages show.

Both are second ways to read, beside the pages, and use the same predicates.
"""

from typing import Any
from urllib.parse import urljoin

import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model

from registry.accounts.export import EXPORTS, NOT_EXPORTED, data_about
from registry.accounts.models import RoleName, User
from registry.cases.drafts import drafts
from registry.cases.models import Case, DraftVersion
from registry.cases.workflow.functions.people import accept_invitation, invite_co_editor, remove_co_editor
from registry.custody.actions.claims import claim_namespace
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Kind
from registry.organisations.actions.members import change_part, end_membership, invite_member
from registry.organisations.models import MemberRole, Membership
from tests.organisations.conftest import an_organisation, join, membership_of
from tests.support.browser import signed_in
from tests.support.factories import a_draft, a_person, a_template

SECRET = "What was written afterwards."
DATA = "/account/data.json"


def exported(person: User) -> str:
    return signed_in(person).get(DATA).text


def rewrite(case: Case, *, by: User) -> None:
    case.refresh_from_db()
    drafts.save_draft(case, a_template(purpose=SECRET), by=by, stamp=case.draft_stamp)


def references_to_accounts(model: type[Model]) -> set[str]:
    return {field.name for field in model._meta.local_fields if field.related_model is User}


def test_every_reference_to_an_account_is_declared() -> None:
    """As data about that person, as not about them, or with the reason why the table is not exported."""
    for model in apps.get_models(include_auto_created=True):
        declared = [each for each in EXPORTS if each.model is model]
        names = {name for each in declared for name in each.references}
        expected = set() if model in NOT_EXPORTED else references_to_accounts(model)
        assert names == expected, model._meta.label


def test_every_declared_column_exists_and_is_no_secret() -> None:
    suspicious = ("password", "digest", "salt", "secret", "session_key", "identities", "token", "body")
    for each in EXPORTS:
        for column in each.columns:
            name = column.removesuffix("_id")
            try:
                each.model._meta.get_field(name)
            except FieldDoesNotExist:
                pytest.fail(f"{each.model._meta.label} has no column {column}")
            assert column == "body_id" or not any(word in column for word in suspicious), column


def test_a_removed_editor_does_not_get_what_others_write_in_the_draft_afterwards(
    registrant: User, participant: User
) -> None:
    """The finding: the person who began the case for an organisation was removed from it."""
    arboretum = an_organisation(by=registrant)
    join(arboretum, participant, MemberRole.EDITOR, by=registrant)
    case = drafts.create_case(
        by=participant, kind=Kind.FORMAL, template=a_template(purpose="Mine."), organisation=arboretum
    )
    assert "Mine." in exported(participant)
    end_membership(membership_of(participant), by=registrant)
    rewrite(case, by=registrant)
    assert SECRET not in exported(participant)
    assert "cases.Case" not in data_about(participant)


def test_a_contact_of_the_organisation_gets_the_case_without_the_draft(
    registrant: User, participant: User
) -> None:
    arboretum = an_organisation(by=registrant)
    join(arboretum, participant, MemberRole.EDITOR, by=registrant)
    drafts.create_case(by=participant, kind=Kind.FORMAL, template=a_template(), organisation=arboretum)
    change_part(membership_of(participant), by=registrant, part=MemberRole.CONTACT)
    (shown,) = data_about(participant)["cases.Case"]
    assert shown["state"] == "draft"
    assert "draft" not in shown


def test_a_former_co_editor_gets_no_version_of_the_draft(registrant: User, co_editor: User) -> None:
    case = a_draft(by=registrant)
    accept_invitation(invite_co_editor(case, by=registrant, email=co_editor.email), by=co_editor)
    rewrite(case, by=co_editor)
    assert DraftVersion.objects.filter(editor=co_editor).exists()
    assert SECRET in exported(co_editor)
    remove_co_editor(case, by=registrant, email=co_editor.email)
    assert SECRET not in exported(co_editor)


def test_a_former_representative_gets_no_addresses_of_invited_people(
    registrant: User, participant: User
) -> None:
    arboretum = an_organisation(by=registrant)
    join(arboretum, participant, MemberRole.REPRESENTATIVE, by=registrant)
    invite_member(arboretum, by=participant, email="invited@example.org", part=MemberRole.EDITOR)
    (shown,) = data_about(participant)["organisations.MembershipInvitation"]
    assert shown["email"] == "invited@example.org"
    Membership.objects.filter(user=participant).update(part=MemberRole.EDITOR)
    assert "organisations.MembershipInvitation" not in data_about(participant)


def test_who_invited_a_co_editor_gets_the_address_while_they_edit_the_draft(
    registrant: User, participant: User
) -> None:
    """The finding: the page of the draft shows the addresses to each editor, and the export left them out."""
    arboretum = an_organisation(by=registrant)
    join(arboretum, participant, MemberRole.REPRESENTATIVE, by=registrant)
    case = drafts.create_case(by=registrant, kind=Kind.FORMAL, template=a_template(), organisation=arboretum)
    invite_co_editor(case, by=participant, email="invited@example.org")
    for part, is_shown in ((MemberRole.EDITOR, True), (MemberRole.CONTACT, False)):
        Membership.objects.filter(user=participant).update(part=part)
        page = signed_in(participant).get(case.get_absolute_url()).text
        assert ("invited@example.org" in page) == is_shown
        assert ("cases.Invitation" in data_about(participant)) == is_shown


def test_the_registrant_gets_the_own_draft(registrant: User) -> None:
    a_draft(by=registrant, purpose="Mine.")
    (shown,) = data_about(registrant)["cases.Case"]
    assert shown["draft"]["purpose"] == "Mine."


EVIDENCE: dict[str, Any] = {"ground": "domain", "statement": SECRET}


@pytest.mark.parametrize("relation", ["registrant", "member", "none"])
def test_the_admin_site_hides_evidence_from_an_administrator_with_an_interest(
    registrant: User, participant: User, relation: str
) -> None:
    """The finding: the API hid it, and /admin/ showed it."""
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    owner: Any = administrator if relation == "registrant" else registrant
    if relation == "member":
        owner = an_organisation(by=registrant)
        join(owner, administrator, MemberRole.CONTACT, by=registrant)
    trees = register_formal(a_template(), registrant=owner).namespace
    claim = claim_namespace(trees, by=participant, **EVIDENCE)
    client = signed_in(administrator)
    page = client.get(f"/admin/custody/namespaceclaim/{claim.pk}/change/", follow=True)
    assert (SECRET in page.text) == (relation == "none")
    rows = client.get("/admin/custody/namespaceclaim/").text
    assert (f"/{claim.pk}/change/" in rows) == (relation == "none")


@pytest.mark.parametrize(
    "address",
    [
        "{pk}/change/?_to_field=statement",
        "{pk}/history/",
        "{pk}/delete/",
        "?q=example-trees",
        "?statement__contains=the",
        "?o=1&status__exact=open",
        "?e=1&_popup=1",
        "../../autocomplete/?app_label=custody&model_name=namespaceclaim&field_name=namespace&term=e",
        "../../r/{type}/{pk}/",
        "../../custody/?all",
    ],
)
def test_no_other_page_of_the_admin_site_shows_the_evidence(
    registrant: User, participant: User, address: str
) -> None:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    organisation = an_organisation(by=registrant)
    join(organisation, administrator, MemberRole.CONTACT, by=registrant)
    trees = register_formal(a_template(), registrant=organisation).namespace
    claim = claim_namespace(trees, by=participant, **EVIDENCE)
    kind = ContentType.objects.get_for_model(type(claim)).pk
    address = urljoin("/admin/custody/namespaceclaim/", address.format(pk=claim.pk, type=kind))
    before = type(claim).objects.values().get()
    client = signed_in(administrator)
    for page in (client.get(address, follow=True), client.post(address, {"post": "yes"}, follow=True)):
        assert SECRET not in page.text
        assert f">{claim.pk}</a>" not in page.text
    assert type(claim).objects.values().get() == before
