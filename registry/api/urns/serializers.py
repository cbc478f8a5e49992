"""URNs in responses: their parts, the error of a text that is not one, and judgements by the profile of the
namespace.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.fields import (
    SUCCESSOR_STATUS,
    NullableCharField,
    NullableChoiceField,
    RepeatedTextField,
    nid_field,
)
from registry.api.framework.urls import LinkField, api_url
from registry.api.nids import BriefNIDReportSerializer, SightedUses
from registry.api.schema.problems import ProblemSerializer
from registry.cases.nid_report import report_in_registry
from registry.core.http.urls import absolute_url
from registry.namespaces.models import Namespace, ProfileVersion
from registry.namespaces.suggestions import suggestions_for_unregistered
from registry.registration_template.nids.report import NIDReport
from registry.resolution.namespace_data import namespace_data_of_one
from registry.resolution.resolving import ResolvedURN, resolve_stored
from registry.resolution.serializers import ServiceSerializer
from registry.subnamespaces.models import Status
from registry.subnamespaces.queries import statuses_of
from urnsyntax import URN
from urnsyntax.encoding import display
from urnsyntax.profiles import Judgement, Suggestion
from urnsyntax.profiles.subnamespaces.findings import FoundSubNamespace


@dataclass(frozen=True)
class URNDetails:
    """A URN and the report on its NID. The judgement and the suggestions are computed on first use."""

    urn: URN
    report: NIDReport

    @property
    def namespace(self) -> Namespace | None:
        """The namespace, if it is registered."""
        found = self.report.namespace
        return found if isinstance(found, Namespace) else None

    @property
    def profile(self) -> ProfileVersion | None:
        """The current profile of the namespace."""
        return self.namespace.profile if self.namespace else None

    @cached_property
    def judgement(self) -> Judgement | None:
        """The judgement by the profile, and by the list of sub-namespaces; None without a profile."""
        return self.resolution.judgement if self.resolution else None

    @cached_property
    def resolution(self) -> ResolvedURN | None:
        """The services of the URN, and which of them the registry redirects to; None without a profile."""
        if self.profile is None:
            return None
        return resolve_stored(self.urn, namespace_data_of_one(self.urn.nid))

    @cached_property
    def did_you_mean(self) -> list[Suggestion]:
        """The repair of a URN with a problem or a note, or URNs of registered namespaces with a similar NID."""
        if self.judgement:
            repair = self.judgement.repair
            reason = next((each.reason for each in self.judgement.notes), self.judgement.reason)
            return [Suggestion(repair, reason.rstrip("."))] if repair else []
        if self.namespace:
            return []
        return suggestions_for_unregistered(self.urn)


def details_of(urn: URN) -> URNDetails:
    """The details of a URN, with its namespace and the profile in one query."""
    with_profile = Namespace.objects.with_profile("registered_on", "deprecated_at")
    return URNDetails(urn, report_in_registry(urn.nid, with_profile))


class URNSuggestionSerializer(serializers.Serializer[Any]):
    """A URN that was probably meant, and the reason."""

    urn = serializers.CharField(help_text="The URN that was probably meant.")
    reason = serializers.CharField(help_text="Why it was probably meant.")


class NamePartSerializer(serializers.Serializer[Any]):
    """A part of the name. `start` and `end` are its first and last index in the URN, as in a slice."""

    rule = serializers.CharField(help_text="The rule of the grammar, or the group of the pattern.")
    label = serializers.CharField(help_text="What the part is called.")  # type: ignore[assignment]  # a member of the JSON
    text = serializers.CharField(help_text="The text of the part.")
    start = serializers.IntegerField(help_text="The index of the first character of the part, from 0.")
    end = serializers.IntegerField(help_text="The index of the first character after the part, from 0.")


class CheckDigitsSerializer(serializers.Serializer[Any]):
    """The check digits of an identifier in the name. A URN with wrong ones that are not required is conformant."""

    algorithm = serializers.CharField(help_text="The algorithm of the check digits, such as `isbn`.")
    label = serializers.CharField(help_text="What the part is called.")  # type: ignore[assignment]  # a member of the JSON
    text = serializers.CharField(help_text="The identifier.")
    start = serializers.IntegerField(help_text="The index of the first character of the part, from 0.")
    end = serializers.IntegerField(help_text="The index of the first character after the part, from 0.")
    is_right = serializers.BooleanField(help_text="Whether the check digits are right.")
    expected = NullableCharField(help_text="What wrong check digits would be, if that can be computed.")
    required = serializers.BooleanField(help_text="Whether the namespace forbids wrong check digits.")  # type: ignore[assignment]  # a member of the JSON


class JudgementNoteSerializer(serializers.Serializer[Any]):
    """What is doubtful in a name that follows the rules of its namespace."""

    reason = serializers.CharField(help_text="What was found, as a sentence.")
    position = serializers.IntegerField(help_text="The index of the doubtful character in the URN, from 0.")
    rule = serializers.CharField(help_text="The rule or algorithm that finds it.")
    expected = NullableCharField(help_text="What was expected there.")


COVERAGES_WITH_A_LIST = ("complete", "partial")


class _PlacedSerializer(serializers.Serializer[Any]):
    """What a list of sub-namespaces says of a text in a URN. `start` and `end` are its first and last index, as in a slice."""

    start = serializers.IntegerField(
        allow_null=True,
        help_text="The index of the first character in the URN, from 0; null if names are compared by another text.",
    )
    end = serializers.IntegerField(
        allow_null=True, help_text="The index of the first character after it in the URN; null as `start`."
    )


class FoundSubNamespaceSerializer(_PlacedSerializer):
    """A sub-namespace that the URN belongs to. `start` and `end` are the first and last index of its label, as in a slice."""

    prefix = serializers.CharField(help_text="The prefix, without the NID, such as `de:bvb`.")
    label = serializers.CharField(help_text="The last part of the prefix, such as `bvb`.")  # type: ignore[assignment]  # a member of the JSON
    level = serializers.CharField(help_text="What such a sub-namespace is called, such as “country”.")
    title = serializers.CharField(help_text="What it is.")
    holder = NullableCharField(help_text="Who decides on the names below it.")
    status = serializers.ChoiceField(choices=Status.choices, help_text="Whether it is in use.")
    successor = NullableCharField(help_text="The prefix of the sub-namespace that replaces it.")
    successor_status = serializers.SerializerMethodField(help_text=SUCCESSOR_STATUS)
    reference = NullableCharField(help_text="The document that defines it.")
    url = NullableCharField(help_text="The address of a description.")
    source = NullableCharField(help_text="The list that contains it.")  # type: ignore[assignment]  # a member of the JSON
    as_of = NullableCharField(help_text="The date of the list.")

    @extend_schema_field(NullableChoiceField(choices=Status.choices))
    def get_successor_status(self, found: FoundSubNamespace) -> str | None:
        details: Any = self.root.instance
        return statuses_of(details.namespace, [found.successor]).get(found.successor)


class UnknownSubNamespaceSerializer(_PlacedSerializer):
    """The first label that the list does not contain, or the text that follows where nothing can follow."""

    label = serializers.CharField(allow_blank=True, help_text="The label; empty if it is missing.")  # type: ignore[assignment]  # a member of the JSON
    parent = NullableCharField(help_text="The prefix before it; null below the namespace itself.")  # type: ignore[assignment]  # a member of the JSON
    level = serializers.CharField(help_text="What such a sub-namespace would be called.")
    coverage = serializers.ChoiceField(
        choices=COVERAGES_WITH_A_LIST,
        help_text="`complete`: the URN does not conform. `partial`: others may exist.",
    )
    document = serializers.CharField(help_text="The list.")
    url = serializers.CharField(help_text="The address of the list.")
    stated_on = serializers.CharField(help_text="The date of the list.")
    near = serializers.ListField(
        child=serializers.CharField(), help_text="Labels of the list that differ by one edit; at most three."
    )


class NameRestSerializer(serializers.Serializer[Any]):
    """What follows the last sub-namespace of a URN."""

    text = serializers.CharField(help_text="The text after the separator.")
    meaning = NullableCharField(help_text="What it is, in words; null if that is not known.")


class JudgementSerializer(serializers.Serializer[Any]):
    """The judgement of a URN by the profile of its namespace.

    `conformant` is null if the profile states no rules, or the URN is too long to be judged.
    """

    profile_version = serializers.IntegerField(
        source="profile.version", help_text="The version of the profile that was applied."
    )
    title = serializers.CharField(source="judgement.profile.title", help_text="The title of the namespace.")
    resource = NullableCharField(source="judgement.profile.resource", help_text="What one URN names.")
    conformant = serializers.BooleanField(
        source="judgement.conformant",
        allow_null=True,
        help_text="Whether the URN follows the rules of its namespace; null if that cannot be judged.",
    )
    reason = NullableCharField(
        source="judgement.reason", help_text="Why the URN is not conformant or was not judged."
    )
    position = serializers.IntegerField(
        source="judgement.position",
        allow_null=True,
        help_text="The index of the first wrong character in the URN, from 0.",
    )
    rule = NullableCharField(
        source="judgement.rule", help_text="The broken rule, or the algorithm of wrong check digits."
    )
    expected = NullableCharField(source="judgement.expected", help_text="What can stand at the position.")
    notes = JudgementNoteSerializer(
        many=True,
        source="judgement.notes",
        help_text="What is doubtful in a conformant URN, such as a wrong check digit that is not required.",
    )
    parts = NamePartSerializer(many=True, source="judgement.parts", help_text="The parts of the name.")
    check_digits = CheckDigitsSerializer(
        many=True,
        source="judgement.check_digits",
        help_text="The check digits of the identifiers in the name.",
    )
    canonical = serializers.CharField(
        source="judgement.canonical", help_text="The same for all URNs that are equivalent by the profile."
    )
    equivalents = serializers.ListField(
        child=serializers.CharField(),
        source="judgement.equivalents",
        help_text="Other spellings of a conformant URN; not all of them.",
    )
    subnamespaces = FoundSubNamespaceSerializer(
        many=True,
        source="judgement.subnamespaces",
        help_text="The sub-namespaces that the URN belongs to, the outermost first; empty without a list.",
    )
    unknown_subnamespace = UnknownSubNamespaceSerializer(
        source="judgement.unknown_subnamespace",
        allow_null=True,
        help_text="The first sub-namespace that a complete or partial list does not contain; null if there is none.",
    )
    rest = serializers.SerializerMethodField(
        help_text="What follows the last sub-namespace; null if nothing follows one."
    )

    @extend_schema_field(NameRestSerializer(allow_null=True))
    def get_rest(self, details: URNDetails) -> Any:
        text, meaning = details.judgement.rest if details.judgement else ("", "")
        return NameRestSerializer({"text": text, "meaning": meaning}).data if text else None


class InvalidURNSerializer(serializers.Serializer[Any]):
    """The first error in a text that is not a URN."""

    urn = RepeatedTextField(
        source="text", allow_blank=True, help_text="The text; of a long one, 1,000 characters."
    )
    position = serializers.IntegerField(help_text="The index of the first invalid character, from 0.")
    rule = serializers.CharField(help_text="The rule of the grammar that is broken.")
    section = serializers.CharField(help_text="The section that contains the rule.")
    document = serializers.CharField(help_text="The document that contains the rule.")
    reason = serializers.CharField(help_text="The reason, as a sentence.")


class PointedInvalidURNSerializer(InvalidURNSerializer):
    """The first error in a text that is not a URN, with a caret below the character."""

    pointed = serializers.CharField(
        source="with_caret", help_text="The text with a caret below the position of the fault."
    )


class MalformedURNSerializer(PointedInvalidURNSerializer):
    """The first error in a text that is not a URN, and the URNs that were probably meant."""

    did_you_mean = URNSuggestionSerializer(many=True, help_text="URNs that were probably meant.")


class URNProblemSerializer(ProblemSerializer, MalformedURNSerializer):
    """A text that is not a URN. `position` is the index of the first invalid character."""


class URNNoteSerializer(serializers.Serializer[Any]):
    """A remark that is not an error. `position` is an index in the component."""

    component = serializers.CharField(help_text="The part of the URN that the remark is about.")
    position = serializers.IntegerField(help_text="The index of the first wrong character, from 0.")
    section = serializers.CharField(
        help_text="The section that contains the rule, of the document that the message names."
    )
    message = serializers.CharField(help_text="What was found, and what to do.")


class URNNamespaceSerializer(BriefNIDReportSerializer):
    """The namespace of a URN, registered or not."""

    is_registered = serializers.SerializerMethodField(help_text="Whether the namespace is registered.")
    is_deprecated = serializers.SerializerMethodField(help_text="Whether the namespace is deprecated.")
    url = LinkField(
        "namespace", nid="namespace.nid", allow_null=True, help_text="The address; null if there is none."
    )
    html = serializers.SerializerMethodField(
        help_text="The address of the page for people; null if there is none."
    )

    sightings = SightedUses()

    def get_is_registered(self, report: NIDReport) -> bool:
        return report.namespace is not None

    def get_is_deprecated(self, report: NIDReport) -> bool:
        return report.namespace is not None and report.namespace.is_deprecated

    def get_html(self, report: NIDReport) -> str | None:
        if not isinstance(report.namespace, Namespace):
            return None
        return absolute_url(report.namespace.get_absolute_url())


class URNLinksSerializer(serializers.Serializer[URN]):
    """The address of a URN, and the check of its NID."""

    self = serializers.SerializerMethodField(help_text="The address of this resource.")
    nid = serializers.SerializerMethodField(help_text="The address of the report on the NID.")

    @extend_schema_field(serializers.URLField())
    def get_self(self, urn: URN) -> str:
        return absolute_url(f"/api/v1/urns/{quote(str(urn), safe=':')}")

    @extend_schema_field(serializers.URLField())
    def get_nid(self, urn: URN) -> str:
        return api_url("nid", nid=urn.nid.lower())


class URNSerializer(serializers.Serializer[URNDetails]):
    """A URN and its parts as they were written. An absent component is null, an empty one an empty text.

    `judgement` is null if the namespace has no profile.
    """

    urn = serializers.CharField(help_text="A URN.")
    nid = nid_field(source="urn.nid")
    nss = serializers.CharField(source="urn.nss", help_text="The namespace specific string, as written.")
    r_component = serializers.CharField(
        source="urn.r_component",
        allow_null=True,
        help_text="The r-component without `?+`; null if there is none.",
    )
    q_component = serializers.CharField(
        source="urn.q_component",
        allow_null=True,
        help_text="The q-component without `?=`; null if there is none.",
    )
    f_component = serializers.CharField(
        source="urn.f_component",
        allow_null=True,
        allow_blank=True,
        help_text="The f-component without `#`; null if there is none.",
    )
    assigned_name = serializers.CharField(
        source="urn.assigned_name",
        help_text="The URN without its r-, q- and f-component (RFC 8141, Section 2).",
    )
    normalized = serializers.CharField(
        source="urn.normalized",
        help_text="The normal form, by which URNs are compared (RFC 8141, Section 3.1).",
    )
    displayed = serializers.SerializerMethodField(
        help_text=(
            "The URN for people (RFC 8141, Section 4.4): characters beyond ASCII are decoded, but none that can't be seen. "
            "It is not a URN."
        )
    )
    notes = URNNoteSerializer(many=True, source="urn.notes", help_text="Remarks that are not errors.")
    namespace = URNNamespaceSerializer(source="report", help_text="The address of the namespace.")
    judgement = serializers.SerializerMethodField(
        help_text="The judgement by the profile of the namespace; null if there is none."
    )
    did_you_mean = URNSuggestionSerializer(
        many=True,
        help_text="For a URN that is not conformant, has a note, or is of no registered namespace: what was meant.",
    )
    services = serializers.SerializerMethodField(
        help_text="The services that resolve the URN, the best first. `/resolve/` redirects."
    )
    links = URNLinksSerializer(source="urn", help_text="Related addresses.")

    def get_displayed(self, details: URNDetails) -> str:
        return display(details.urn)

    @extend_schema_field(ServiceSerializer(many=True))
    def get_services(self, details: URNDetails) -> Any:
        choices = details.resolution.choices if details.resolution else ()
        return ServiceSerializer(choices, many=True).data

    @extend_schema_field(JudgementSerializer(allow_null=True))
    def get_judgement(self, details: URNDetails) -> Any:
        return JudgementSerializer(details).data if details.judgement else None
