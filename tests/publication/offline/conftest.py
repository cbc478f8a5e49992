"""The packages of the demonstration, with IANA's registry in it, and what its API says of some URNs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from registry.audit_log.heads import publish_head
from registry.audit_log.models import Event
from tests.support.databases import a_fresh_database

SAMPLE = [
    "urn:isbn:0451450523",
    "urn:isbn:0451450524",
    "urn:issn:1476-4687",
    "urn:ietf:rfc:2648",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
    "urn:ietf:nothing:1",
    "urn:nbn:de:bvb:19-146642",
    "urn:nbn:de:bvd:19-146642",
    "urn:nbn:fi:abc",
    "urn:lex:it:stato:legge:2003-09-21;456",
    "urn:oid:1.3.6.1.4.1",
    "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "urn:EXAMPLE-trees:12:73513537?=season=spring#leaf",
    "urn:urn-7:3:abc",
    "urn:altinn:resource:5613:1",
    "urn:no-such-namespace:1",
    "urn:x-local:1",
]


@dataclass(frozen=True)
class Built:
    """The folder of the packages, what the command said of them in JSON, and the answers of the API by URN."""

    folder: Path
    said: dict[str, Any]
    of_api: dict[str, Any]
    namespaces: dict[str, Any]

    @property
    def wheel(self) -> Path:
        return next(self.folder.glob("*.whl"))

    @property
    def npm_archive(self) -> Path:
        return next(self.folder.glob("*.tgz"))


@pytest.fixture(scope="package", autouse=True)
def an_origin() -> Iterator[None]:
    """Without PUBLIC_ORIGIN, no packages are built."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PUBLIC_ORIGIN", settings.PUBLIC_ORIGIN)
        yield


@pytest.fixture(scope="package")
def built(the_demonstration: str, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder, out, client = tmp_path_factory.mktemp("packages"), StringIO(), Client()
    with django_db_blocker.unblock(), a_fresh_database(the_demonstration):
        publish_head()
        call_command("build_data_package", str(folder), "--json", stdout=out)
        said = json.loads(out.getvalue())
        assert said["event"] == Event.objects.count()
        of_api = {urn: client.get("/api/v1/urns/", {"urn": urn}).json() for urn in SAMPLE}
        nids = {each["nid"].lower() for each in of_api.values() if each["namespace"]["is_registered"]}
        namespaces = {nid: client.get(f"/api/v1/namespaces/{nid}/").json() for nid in nids}
    return Built(folder, said, of_api, namespaces)
