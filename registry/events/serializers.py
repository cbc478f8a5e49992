"""Events as JSON, in responses and in messages to webhooks."""

from datetime import date
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.audit_log.models import Event
from registry.core.http.urls import absolute_url, public_url
from registry.events.verbs import DETAILS, VERB_CHOICES, PublicDetail
from registry.namespaces.history import event_types

DETAIL_FIELDS: dict[type, type[serializers.Field[Any, Any, Any, Any]]] = {
    int: serializers.IntegerField,
    str: serializers.CharField,
    bool: serializers.BooleanField,
    date: serializers.DateField,
}


class EventDetailsSerializer(serializers.Serializer[dict[str, Any]]):
    """What an event has beside the members of every event. Which of these members it has follows from `verb`.

    A member without a value is absent.
    """

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {each.name: _field(each) for each in DETAILS.values()}

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        return {
            name: value for name, value in instance.items() if name in DETAILS and value not in ("", None)
        }


def _field(detail: PublicDetail) -> serializers.Field[Any, Any, Any, Any]:
    about: dict[str, Any] = {"required": False, "help_text": detail.description}
    if detail.kind is list:
        return serializers.ListField(child=serializers.CharField(), **about)
    return DETAIL_FIELDS[detail.kind](**about)


class EventSerializer(serializers.Serializer[Event]):
    """One event. An event that is not public has its number, and null for all other members."""

    number = serializers.IntegerField()
    is_public = serializers.BooleanField()
    at = serializers.DateTimeField(allow_null=True)
    verb = serializers.ChoiceField(choices=VERB_CHOICES, allow_null=True)
    actor = serializers.CharField(allow_null=True, help_text="Null if the registry itself acted.")
    case = serializers.IntegerField(source="case_number", allow_null=True)
    nid = serializers.CharField(allow_null=True)
    from_state = serializers.CharField(allow_null=True)
    to_state = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    text_digest = serializers.CharField(allow_null=True)
    details = EventDetailsSerializer(allow_null=True)
    digest = serializers.CharField(allow_null=True)
    links = serializers.SerializerMethodField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        if not instance.is_public:
            known = {"number": instance.number, "is_public": False, "links": {}}
            return {name: known.get(name) for name in map(str, self.fields)}
        members = super().to_representation(instance)
        return {name: None if value == "" else value for name, value in members.items()}

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_links(self, event: Event) -> dict[str, str]:
        links = {}
        if event.case_number is not None:
            links["case"] = public_url("api:case", number=event.case_number)
            links["html"] = absolute_url(f"/cases/{event.case_number}/")
        if "comment" in event.details:
            # The page that begins with the comment.
            after = event.details["comment"] - 1
            links["comments"] = f"{public_url('api:comments', number=event.case_number)}?after={after}"
        # Of a case, the registration and its corrections belong to the history of the namespace, too.
        if event.nid and (event.case_number is None or event.verb in event_types()):
            links["namespace"] = public_url("api:namespace", nid=event.nid)
        return links
