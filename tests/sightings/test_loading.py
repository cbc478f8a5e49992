"""`manage.py load_sightings`: the sightings that come with the registry."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.sightings.actions import remove_sighting
from registry.sightings.loading import load_sightings
from registry.sightings.models import Sighting
from tests.sightings.conftest import SEEN


@pytest.mark.django_db
def test_loading_adds_what_is_missing_and_keeps_what_people_decided(administrator: User) -> None:
    added = load_sightings()
    assert added > 100
    assert Sighting.objects.confirmed().count() == added
    assert {"adsk.eagle", "altinn"} <= set(Sighting.objects.values_list("nid", flat=True))
    remove_sighting(Sighting.objects.get(nid="altinn"), by=administrator, reason="It is gone.")
    Sighting.objects.filter(nid="apple").update(used_by="Corrected")
    before = list(Sighting.objects.values())
    assert load_sightings() == 0
    assert list(Sighting.objects.values()) == before
    assert Event.objects.filter(verb="load_sightings").count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2: "),
        ("[]", "line 2: It is not an object"),
        (json.dumps({"nid": "weeds"}), "line 2: Its members are not example, nid, source, used_by"),
        (json.dumps(SEEN | {"nid": "a:b"}), "line 2: “a:b” can't stand in the place of a NID"),
    ],
)
def test_a_file_with_a_wrong_line_changes_nothing(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "sightings.jsonl"
    file.write_text(f"{json.dumps(SEEN)}\n{line}\n", encoding="utf-8")
    with pytest.raises(CommandError, match=words) as refusal:
        call_command("load_sightings", file)
    assert refusal.value.returncode == 2
    assert not Sighting.objects.exists()
