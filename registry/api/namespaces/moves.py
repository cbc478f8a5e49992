"""`organisations/{organisation}/namespaces/`: move namespaces of the user to an organisation that they represent."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import StrictCharField, StrictSerializer, parse_number
from registry.api.framework.urls import LinkField
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.views import NamespaceUnknown, registered_or_404
from registry.api.organisations.views import ORGANISATION
from registry.api.schema.token_operations import write_operation
from registry.namespaces.models import Namespace
from registry.namespaces.services.moves import move_to_organisation
from registry.namespaces.services.transfers import TransferNotOpen
from registry.organisations.queries import get_represented_organisation

MAX_MOVED = 100


class MoveNamespacesRequestSerializer(StrictSerializer):
    """The namespaces to move. Case is ignored."""

    nids = serializers.ListField(child=StrictCharField(), min_length=1, max_length=MAX_MOVED)


class MovedNamespaceSerializer(serializers.Serializer[Namespace]):
    """A namespace that belongs to the organisation now."""

    nid = serializers.CharField()
    url = LinkField("namespace", nid="nid")


class MovedNamespaceListSerializer(serializers.Serializer[Any]):
    """The namespaces that were moved."""

    results = MovedNamespaceSerializer(many=True)


class MoveNamespacesView(TokenAPIView):
    """Move namespaces to an organisation."""

    @write_operation(
        "moveNamespaces",
        "Move namespaces to an organisation",
        action=move_to_organisation,
        request=MoveNamespacesRequestSerializer,
        response=MovedNamespaceListSerializer,
        about=(
            "The organisation, which the user represents, becomes the registrant of namespaces of the user: of all that are "
            "named, or of none. To move one to an organisation of others, offer a transfer."
        ),
        refusals=(NamespaceUnknown, TransferNotOpen),
        parameters=(ORGANISATION,),
        links={"namespace": ("getNamespace", {"nid": "$response.body#/results/0/nid"})},
    )
    def post(self, request: Request, organisation: str) -> Response:
        represented = get_represented_organisation(self.user, parse_number(organisation))
        nids = self.validated_data(MoveNamespacesRequestSerializer)["nids"]
        namespaces = [registered_or_404(nid) for nid in nids]
        moved = move_to_organisation(namespaces, by=self.user, organisation=represented)
        return Response(MovedNamespaceListSerializer({"results": moved}).data)
