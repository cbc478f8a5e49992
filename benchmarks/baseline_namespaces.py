"""The baseline for lookups and lists: REST framework views with a model serializer.

They use the registry's settings, middleware, queries and serializers. Their URLs are /plain/{nid}/ and /plain/.
"""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
application = get_wsgi_application()

from django.conf import settings  # noqa: E402 - they need Django set up
from django.contrib.auth.decorators import login_not_required  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework.generics import ListAPIView, RetrieveAPIView  # noqa: E402
from rest_framework.pagination import CursorPagination  # noqa: E402
from rest_framework.permissions import AllowAny  # noqa: E402

from registry.api.namespaces.serializers import NamespaceDetailSerializer, NamespaceSerializer  # noqa: E402
from registry.api.namespaces.stored_items import in_brief  # noqa: E402
from registry.api.namespaces.views import in_full  # noqa: E402


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


settings.ROOT_URLCONF = __name__
urlpatterns = [
    path("plain/", login_not_required(PlainList.as_view())),
    path("plain/<nid>/", login_not_required(PlainLookup.as_view())),
    path("", include("registry.urls")),
]
