"""`namespaces/{nid}/profile/`: all versions of the profile of a namespace, and setting a new one."""

from http import HTTPStatus
from typing import Any

from django.db.models import Prefetch, prefetch_related_objects
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import User
from registry.api.framework.actions import action_method
from registry.api.framework.fields import nid_field
from registry.api.framework.pagination import chosen_entries, sparse_query
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.serializers import NamespaceLinkSerializer, ProfileVersionSerializer
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID, operation, with_problem_members
from registry.api.schema.problems import ProblemSerializer
from registry.core.validators import BodySize
from registry.namespaces.actions import profiles
from registry.namespaces.models import Namespace, ProfileVersion
from registry.namespaces.profile_documents import InvalidDocument


class ProfileVersionListSerializer(serializers.Serializer[Namespace]):
    """All versions of the profile, the oldest first. `current` is null if there is no profile now."""

    nid = nid_field()
    current = serializers.IntegerField(
        source="profile.version",
        allow_null=True,
        help_text="The number of the current version; null if there is none.",
    )
    results = ProfileVersionSerializer(
        many=True, source="profile_versions", help_text="The versions of the profile, the oldest first."
    )
    links = NamespaceLinkSerializer(source="*", help_text="Related addresses.")


ProfileVersionQuerySerializer = sparse_query(ProfileVersionSerializer, always="version")


class StaleProfileProblemSerializer(ProblemSerializer):
    """The current version of the profile, 0 before the first."""

    current = serializers.IntegerField(help_text="The current version of the profile; 0 before the first.")


class InvalidDocumentProblemSerializer(ProblemSerializer):
    """Where the document is wrong, and why. `place` is in the value of `key`."""

    key = serializers.CharField(allow_null=True, help_text="The key that is wrong, such as `names.abnf`.")
    place = serializers.CharField(
        allow_null=True, help_text="Where in the value the fault is; null if the whole value is wrong."
    )
    reason = serializers.CharField(help_text="The reason, as a sentence.")
    advice = serializers.CharField(allow_null=True, help_text="How to correct the document.")


class FailuresProblemSerializer(ProblemSerializer):
    """The names that contradict the profile, in a sentence each."""

    failures = serializers.ListField(
        child=serializers.CharField(),
        help_text="The names that contradict the profile, in a sentence each.",
    )


with_problem_members(StaleProfileProblemSerializer)(profiles.StaleProfile)
with_problem_members(InvalidDocumentProblemSerializer)(InvalidDocument)
for refusal in (profiles.ExamplesFail, profiles.RegistrationContradicted):
    with_problem_members(FailuresProblemSerializer)(refusal)


def _rendered(version: ProfileVersion, user: User) -> Any:
    prefetch_related_objects([version.namespace], _versions())
    return ProfileVersionListSerializer(version.namespace).data


def _versions() -> "Prefetch[Any]":
    return Prefetch("profile_versions", ProfileVersion.objects.select_related("set_by"))


class NamespaceProfileView(TokenAPIView):
    """The profile of a namespace: the current version and all previous ones."""

    query = ProfileVersionQuerySerializer
    max_body = BodySize.TEXTS

    @operation(
        "listProfileVersions",
        "The profile of a namespace",
        response=ProfileVersionListSerializer,
        refusals=[NamespaceUnknown],
        parameters=[NID],
        links={
            "namespace": ("getNamespace", OF_NAMESPACE),
            "set profile": ("setNamespaceProfile", OF_NAMESPACE),
        },
    )
    def get(self, request: Request, nid: str) -> Response:
        namespace = registered_or_404(
            nid, Namespace.objects.select_related("profile").prefetch_related(_versions())
        )
        return Response(chosen_entries(ProfileVersionListSerializer(namespace), self.parameters))

    post = action_method(
        profiles.SET_PROFILE,
        lambda user, nid: registered_or_404(nid),
        _rendered,
        response=ProfileVersionListSerializer,
        status=HTTPStatus.CREATED,
        summary="Set the profile of a namespace",
        refusals=(NamespaceUnknown, InvalidDocument),
        parameters=(NID,),
        links={
            "namespace": ("getNamespace", OF_NAMESPACE),
            "profile": ("listProfileVersions", OF_NAMESPACE),
        },
    )
