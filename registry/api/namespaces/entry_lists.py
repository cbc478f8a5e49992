"""`register/entries/bulk/`, below a namespace or an entry: a list of entries of a register, written at once or only compared."""

from functools import partial

from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.actions import request_serializer
from registry.api.framework.fields import StrictBooleanField
from registry.api.framework.methods import write_operation
from registry.api.framework.permissions import check_scope
from registry.api.framework.views import TokenAPIView
from registry.api.namespaces.entries import BELOW, ENTRY
from registry.api.namespaces.registers import find
from registry.api.namespaces.subnamespaces import (
    DRY_RUN,
    ListChangeSerializer,
    ListFailuresProblemSerializer,
    change_response,
)
from registry.api.namespaces.views import NamespaceUnknown
from registry.api.schema.operations import NID, with_problem_members
from registry.registers.actions.lists import WRITE_ENTRIES, write_entries
from registry.registers.lists import MAX_LINES, EntriesRefused, check_size, plan_list
from registry.registers.models import Register

with_problem_members(ListFailuresProblemSerializer)(EntriesRefused)


class WriteEntriesRequestSerializer(request_serializer(WRITE_ENTRIES)):  # type: ignore[misc]  # made at runtime
    """The list of entries, and whether it is only compared."""

    dry_run = StrictBooleanField(default=False, help_text=DRY_RUN)


class ListOfEntriesView(TokenAPIView):
    """Write a list of entries, or see what it would change."""

    max_body = WRITE_ENTRIES.body_size

    def write(self, request: Request, register: Register) -> Response:
        WRITE_ENTRIES.check_permission(self.user, register)
        check_scope(request, WRITE_ENTRIES.scope)
        given, nid = self.validated_data(WriteEntriesRequestSerializer), register.namespace.nid
        check_size(given["document"])
        if given.pop("dry_run"):
            WRITE_ENTRIES.check_open(register)
            del given["replaces"]
            return change_response(nid, plan_list(register, **given))
        return change_response(nid, write_entries(register, by=self.user, **given))


# What both endpoints say of themselves.
write_operation_of_list = partial(
    write_operation,
    action=WRITE_ENTRIES,
    request=WriteEntriesRequestSerializer,
    response=ListChangeSerializer,
    about=(
        f"{WRITE_ENTRIES.effect} A request has at most {MAX_LINES:,} lines. With `dry_run`, nothing is changed, and the "
        "response contains the difference."
    ),
    refusals=(NamespaceUnknown, *WRITE_ENTRIES.all_refusals),
    links={"list": ("listSubnamespaces", {"nid": "$request.path.nid"})},
)


class WriteEntriesView(ListOfEntriesView):
    """A list of entries of the register directly below a namespace."""

    @write_operation_of_list(WRITE_ENTRIES.operation_id, WRITE_ENTRIES.label, parameters=(NID,))
    def post(self, request: Request, nid: str) -> Response:
        return self.write(request, find(self.user, nid))


class BranchEntriesView(ListOfEntriesView):
    """A list of entries of a register below an entry."""

    @write_operation_of_list(
        f"{WRITE_ENTRIES.operation_id}Below", f"{WRITE_ENTRIES.label}{BELOW}", parameters=(NID, ENTRY)
    )
    def post(self, request: Request, nid: str, entry: str) -> Response:
        return self.write(request, find(self.user, nid, entry))
