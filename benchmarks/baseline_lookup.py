"""The baseline for lookups: a REST framework view with a model serializer.

It uses the registry's settings, middleware, query and serializer. Its URL is /plain/{nid}/.
"""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
application = get_wsgi_application()

from django.conf import settings  # noqa: E402 - they need Django set up
from django.contrib.auth.decorators import login_not_required  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework.generics import RetrieveAPIView  # noqa: E402
from rest_framework.permissions import AllowAny  # noqa: E402

from registry.api.namespaces.serializers import NamespaceDetailSerializer  # noqa: E402
from registry.api.namespaces.views import in_full  # noqa: E402


class PlainLookup(RetrieveAPIView):
    queryset = in_full()
    serializer_class = NamespaceDetailSerializer
    authentication_classes = ()
    permission_classes = (AllowAny,)
    lookup_field = "nid"


settings.ROOT_URLCONF = __name__
urlpatterns = [
    path("plain/<nid>/", login_not_required(PlainLookup.as_view())),
    path("", include("registry.urls")),
]
