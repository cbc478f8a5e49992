"""Public events: their types, their selection, and their JSON.

An event has one flat object of optional details. A type for each verb would need a discriminator that private events,
which have no verb, lack, and generated clients would choose between thirty types that mostly look the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.expressions import Value
from django.db.models.fields import BooleanField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import JSONObject
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.audit_log.leaves import EVENT, FORMAT_1, SHOWN_NAME, private_details
from registry.audit_log.models import Event, PersonalData
from registry.audit_log.personal_data import shown_name
from registry.cases import publicity
from registry.cases.workflow.declarations.definition import CaseAction
from registry.cases.workflow.declarations.transitions import EVENT_TYPE_BY_NAME
from registry.core.http.urls import absolute_url, public_url
from registry.namespaces.history import event_types

PUBLIC_VERBS = publicity.PUBLIC_VERBS


@dataclass(frozen=True)
class PublicDetail:
    """A public detail, and the verbs of the events that have it."""

    name: str
    kind: type
    text: str
    verbs: list[str] = field(default_factory=list)

    @property
    def description(self) -> str:
        return f"{self.text} Of {', '.join(f'`{verb}`' for verb in self.verbs)}."


def _description(verb: str) -> str:
    """What happened, and the public details."""
    of_case = EVENT_TYPE_BY_NAME.get(verb)
    if of_case is None:
        past = event_types()[verb].past
        happened = past if isinstance(past, str) else past(Event())
    elif isinstance(of_case, CaseAction):
        happened = of_case.label
    else:  # a function needs an event
        happened = of_case.past if isinstance(of_case.past, str) else verb.replace("_", " ").capitalize()
    names = [f"`{each.name}`" for each in publicity.details_of(verb) if each.is_public]
    return happened + (f" (details: {', '.join(names)})" if names else "")


def _public_details() -> Iterator[PublicDetail]:
    found: dict[str, PublicDetail] = {}
    for verb in PUBLIC_VERBS:
        for each in publicity.details_of(verb):
            if each.is_public:
                known = found.setdefault(each.name, PublicDetail(each.name, each.kind, each.text))
                known.verbs.append(verb)
    yield from found.values()


VERB_CHOICES = tuple((verb, _description(verb)) for verb in PUBLIC_VERBS)
DETAILS = {each.name: each for each in _public_details()}


def with_publicity(events: QuerySet[Event, Event]) -> QuerySet[Event, Event]:
    """Annotate each event with `is_public`, and with `committed_name`: the salt and the value of the commitment to the name of
    the actor, until they are erased.

    The salts of an event say whether it is public, as its leaf does. Events of format 1 have none, so the rule of
    `PublicEvents` decides.
    """
    opened = Event.objects.filter(
        case_number=OuterRef("case_number"),
        verb=publicity.PUBLIC_EVENTS.opening,
        number__lte=OuterRef("number"),
    )
    of_case = Q(case_number__isnull=False, verb__in=publicity.PUBLIC_EVENTS.of_cases) & Q(Exists(opened))
    other = Q(case_number=None, verb__in=publicity.PUBLIC_EVENTS.others)
    former, written_as_public = Q(salts__isnull=True), Q(salts__isnull=False) & ~Q(salts__has_key=EVENT)
    name = PersonalData.objects.filter(digest=KeyTextTransform(SHOWN_NAME, OuterRef("identities")))
    return events.annotate(
        is_public=Case(
            When(written_as_public | former & (of_case | other), then=Value(True)),
            default=Value(False),
            output_field=BooleanField(),
        ),
        committed_name=Subquery(name.values(pair=JSONObject(salt="salt", value="value"))),
    )


DETAIL_FIELDS: dict[type, type[serializers.Field[Any, Any, Any, Any]]] = {
    int: serializers.IntegerField,
    str: serializers.CharField,
    bool: serializers.BooleanField,
    date: serializers.DateField,
}


class EventDetailsSerializer(serializers.Serializer[Event]):
    """What an event has beside the members of every event. Which of these members it has follows from `verb`.

    A member without a value is absent.
    """

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {each.name: _field(each) for each in DETAILS.values()}

    def to_representation(self, instance: Event) -> dict[str, Any]:
        """The details that the leaf of the event has; of an event of format 1, those that are declared as public."""
        private = private_details(instance.salts)
        return {
            name: value
            for name, value in instance.details.items()
            if value not in ("", None) and (name in DETAILS if private is None else name not in private)
        }


def _field(detail: PublicDetail) -> serializers.Field[Any, Any, Any, Any]:
    about: dict[str, Any] = {"required": False, "help_text": detail.description}
    if detail.kind is list:
        return serializers.ListField(child=serializers.CharField(), **about)
    return DETAIL_FIELDS[detail.kind](**about)


class EventSerializer(serializers.Serializer[Event]):
    """One event. An event that is not public has its number and its leaf, and null for all other members."""

    # Programs written before there were leaves compare all members that they get.
    on_request = frozenset(["leaf", "actor_salt"])

    number = serializers.IntegerField(help_text="The number of the event in the audit log.")
    is_public = serializers.BooleanField(help_text="Whether the event is public.")
    at = serializers.DateTimeField(
        allow_null=True, help_text="The time of the event; null if it is not public, or there is none."
    )
    verb = serializers.ChoiceField(
        choices=VERB_CHOICES, allow_null=True, help_text="What happened, such as `submit`."
    )
    actor = serializers.CharField(allow_null=True, help_text="Null if the registry itself acted.")
    case = serializers.IntegerField(
        source="case_number", allow_null=True, help_text="The number of the case; null if it belongs to none."
    )
    nid = serializers.CharField(
        allow_null=True, help_text="The namespace identifier, in lower case; null if there is none."
    )
    from_state = serializers.CharField(
        allow_null=True, help_text="The state of the case before the event; null if it is not about a state."
    )
    to_state = serializers.CharField(
        allow_null=True, help_text="The state of the case after the event; null if it is not about a state."
    )
    reason = serializers.CharField(
        allow_null=True, help_text="The reason, as a sentence; null if there is none."
    )
    text_digest = serializers.CharField(
        allow_null=True, help_text="The digest of the text that the event is about; null if there is none."
    )
    details = EventDetailsSerializer(
        source="*",
        allow_null=True,
        help_text="Further members, which depend on the verb; null if the event is not public.",
    )
    digest = serializers.CharField(
        allow_null=True, help_text="The digest of the event, which includes that of the event before it."
    )
    leaf = serializers.SerializerMethodField(
        help_text="The entry of the event in the Merkle tree of the audit log, from which everyone can compute the digest; "
        "null if it was written before there were such leaves. In lists, if `fields` names it."
    )
    actor_salt = serializers.SerializerMethodField(
        help_text="The salt of the name of the actor, whose commitment is in the leaf; null if the name changed since, was "
        "erased, or there is no actor. In lists, if `fields` names it."
    )
    links = serializers.SerializerMethodField(
        help_text="Related addresses. `proof` has the proof from the next head of the audit log on, within an hour."
    )

    def to_representation(self, instance: Any) -> dict[str, Any]:
        if not instance.is_public:
            known = {
                "number": instance.number,
                "is_public": False,
                "leaf": self.get_leaf(instance),
                "links": {},
            }
            return {name: known.get(name) for name in map(str, self.fields)}
        members = super().to_representation(instance)
        return {name: None if value == "" else value for name, value in members.items()}

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_leaf(self, event: Event) -> str | None:
        return None if event.format == FORMAT_1 else event.leaf.decode()

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_actor_salt(self, event: Any) -> str | None:
        """Only of the name that is shown today: a former name is not published again."""
        known = event.committed_name
        return known["salt"] if known and known["value"] == shown_name(event.actor) else None

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_links(self, event: Event) -> dict[str, str]:
        links = {"proof": absolute_url(reverse("audit_log:proof", args=(event.number,)))}
        if event.case_number is not None:
            links["case"] = public_url("api:case", number=event.case_number)
            links["html"] = absolute_url(f"/cases/{event.case_number}/")
        if "comment" in event.details:
            # The page that begins with the comment.
            after = event.details["comment"] - 1
            links["comments"] = f"{public_url('api:comments', number=event.case_number)}?after={after}"
        # Of a case, the registration and its corrections belong to the history of the namespace, too.
        known = event_types().get(event.verb)
        if event.nid and (event.case_number is None or known):
            links["namespace"] = public_url("api:namespace", nid=event.nid)
            if known and known.page:
                links["html"] = public_url(known.page, nid=event.nid)
        return links


def text_length(event: Event) -> int:
    """The characters of the texts of an event. Its leaf has them at most once more."""
    return len(event.reason) + sum(len(str(each)) for each in event.details.values())


def event_without_leaf(event: Event) -> dict[str, Any]:
    """The members of an event as a list has them without the parameter `fields`. It has the annotation `is_public`."""
    serializer = EventSerializer(event)
    for name in serializer.on_request:
        del serializer.fields[name]
    members: dict[str, Any] = serializer.data
    return members
