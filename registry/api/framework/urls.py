"""Absolute addresses of the API's resources, and fields that render addresses."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers
from rest_framework.fields import get_attribute

from registry.core.http.urls import absolute_url, public_url


def api_url(name: str, **arguments: Any) -> str:
    """The absolute address of a resource of the API, by the name of its URL pattern."""
    return public_url(f"api:{name}", **arguments)


class LinkField(serializers.URLField):
    """The address of a resource of the API, by the name of its URL pattern.

    `sources` are the attributes of the object that contain the arguments of the pattern, such as
    `nid="namespace.nid"`. With `allow_null`, the link is null if one of the objects on the way is None.
    """

    def __init__(
        self,
        url_name: str,
        *,
        help_text: str = "The address of this resource.",
        allow_null: bool = False,
        **sources: str,
    ) -> None:
        super().__init__(source="*", allow_null=allow_null, help_text=help_text)
        self.url_name = url_name
        self.sources = {name: source.split(".") for name, source in sources.items()}

    def get_attribute(self, instance: Any) -> Any:
        try:
            return {name: get_attribute(instance, source) for name, source in self.sources.items()}
        except AttributeError:
            if self.allow_null:
                return None
            raise

    def to_representation(self, value: Any) -> str:
        return api_url(self.url_name, **value)


class PageLinkField(serializers.URLField):
    """The address of the page of an object, which `source` names."""

    def __init__(self, source: str = "*", *, help_text: str = "The address of the page for people.") -> None:
        super().__init__(source=source, help_text=help_text)

    def to_representation(self, value: Any) -> str:
        return absolute_url(value.get_absolute_url())


class ProofLinkField(serializers.URLField):
    """The address of the proof of a version of a namespace, its profile or its list, by the name of its URL pattern."""

    def __init__(self, url_name: str) -> None:
        super().__init__(
            source="*",
            help_text="The address of the proof that the version is in the audit log (https://c2sp.org/tlog-proof), from the next "
            "head on, within an hour.",
        )
        self.url_name = url_name

    def to_representation(self, value: Any) -> str:
        return absolute_url(reverse(self.url_name, args=(value.namespace.nid, value.version)))
