"""`namespaces/{nid}/deprecate/`: deprecate a namespace."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.actions import RequestField, action_view, description_of, request_field
from registry.api.namespaces.serializers import NamespaceLinkSerializer
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID
from registry.namespaces.inputs import NamespaceChoice
from registry.namespaces.models import Namespace
from registry.namespaces.queries import NotRegistered, get_namespace
from registry.namespaces.services.deprecation import DEPRECATE


@extend_schema_field({"type": "string"})
class NamespaceByNIDField(serializers.Field[Namespace, str, str, Any]):
    """A registered namespace, by its NID in any case of letters."""

    def to_internal_value(self, data: Any) -> Namespace:
        try:
            return get_namespace(str(data).lower())
        except NotRegistered as fault:
            raise serializers.ValidationError(str(fault)) from fault

    def to_representation(self, value: Namespace) -> str:
        return value.nid


@request_field.register
def _(parameter: NamespaceChoice) -> RequestField:
    return NamespaceByNIDField(required=False, help_text=description_of(parameter))


class DeprecatedNamespaceSerializer(serializers.Serializer[Namespace]):
    """A namespace after its deprecation."""

    nid = serializers.CharField()
    deprecated_at = serializers.DateTimeField()
    statement = serializers.CharField(source="deprecation_statement")
    successor = serializers.CharField(source="successor.nid", allow_null=True)
    links = NamespaceLinkSerializer(source="*")


DeprecateNamespaceView = action_view(
    DEPRECATE,
    lambda user, nid: registered_or_404(nid),
    lambda namespace, user: DeprecatedNamespaceSerializer(namespace).data,
    response=DeprecatedNamespaceSerializer,
    summary="Deprecate a namespace",
    refusals=(NamespaceUnknown,),
    parameters=(NID,),
    links={"namespace": ("getNamespace", OF_NAMESPACE)},
)
