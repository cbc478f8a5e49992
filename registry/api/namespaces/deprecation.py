"""`namespaces/{nid}/deprecate/`: deprecate a namespace."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import StrictCharField, StrictSerializer
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.serializers import NamespaceLinkSerializer
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID
from registry.api.schema.token_operations import TEXT_PROBLEMS, write_operation
from registry.core.text_limits import BodySize
from registry.namespaces.forms.changes import DeprecateForm
from registry.namespaces.models import Namespace
from registry.namespaces.queries import NotRegistered, get_namespace
from registry.namespaces.services import deprecation


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


class DeprecateNamespaceRequestSerializer(StrictSerializer):
    """The statement on a deprecation, and the successor of the namespace."""

    statement = StrictCharField(help_text="The reason, and advice for users of the namespace.")
    successor = NamespaceByNIDField(required=False, help_text="The NID to use for new names.")


class DeprecatedNamespaceSerializer(serializers.Serializer[Namespace]):
    """A namespace after its deprecation."""

    nid = serializers.CharField()
    deprecated_at = serializers.DateTimeField()
    statement = serializers.CharField(source="deprecation_statement")
    successor = serializers.CharField(source="successor.nid", allow_null=True)
    links = NamespaceLinkSerializer(source="*")


class DeprecateNamespaceView(TokenAPIView):
    """Deprecate a namespace. This cannot be undone."""

    max_body = BodySize.TEXTS

    @write_operation(
        "deprecateNamespace",
        "Deprecate a namespace",
        action=deprecation.deprecate,
        request=DeprecateNamespaceRequestSerializer,
        response=DeprecatedNamespaceSerializer,
        about=DeprecateForm.effect,
        refusals=(
            NamespaceUnknown,
            deprecation.AlreadyDeprecated,
            deprecation.InvalidSuccessor,
            *TEXT_PROBLEMS,
        ),
        parameters=(NID,),
        links={"namespace": ("getNamespace", OF_NAMESPACE)},
    )
    def post(self, request: Request, nid: str) -> Response:
        namespace = registered_or_404(nid)
        deprecation.check_may_deprecate(namespace, by=self.user)
        body = self.validated_data(DeprecateNamespaceRequestSerializer)
        namespace = deprecation.deprecate(namespace, by=self.user, **body)
        return Response(DeprecatedNamespaceSerializer(namespace).data)
