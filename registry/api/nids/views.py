"""`nids/{nid}/`: the NID check."""

from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.views import PublicAPIView
from registry.api.nids.serializers import NIDReportSerializer
from registry.api.schema.operations import NID, operation
from registry.cases.nids.report import report_on
from registry.namespaces.models import Namespace


class NIDCheckView(PublicAPIView):
    """Check whether a NID can be registered. The status is 200 for every text."""

    @operation(
        "checkNid",
        "Check whether a NID can be registered",
        response=NIDReportSerializer,
        parameters=[NID],
        links={"namespace": ("getNamespace", {"nid": "$response.body#/nid"})},
    )
    def get(self, request: Request, nid: str) -> Response:
        brief = Namespace.objects.only("nid", "registered_on", "deprecated_at")
        return Response(NIDReportSerializer(report_on(nid, brief)).data)
