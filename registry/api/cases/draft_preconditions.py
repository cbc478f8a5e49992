"""The precondition of a change of a draft: If-Match contains the ETag of the current draft."""

import hashlib
import re
from http import HTTPStatus
from typing import Any

from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from registry.api.cases.draft_serializers import DraftSerializer
from registry.api.registration_template.comparison import ChangedSectionSerializer
from registry.api.schema.operations import with_problem_members
from registry.api.schema.problem_serializers import ProblemSerializer
from registry.cases.drafts import drafts
from registry.cases.drafts.comparison import compare_texts
from registry.cases.models import Case
from registry.core.exceptions import RegistryError
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.registration_template.template import RegistrationTemplate

# The ETag of a draft: its stamp, and a digest of the representation.
ETAG = re.compile(r'"([0-9]{1,9})\.[0-9a-f]{8}"')


class IfMatchMissing(RegistryError):
    """A change of a draft names the draft in the header If-Match, so that no other change is overwritten."""

    status = HTTPStatus.PRECONDITION_REQUIRED
    title = "If-Match required"


def etag_of(case: Case, representation: bytes) -> str:
    """The ETag of a representation of the draft."""
    return f'"{case.draft_stamp}.{hashlib.sha256(representation).hexdigest()[:8]}"'


def json_etag_of(case: Case, draft: dict[str, Any]) -> str:
    """The ETag of the JSON representation of the draft. `reading` describes a request, so it does not count."""
    representation = {name: value for name, value in draft.items() if name != "reading"}
    return etag_of(case, JSONRenderer().render(representation))


class CurrentDraftSerializer(DraftSerializer):
    """A draft with the ETag that a change of it needs."""

    etag = serializers.CharField()

    def to_representation(self, instance: Case) -> dict[str, Any]:
        draft = DraftSerializer(instance).data
        return draft | {"etag": json_etag_of(instance, draft)}


class DraftChangedProblemSerializer(ProblemSerializer):
    """The current draft, and the changes that the request would make in it."""

    current = CurrentDraftSerializer()
    difference = ChangedSectionSerializer(many=True)


@with_problem_members(DraftChangedProblemSerializer)
class DraftChanged(RegistryError):
    """The draft was saved since. `current` is the draft now, `difference` what the request would change in it."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "The draft has changed"

    def __init__(
        self, case: Case, sent: RegistrationTemplate, profile: ProposedProfile | None = None
    ) -> None:
        super().__init__(
            f"This draft was saved at {case.draft_saved_at:%Y-%m-%d %H:%M:%S} UTC, after the one that If-Match "
            "names. Look at the difference, then send yours with the ETag of `current`."
        )
        current = case.proposed_profile
        difference = compare_texts(
            (case.draft_template, current),
            (drafts.complete_template(case, sent), current if profile is None else profile),
        )
        self.members = {
            "current": CurrentDraftSerializer(case).data,
            "difference": ChangedSectionSerializer(difference.changed, many=True).data,
        }


def matches_current(request: Request, case: Case) -> bool:
    """Whether If-Match contains the ETag of the current draft. Raises IfMatchMissing."""
    header = request.headers.get("If-Match", "").strip()
    if not header:
        raise IfMatchMissing(
            "Send the ETag of the draft in the header If-Match. A GET request to this URL returns it."
        )
    stamps = {int(tag[1]) for each in header.split(",") if (tag := ETAG.fullmatch(each.strip()))}
    return header == "*" or case.draft_stamp in stamps
