"""The baseline for resolution: a REST framework view with the ORM and a serializer.

It uses the registry's settings, middleware, judgement and serializer. Its URL is /plain/{urn}.
"""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
application = get_wsgi_application()

from django.conf import settings  # noqa: E402 - they need Django set up
from django.contrib.auth.decorators import login_not_required  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework.generics import get_object_or_404  # noqa: E402
from rest_framework.permissions import AllowAny  # noqa: E402
from rest_framework.request import Request  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402

from registry.namespaces.models import Namespace  # noqa: E402
from registry.resolution.models import HealthState  # noqa: E402
from registry.resolution.namespace_data import Health, NamespaceData  # noqa: E402
from registry.resolution.resolving import resolve  # noqa: E402
from registry.resolution.serializers import ResolutionSerializer  # noqa: E402
from urnsyntax import URN  # noqa: E402

WITH_SERVICES = Namespace.objects.select_related("profile").prefetch_related(
    "confirmed_hosts", "service_health"
)


class PlainResolution(APIView):
    authentication_classes = ()
    permission_classes = (AllowAny,)

    def get(self, request: Request, urn: str) -> Response:
        parsed = URN.parse(urn)
        namespace = get_object_or_404(WITH_SERVICES, nid=parsed.nid.lower())
        namespace_data = NamespaceData(
            namespace.nid,
            namespace.deprecated_at,
            namespace.current_profile,
            frozenset(each.host for each in namespace.confirmed_hosts.all()),
            {
                each.template: Health(HealthState(each.state), each.checked_at, each.failing_since)
                for each in namespace.service_health.all()
            },
        )
        return Response(ResolutionSerializer(resolve(parsed, namespace_data)).data)


settings.ROOT_URLCONF = __name__
urlpatterns = [
    path("plain/<path:urn>", login_not_required(PlainResolution.as_view())),
    path("", include("registry.urls")),
]
