"""Requests for the API itself, and for the registry as a whole: its events, files, services and statistics."""

from unittest import mock

from django.test import override_settings

from registry.api.files.views import FILES as FILES_OF_REGISTRY
from registry.api.framework.parsers import MAX_VALUES
from registry.api.urns import judging
from registry.api.urns.bulk import MAX_URNS
from registry.api.urns.judging import TooManyNamespaces
from registry.audit_log.heads import publish_head
from registry.audit_log.models import LogPosition
from registry.core.text_limits import BodySize
from registry.devserver.api_examples.recorder import Recorder
from registry.devserver.demonstration_cases import person

# The first file of each media type.
FILES = {file.media_type: name for name, (file, _) in reversed(FILES_OF_REGISTRY.items())}


def record_api(recorder: Recorder) -> None:
    call = recorder.call
    call("getRoot")
    call("getSchema")
    call("listProblemTypes", fields="type")
    call("getProblemType", slug="not-found")
    call("listServices", page_size=1)


def record_registry(recorder: Recorder) -> None:
    call = recorder.call
    record_log(recorder)
    call("listFiles")
    for file in FILES.values():
        call("downloadFile", file=file)
    call("getStatistics")
    record_limits(recorder)


def record_log(recorder: Recorder) -> None:
    call = recorder.call
    publish_head()
    last = LogPosition.current().number
    call("listEvents", page_size=2, nid="example-trees")
    call("getEventHead")
    call("streamEvents", since=last - 1)
    call("getAuditLog")
    call("listSignedHeads", page_size=1)
    for name in ("getSignedHead", "getSignedNote"):
        call(name, size=last)
    recorder.refused("listEvents", since=last + 1)


def record_limits(recorder: Recorder) -> None:
    """Requests with more than the API accepts, and one of a role that needs a second factor."""
    registrant = person("registrant")
    long = {"comments": "x" * BodySize.SMALL}
    recorder.refused("updateNotificationSettings", by=registrant, body=long)
    values = {"kind": "formal", "sections": [0] * MAX_VALUES}
    recorder.refused("createCase", by=registrant, body=values)
    recorder.refused("checkUrns", body=["urn:example:1"] * (MAX_URNS + 1))
    # As if so many namespaces had a profile.
    many = TooManyNamespaces(judging.MAX_PROFILES + 1)
    with mock.patch.object(judging, "_check_number", side_effect=many):
        recorder.refused("checkUrns", body=["urn:example:1"])
    with override_settings(REQUIRE_SECOND_FACTOR=True, SECOND_FACTOR_DAYS=0):
        recorder.refused(
            "adviseOnCase", by=person("expert"), number=1, body={"round": 1, "rationale": "Clear."}
        )
