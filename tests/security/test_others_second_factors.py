"""Second factors: no page removes that of another person, and a suspended administrator reads no table."""

from typing import Any

import pytest
from allauth.mfa.models import Authenticator

from registry.accounts.models import RoleName, User
from tests.accounts.test_required_second_factors import suspended
from tests.accounts.test_second_factors import with_app
from tests.contracts.test_url_table import every_address
from tests.support.browser import signed_in
from tests.support.factories import a_person

pytestmark = pytest.mark.django_db
# The page whose address names a second factor. The others are about those of the person who is signed in.
BY_KEY = "mfa_remove_webauthn"


def test_no_page_removes_the_second_factor_of_another_person(registrant: User) -> None:
    everyone = a_person(email="everyone@example.org", roles=tuple(RoleName))
    with_app(registrant)
    kept = Authenticator.objects.create(
        user=registrant, type=Authenticator.Type.WEBAUTHN, data={"name": "Key", "credential": {}}
    )
    before = set(Authenticator.objects.values_list("pk", flat=True))
    client = signed_in(everyone)
    pages = [each for each in every_address() if each.name.startswith("mfa_")]
    assert {each.name for each in pages if each.parameters} == {BY_KEY}
    for each in pages:
        path = each.with_values({"pk": kept.pk} if each.name == BY_KEY else {})
        answer = client.post(path, {"user": registrant.pk, "pk": kept.pk})
        assert each.name != BY_KEY or answer.status_code == 404
    assert before <= set(Authenticator.objects.filter(user=registrant).values_list("pk", flat=True))


def test_a_suspended_administrator_reads_no_table(administrator: User, settings: Any) -> None:
    settings.REQUIRE_SECOND_FACTOR, settings.SECOND_FACTOR_DAYS = True, 14
    paths = ("/admin/", "/admin/accounts/user/", f"/admin/accounts/user/{administrator.pk}/change/")
    assert {signed_in(administrator).get(path).status_code for path in paths} == {200}
    client = signed_in(suspended(administrator))
    assert {client.get(path).status_code for path in paths} == {403}
