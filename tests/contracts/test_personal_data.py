"""Every table with personal data is listed in docs/security.md."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db.models import EmailField, Model

from registry.accounts.models import Token, User

# Tables of packages that the registry does not use.
UNUSED = {"admin.LogEntry", "accounts.User_groups", "accounts.User_user_permissions"}
# Tables without data about people.
IMPERSONAL = {
    "accounts.Body",
    "audit_log.ChainHead",
    "audit_log.Cosignature",
    "audit_log.SignedHead",
    "audit_log.TileHash",
    "audit_log.Timestamp",
    "cases.TakenBackReview",
    "core.ChangeToken",
    "core.ServedDatabase",
    "namespaces.CachedLookup",
    "namespaces.InformalCounter",
    "domains.OrganisationDomain",
    "organisations.Organisation",
    "publication.FileDigest",
    "publication.HubPosition",
    "resolution.ListedService",
    "resolution.ServiceHealth",
    "review_desk.Reminder",
}


def listed() -> set[str]:
    page = Path(settings.BASE_DIR, "docs", "security.md").read_text(encoding="utf-8")
    section = page.split("## Personal data\n")[1].split("\n## ")[0]
    return set(re.findall(r"`([a-z_]+\.[A-Z]\w+)`", section))


def concerns_people(model: type[Model]) -> bool:
    return model is User or any(
        field.related_model in {User, Token} or isinstance(field, EmailField)
        for field in model._meta.local_fields
    )


MODELS = [each for each in apps.get_models(include_auto_created=True) if not each._meta.proxy]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_a_table_about_people_is_listed(model: type[Model]) -> None:
    if model._meta.label not in UNUSED and concerns_people(model):
        assert model._meta.label in listed()


def test_each_table_of_the_registry_is_listed_or_impersonal() -> None:
    labels = {each._meta.label for each in MODELS if each._meta.app_config.name.startswith("registry.")}
    assert labels - UNUSED - IMPERSONAL <= listed()
    assert not IMPERSONAL & listed()


def test_each_listed_table_exists() -> None:
    assert listed() <= {each._meta.label for each in MODELS}
