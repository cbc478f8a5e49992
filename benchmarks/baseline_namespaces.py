"""The baseline for lookups and lists: REST framework views with a model serializer.

They use the registry's settings, middleware, queries and serializers. Their URLs are /plain/{nid}/, /plain/ and
/plain/{nid}/subnamespace/?prefix=.
"""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
application = get_wsgi_application()

from django.conf import settings  # noqa: E402 - they need Django set up
from django.contrib.auth.decorators import login_not_required  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework.generics import ListAPIView, RetrieveAPIView, get_object_or_404  # noqa: E402
from rest_framework.pagination import CursorPagination  # noqa: E402
from rest_framework.permissions import AllowAny  # noqa: E402

from registry.api.namespaces.serializers import NamespaceDetailSerializer, NamespaceSerializer  # noqa: E402
from registry.api.namespaces.stored_items import in_brief  # noqa: E402
from registry.api.namespaces.subnamespaces import SubNamespaceSerializer  # noqa: E402
from registry.api.namespaces.views import in_full  # noqa: E402
from registry.subnamespaces.models import SubNamespace  # noqa: E402


class PlainLookup(RetrieveAPIView):
    queryset = in_full()
    serializer_class = NamespaceDetailSerializer
    authentication_classes = ()
    permission_classes = (AllowAny,)
    lookup_field = "nid"


class PagesOfHundred(CursorPagination):
    page_size = 100
    ordering = "nid"


class PlainList(ListAPIView):
    queryset = in_brief()
    serializer_class = NamespaceSerializer
    authentication_classes = ()
    permission_classes = (AllowAny,)
    pagination_class = PagesOfHundred


class PlainSubNamespace(RetrieveAPIView):
    queryset = SubNamespace.objects.select_related("namespace")
    serializer_class = SubNamespaceSerializer
    authentication_classes = ()
    permission_classes = (AllowAny,)

    def get_object(self) -> SubNamespace:
        prefix = self.request.query_params["prefix"]
        return get_object_or_404(self.get_queryset(), namespace__nid=self.kwargs["nid"], key=prefix)


settings.ROOT_URLCONF = __name__
urlpatterns = [
    path("plain/", login_not_required(PlainList.as_view())),
    path("plain/<nid>/subnamespace/", login_not_required(PlainSubNamespace.as_view())),
    path("plain/<nid>/", login_not_required(PlainLookup.as_view())),
    path("", include("registry.urls")),
]
