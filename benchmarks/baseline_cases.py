"""The baseline for writes: a REST framework view with a model serializer that saves a case, and nothing else.

It uses the registry's settings, middleware and tokens. Its URL is /plain/.
"""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
application = get_wsgi_application()

from django.conf import settings  # noqa: E402 - they need Django set up
from django.contrib.auth.decorators import login_not_required  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework.generics import CreateAPIView  # noqa: E402
from rest_framework.permissions import IsAuthenticated  # noqa: E402
from rest_framework.serializers import BaseSerializer, ModelSerializer  # noqa: E402

from registry.cases.models import Case  # noqa: E402


class PlainCaseSerializer(ModelSerializer):  # type: ignore[type-arg]
    class Meta:
        model = Case
        fields = ("id", "kind", "draft")


class PlainCases(CreateAPIView):  # type: ignore[type-arg]
    queryset = Case.objects.all()
    serializer_class = PlainCaseSerializer
    permission_classes = (IsAuthenticated,)
    throttle_classes = ()

    def perform_create(self, serializer: BaseSerializer) -> None:  # type: ignore[type-arg]
        serializer.save(registrant=self.request.user)


settings.ROOT_URLCONF = __name__
urlpatterns = [
    path("plain/", login_not_required(PlainCases.as_view())),
    path("", include("registry.urls")),
]
