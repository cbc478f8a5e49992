"""`namespaces/{nid}/register/entries/bulk/`: a list of entries of a register, written at once or only compared."""

from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.actions import request_serializer
from registry.api.framework.fields import StrictBooleanField
from registry.api.framework.methods import write_operation
from registry.api.framework.permissions import check_scope
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.subnamespaces import (
    DRY_RUN,
    ListChangeSerializer,
    ListFailuresProblemSerializer,
    change_response,
)
from registry.api.namespaces.views import NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID, with_problem_members
from registry.registers.actions.lists import WRITE_ENTRIES, write_entries
from registry.registers.lists import MAX_LINES, EntriesRefused, check_size, plan_list
from registry.registers.subjects import get_register

with_problem_members(ListFailuresProblemSerializer)(EntriesRefused)


class WriteEntriesRequestSerializer(request_serializer(WRITE_ENTRIES)):  # type: ignore[misc]  # made at runtime
    """The list of entries, and whether it is only compared."""

    dry_run = StrictBooleanField(default=False, help_text=DRY_RUN)


class WriteEntriesView(TokenAPIView):
    """Write a list of entries, or see what it would change."""

    max_body = WRITE_ENTRIES.body_size

    @write_operation(
        WRITE_ENTRIES.operation_id,
        WRITE_ENTRIES.label,
        action=WRITE_ENTRIES,
        request=WriteEntriesRequestSerializer,
        response=ListChangeSerializer,
        about=(
            f"{WRITE_ENTRIES.effect} A request has at most {MAX_LINES:,} lines. With `dry_run`, nothing is changed, and the "
            "response contains the difference."
        ),
        refusals=(NamespaceUnknown, *WRITE_ENTRIES.all_refusals),
        parameters=(NID,),
        links={"list": ("listSubnamespaces", {"nid": "$request.path.nid"})},
    )
    def post(self, request: Request, nid: str) -> Response:
        register = get_register(registered_or_404(nid))
        WRITE_ENTRIES.check_permission(self.user, register)
        check_scope(request, WRITE_ENTRIES.scope)
        given = self.validated_data(WriteEntriesRequestSerializer)
        check_size(given["document"])
        if given.pop("dry_run"):
            WRITE_ENTRIES.check_open(register)
            del given["replaces"]
            return change_response(nid, plan_list(register, **given))
        return change_response(nid, write_entries(register, by=self.user, **given))
