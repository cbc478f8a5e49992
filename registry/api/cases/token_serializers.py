"""What bodies and answers of writing look like in the API's description."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.accounts.models import RoleName, Scope
from registry.api.framework.fields import StrictCharField, StrictIntegerField, StrictSerializer
from registry.api.registration_template.serializers import SectionsSerializer, sections_request_schema
from registry.api.schema.problem_serializers import FieldErrorSerializer, FindingSerializer, ProblemSerializer
from registry.cases.models import Outcome, State
from registry.registration_template.diff import Change


@extend_schema_field(sections_request_schema(text={"type": "string"}))
class SectionsField(serializers.JSONField):
    """Sections of the template; those that are left out are empty."""


@extend_schema_field(sections_request_schema(text={"type": ["string", "null"]}))
class ChangedSectionsField(serializers.JSONField):
    """Sections to be changed; null empties one."""


class ReplyRequestSerializer(StrictSerializer):
    """What the registrant says to an action point: that it is done, or why not."""

    point = StrictIntegerField(help_text="The number of the action point.")
    outcome = serializers.ChoiceField(Outcome.choices)
    text = StrictCharField(default="")


class OpenActionPointSerializer(serializers.Serializer[Any]):
    """An action point of the last round, and what the draft says to it so far."""

    number = serializers.IntegerField()
    section = serializers.CharField()
    text = serializers.CharField()
    outcome = serializers.ChoiceField(Outcome.choices, allow_blank=True)
    answer = serializers.CharField(allow_blank=True)


class UnansweredActionPointSerializer(serializers.Serializer[Any]):
    """An action point of the last round that has no answer yet."""

    number = serializers.IntegerField()
    section = serializers.CharField()
    text = serializers.CharField()


class PointsUnansweredProblemSerializer(ProblemSerializer):
    """Action points wait for an answer; `points` holds them."""

    points = UnansweredActionPointSerializer(many=True)


class DraftChangesSerializer(serializers.Serializer[Any]):
    """What is to change in a draft: a JSON Merge Patch (RFC 7396)."""

    sections = ChangedSectionsField(required=False)
    standards_action = serializers.BooleanField(required=False)
    answers = ReplyRequestSerializer(many=True, required=False)


class UnplacedLineSerializer(serializers.Serializer[Any]):
    """A line that has no place in the template, and why."""

    line = serializers.IntegerField()
    text = serializers.CharField()
    reason = serializers.CharField()


class ReadingRemarkSerializer(serializers.Serializer[Any]):
    """Something worth knowing about how a line was read."""

    line = serializers.IntegerField()
    message = serializers.CharField()


class TemplateReadingSerializer(serializers.Serializer[Any]):
    """How a template was read from plain text: in the form of RFC 8141 or in the older one."""

    form = serializers.ChoiceField(choices=["8141", "3406"])
    unplaced = UnplacedLineSerializer(many=True)
    remarks = ReadingRemarkSerializer(many=True)


class ParticipantCaseLinksSerializer(serializers.Serializer[Any]):
    """The addresses around a case; those of its draft are for its editors."""

    self = serializers.URLField()
    html = serializers.URLField()
    draft = serializers.URLField(allow_null=True)
    check = serializers.URLField(allow_null=True)
    comments = serializers.URLField()
    namespace = serializers.URLField(allow_null=True)


class ParticipantCaseSerializer(serializers.Serializer[Any]):
    """A case as somebody sees it who acts in it; `transitions` are those open to them now, each with its address."""

    number = serializers.IntegerField()
    kind = serializers.CharField()
    procedure = serializers.CharField()
    state = serializers.ChoiceField(choices=State.choices)
    state_since = serializers.DateTimeField()
    subject = serializers.CharField()
    requested_nid = serializers.CharField(allow_null=True)
    namespace = serializers.CharField(allow_null=True)
    is_revision = serializers.BooleanField()
    standards_action = serializers.BooleanField()
    body = serializers.CharField(allow_null=True)
    recognition = serializers.CharField(allow_null=True)
    round = serializers.IntegerField(help_text="The latest round; 0 before the first.")
    draft_stamp = serializers.IntegerField(allow_null=True)
    transitions = serializers.DictField(child=serializers.URLField())
    links = ParticipantCaseLinksSerializer()


class CreatedCaseSerializer(ParticipantCaseSerializer):
    """A case that was just begun; `reading` is there when it was begun from plain text."""

    reading = TemplateReadingSerializer(required=False)


class DraftLinksSerializer(serializers.Serializer[Any]):
    """The addresses around a draft."""

    self = serializers.URLField()
    check = serializers.URLField()
    html = serializers.URLField()


class DraftSerializer(serializers.Serializer[Any]):
    """The draft of a case. `draft_stamp` counts how often it was saved."""

    number = serializers.IntegerField()
    draft_stamp = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    standards_action = serializers.BooleanField()
    sections = SectionsSerializer()
    action_points = OpenActionPointSerializer(many=True)
    links = DraftLinksSerializer()


class SavedDraftSerializer(DraftSerializer):
    """A draft as it is now; `reading` is there when it was sent as plain text."""

    reading = TemplateReadingSerializer(required=False)


class CurrentDraftSerializer(DraftSerializer):
    """A draft with the ETag to change it with."""

    etag = serializers.CharField()


class ChangedLineSerializer(serializers.Serializer[Any]):
    """A line of a comparison; a folded one stands for `count` that are the same."""

    change = serializers.ChoiceField(choices=[each.value for each in Change])
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)
    count = serializers.IntegerField()


class ChangedSectionSerializer(serializers.Serializer[Any]):
    """A section that differs, line by line."""

    section = serializers.CharField()
    title = serializers.CharField()
    change = serializers.ChoiceField(choices=[each.value for each in Change])
    lines = ChangedLineSerializer(many=True)


class DraftChangedProblemSerializer(ProblemSerializer):
    """What the draft is now, and what would change in it."""

    current = CurrentDraftSerializer()
    difference = ChangedSectionSerializer(many=True)


class SectionsProblemSerializer(ProblemSerializer):
    """Sections that can't be kept."""

    errors = FieldErrorSerializer(many=True)  # type: ignore[assignment]  # a serializer's own `errors` is not used


class TemplateProblemSerializer(ProblemSerializer):
    """A text that is no template; `line` says where that shows, if it shows in one place."""

    line = serializers.IntegerField(allow_null=True)


class ScopeProblemSerializer(ProblemSerializer):
    """The scope that the token would have to have."""

    scope = serializers.ChoiceField(choices=Scope.values)


class CompetingCaseSummarySerializer(serializers.Serializer[Any]):
    """Another open case that asks for the same NID, or for one that looks alike."""

    number = serializers.IntegerField()
    nid = serializers.CharField()
    reason = serializers.CharField()
    html = serializers.URLField()


class DraftCheckSerializer(serializers.Serializer[Any]):
    """What the registry has to say of a text; `is_ready` when nothing blocks its submission."""

    number = serializers.IntegerField()
    draft_stamp = serializers.IntegerField()
    is_ready = serializers.BooleanField()
    findings = FindingSerializer(many=True)
    competing_cases = CompetingCaseSummarySerializer(many=True)


class NamespaceLinkSerializer(serializers.Serializer[Any]):
    """The address of a namespace."""

    namespace = serializers.URLField()


class DeprecatedNamespaceSerializer(serializers.Serializer[Any]):
    """A namespace that was just deprecated."""

    nid = serializers.CharField()
    deprecated_at = serializers.DateTimeField()
    statement = serializers.CharField()
    successor = serializers.CharField(allow_null=True)
    links = NamespaceLinkSerializer()


class TransferLinksSerializer(NamespaceLinkSerializer):
    """The addresses around an offer."""

    html = serializers.URLField()


class TransferSerializer(serializers.Serializer[Any]):
    """The offer of a namespace to another registrant; `answers` are there while it waits for one."""

    number = serializers.IntegerField()
    nid = serializers.CharField()
    offered_by = serializers.CharField()
    to = serializers.CharField()
    offered_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    is_accepted = serializers.BooleanField()
    answers = serializers.DictField(child=serializers.URLField())
    links = TransferLinksSerializer()


class CaseSummarySerializer(serializers.Serializer[Any]):
    """A case, in short."""

    number = serializers.IntegerField()
    subject = serializers.CharField()
    state = serializers.ChoiceField(choices=State.choices)
    state_since = serializers.DateTimeField()
    transitions = serializers.URLField()


class OwnNamespaceSerializer(serializers.Serializer[Any]):
    """A namespace of one's own."""

    nid = serializers.CharField()
    version = serializers.IntegerField()
    url = serializers.URLField()


class AccountSerializer(serializers.Serializer[Any]):
    """What is one's own; `waiting` holds what waits for whoever asks, as registrant and in each of their roles."""

    waiting = serializers.DictField(child=serializers.ListField(child=CaseSummarySerializer()))
    drafts = CaseSummarySerializer(many=True)
    cases = CaseSummarySerializer(many=True)
    namespaces = OwnNamespaceSerializer(many=True)
    transfers = TransferSerializer(many=True)


class RateLimitSerializer(serializers.Serializer[Any]):
    """How many requests may be made in a window of so many seconds."""

    name = serializers.CharField()
    quota = serializers.IntegerField()
    window = serializers.IntegerField()


class TokenSerializer(serializers.Serializer[Any]):
    """A token, without its secret."""

    name = serializers.CharField()
    owner = serializers.CharField()
    roles = serializers.ListField(child=serializers.ChoiceField(choices=RoleName.values))
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=Scope.values))
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    limits = RateLimitSerializer(many=True)
