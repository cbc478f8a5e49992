"""Requests for namespaces, URNs and NIDs, and for who becomes the registrant of a namespace."""

from functools import partial
from typing import Any

from registry.accounts.models import User
from registry.devserver.api_examples.cases import confirm_contact
from registry.devserver.api_examples.recorder import Recorder
from registry.devserver.demonstration_cases import FIXTURES, person
from registry.namespaces.models import Namespace
from registry.registers.actions.fields import DECLARE_FIELDS
from registry.subnamespaces.importing import latest_version
from urnsyntax.profiles import load_profile

TREES = "example-trees"
IMPORTED = "isbn"
# An International Standard Book Number in both lengths, one with a wrong check digit, and a URN of no namespace.
URNS = ["urn:isbn:0451450523", "urn:isbn:9780451450523", "urn:unregistered:1"]
# Names that contradict the registered text.
LETTERS = {
    "abnf": "NSS = 1*ALPHA",
    "parts": {},
    "examples": [{"urn": f"urn:{TREES}:{letter}"} for letter in "abc"],
    "counterexamples": [{"urn": f"urn:{TREES}:{digit}", "reason": "It is no letter."} for digit in "123"],
}
BY_SYNTAX = {"urns": [URNS[0], "urn:isbn:"], "level": "syntax"}


def record_namespaces(recorder: Recorder) -> None:
    record_profile(recorder)
    record_registered(recorder)
    record_register(recorder)
    record_transfers(recorder)
    record_contact(recorder)
    record_claims(recorder)
    record_sightings(recorder)
    record_deprecation(recorder)


def record_profile(recorder: Recorder) -> None:
    profile = load_profile(FIXTURES / "cases" / "example-trees.toml").to_dict()
    body = {"profile": profile, "basis": "Syntax: the grammar.", "replaces": 0}
    set_profile = partial(recorder.call, "setNamespaceProfile", by=person("administrator"), nid=TREES)
    set_profile(body=body)
    refused = partial(recorder.refused, "setNamespaceProfile", by=person("administrator"), nid=TREES)
    refused(body=body)
    names = profile["names"]
    for changes in (
        {"abnf": "NSS = garden"},
        {"examples": [{"urn": "urn:example-trees:12"}, *names["examples"]]},
        LETTERS,
    ):
        changed = {**profile, "names": {**names, **changes}}
        refused(body={**body, "profile": changed, "replaces": 1})
    summary = "Names single trees in the care of botanical gardens."
    later = {**body, "profile": {**profile, "summary": summary}, "replaces": 1}
    set_profile(body=later, is_sample=False)
    record_subnamespaces(recorder, {**profile, "summary": summary})
    recorder.call("listProfileVersions", nid=TREES)
    recorder.call("compareProfileVersions", nid=TREES, from_=1, to=2)


def record_subnamespaces(recorder: Recorder, profile: dict[str, Any]) -> None:
    by = person("administrator")
    levels = [{"name": "garden", "coverage": "free"}]
    body = {"profile": {**profile, "levels": levels}, "basis": "Syntax: the gardens.", "replaces": 2}
    document = (
        '{"prefix": "12", "title": "Botanical Garden", "source": "List of gardens", "as_of": "2026-01-31"}'
    )
    sent = {
        "document": document,
        "list_format": "jsonl",
        "basis": "The list of gardens, 2026-01-31.",
        "replaces": 0,
    }
    refused = partial(recorder.refused, "importSubnamespaces", by=by, nid=TREES)
    refused(body=sent)
    recorder.call("setNamespaceProfile", by=by, nid=TREES, body=body, is_sample=False)
    refused(body={**sent, "document": document.replace('"12"', '"12:"')})
    recorder.call("importSubnamespaces", by=by, nid=TREES, body={**sent, "dry_run": True}, is_sample=False)
    recorder.call("importSubnamespaces", by=by, nid=TREES, body=sent)
    refused(body=sent)
    refused(body={**sent, "replaces": 1})
    recorder.call("listSubnamespaces", nid=TREES)
    recorder.call("getSubnamespace", nid=TREES, prefix="12")
    recorder.refused("getSubnamespace", nid=TREES, prefix="13")


def record_registered(recorder: Recorder) -> None:
    recorder.call("listNamespaces", page_size=1)
    for name in ("getNamespace", "getNamespaceTemplate", "listNamespaceVersions"):
        recorder.call(name, nid=TREES)
    for name in ("getNamespaceVersion", "getNamespaceVersionTemplate"):
        recorder.call(name, nid=TREES, version=1)
    recorder.call("listNamespaceEvents", nid=TREES, page_size=1)
    recorder.call("lookUpNamespaces", body={"nids": [IMPORTED, "unregistered"]})
    recorder.call("checkNid", nid="example-tree")
    recorder.refused("getNamespace", nid="example-bridges")
    recorder.refused("listNamespaces", kind="special")


def record_register(recorder: Recorder) -> None:
    """A register with expert review, in which a participant requests entries, and the holder registers one."""
    holder, requester = person("registrant"), person("participant")

    def by_holder(name: str, *, by: User = holder, **more: Any) -> Any:
        return recorder.call(name, by=by, nid=TREES, **more)

    texts = {"title": "Gardens with numbered trees", "guidance": "One number for each garden."}
    by_holder("openRegister", body={"policy": "first_come", "entry_name": "garden", **texts})
    recorder.call("getRegister", nid=TREES)
    by_holder("changeRegister", body={"policy": "expert_review", **texts, "replaces": 1})
    by_holder("declareFields", body={**DECLARE_FIELDS.sample, "replaces": 2})
    refused = {"fields": [{"label": "Size", "kind": "choice"}], "replaces": 3}
    recorder.refused("declareFields", by=holder, nid=TREES, body=refused)
    park = {"kind_of_garden": "Park"}
    kew = {"label": "13", "title": "Kew Gardens", "fields": park}
    entry = int(by_holder("registerEntry", body=kew)["number"])
    listed = {
        "document": '{"label": "17", "title": "Garden of roses", "fields": {"kind_of_garden": "Park"}}\n'
        '{"label": "13", "title": "Gardens at Kew", "fields": {"kind_of_garden": "Arboretum"}}'
    }
    body = {**listed, "list_format": "jsonl", "replaces": 2}
    by_holder("writeEntries", body={**body, "dry_run": True}, is_sample=False)
    by_holder("writeEntries", body=body)
    refused = {**body, "document": '{"label": "1:8", "title": "Garden"}'}
    recorder.refused("writeEntries", by=holder, nid=TREES, body=refused)

    of_requester = {"contact": requester.email, "fields": park, "register_version": 3}

    def requested(label: str) -> int:
        body = {"label": label, "title": "Garden of an example town", **of_requester}
        return int(by_holder("requestEntry", by=requester, body=body)["number"])

    number = requested("14")
    by_holder("askForChanges", number=number, body={"text": "Name the town.", "revision": 1})
    body = {"label": "14", "title": "Garden of Exampletown", **of_requester, "revision": 2}
    by_holder("reviseRequest", by=requester, number=number, body=body)
    by_holder("commentOnRequest", by=requester, number=number, body={"text": "The town is named now."})
    by_holder("listEntryRequests", page_size=1, state="open")
    by_holder("getEntryRequest", number=number)
    by_holder("listEntryRequestComments", number=number, page_size=1)
    by_holder("acceptRequest", number=number, body={"revision": 3})
    body = {"reason": "There is no such garden.", "revision": 1}
    by_holder("refuseRequest", number=requested("15"), body=body)
    by_holder("withdrawRequest", by=requester, number=requested("16"), body={})
    administrator = person("administrator")
    by_holder("suspendRegister", by=administrator, body={"reason": "Order 17 of the court of Exampletown."})
    by_holder("resumeRegister", by=administrator, body={"reason": "The order was lifted."})
    record_branch(recorder, entry)


def record_branch(recorder: Recorder, entry: int) -> None:
    """An entry that its holder offers to a participant, who runs a register below it."""
    holder, heir, administrator = map(person, ("registrant", "participant", "administrator"))
    on_entry = partial(recorder.call, nid=TREES, entry=entry)
    recorder.call("listEntries", nid=TREES, page_size=1)
    version = on_entry("getEntry")["version"]
    change = {"title": "Kew Gardens", "status": "active", "fields": {"kind_of_garden": "Arboretum"}}
    read = {"register_version": 3, "replaces": version}
    on_entry("changeEntry", by=holder, body={**change, "reference": "Catalogue of 2026", **read})

    def answer(name: str, by: User, **body: str) -> None:
        number = on_entry("offerEntry", by=holder, body={"to": heir.email})["number"]
        on_entry("listEntryOffers", by=by)
        on_entry(name, by=by, number=number, body=body)

    answer("withdrawOffer", holder, reason="The address was wrong.")
    answer("declineEntry", heir, reason="The garden is closed.")
    answer("acceptEntry", heir)
    on_entry("recallEntry", by=holder, body={"reason": "Mail to the holder came back."})
    on_entry("keepEntry", by=heir, body={})
    read["replaces"] = on_entry("getEntry")["version"]
    asked = {**change, "status": "deprecated", "successor": "14", "note": "The trees were moved.", **read}
    number = int(on_entry("changeEntry", by=heir, body=asked)["number"])
    body = {**asked, "note": "", "revision": 1}
    recorder.call("reviseChange", by=heir, nid=TREES, number=number, body=body)
    texts = {"title": "Trees of Kew Gardens", "guidance": "One number for each tree."}
    on_entry("openBranch", by=heir, body={"policy": "first_come", **texts})
    on_entry("getRegisterBelow")
    on_entry("changeRegisterBelow", by=heir, body={"policy": "expert_review", **texts, "replaces": 1})
    fields = {"fields": [{"label": "Kind of tree"}], "replaces": 2}
    on_entry("declareFieldsBelow", by=heir, body=fields)
    on_entry("registerEntryBelow", by=heir, body={"label": "4711", "title": "The oldest oak"})
    listed: dict[str, Any] = {"document": '{"label": "4713", "title": "A beech"}', "list_format": "jsonl"}
    listed["replaces"] = latest_version(Namespace.objects.get(nid=TREES))
    on_entry("writeEntriesBelow", by=heir, body=listed)
    asked = {"label": "4712", "title": "An elm", "contact": holder.email, "register_version": 3}
    on_entry("requestEntryBelow", by=holder, body=asked)
    on_entry("listEntryRequestsBelow", by=heir, page_size=1, state="open")
    order = {"reason": "Order 18 of the court of Exampletown."}
    on_entry("suspendRegisterBelow", by=administrator, body=order)
    on_entry("resumeRegisterBelow", by=administrator, body={"reason": "The order was lifted."})
    made = {"label": "18", "title": "Elm Garden", "fields": {"kind_of_garden": "Park"}}
    kept = recorder.call("registerEntry", by=holder, nid=TREES, body=made, is_sample=False)["number"]
    body = {"policy": "closed", "title": "Trees of Elm Garden"}
    recorder.call("openBranch", by=holder, nid=TREES, entry=kept, body=body, is_sample=False)


def record_urns(recorder: Recorder) -> None:
    call = recorder.call
    call("getUrn", urn=URNS[0])
    call("getUrnByParameter", urn=URNS[0])
    call("checkUrns", body={"urns": URNS})
    call("checkUrns", body=BY_SYNTAX, example="syntax")
    call("checkUrns", body="".join(f"{urn}\n" for urn in URNS))
    call("compareUrns", body={"first": "urn:example:a%2cz", "second": "URN:EXAMPLE:a%2Cz"})
    call("resolveUrns", body={"urns": [URNS[0], URNS[2]]})
    recorder.refused("getUrnByParameter", urn="urn:isbn:04514 50523")
    recorder.refused("compareUrns", body={"first": URNS[0], "second": "urn:isbn:"})


def record_transfers(recorder: Recorder) -> None:
    registrant, heir = person("registrant"), person("second-registrant")
    offer = partial(recorder.call, "offerTransfer", by=registrant, nid=TREES, body={"to": heir.email})

    def decide(name: str, by: User, **body: str) -> None:
        number = offer()["number"]
        recorder.call("listTransfers", by=by, nid=TREES)
        recorder.call(name, by=by, nid=TREES, number=number, body=body)

    decide("withdrawTransfer", registrant, reason="The address was wrong.")
    decide("declineTransfer", heir, reason="The organisations did not merge.")
    decide("acceptTransfer", heir)


def record_claims(recorder: Recorder) -> None:
    """Claims of an imported namespace, which has no registrant, and of one with a registrant, who can object."""
    claimant, administrator = person("participant"), person("administrator")
    evidence = {
        "ground": "domain",
        "statement": "I manage the registrations of the agency.",
        "links": ["https://agency.example.org/about"],
    }

    def claim(nid: str) -> Any:
        return recorder.call("claimNamespace", by=claimant, nid=nid, body=evidence)["number"]

    def decide(name: str, by: User, number: int, reason: str = "") -> None:
        recorder.call(name, by=by, number=number, body={"reason": reason} if reason else {})

    decide("withdrawClaim", claimant, claim(IMPORTED))
    decide("declineClaim", administrator, claim(IMPORTED), "The page does not name them.")
    announced = claim(TREES)
    decide("announceClaim", administrator, announced, "The site of the arboretum names them.")
    decide("objectToClaim", person("second-registrant"), announced)
    number = claim(IMPORTED)
    recorder.call("listClaims", by=claimant, page_size=1, is_undecided="true")
    recorder.call("getClaim", by=administrator, number=number)
    decide("approveClaim", administrator, number, "The site of the agency names them.")
    confirm_contact(recorder, IMPORTED, by=claimant)


def record_sightings(recorder: Recorder) -> None:
    """Uses of NIDs that no namespace has: one that is confirmed, and then removed, and one that is declined."""
    reporter, administrator = person("participant"), person("administrator")

    def report(nid: str) -> Any:
        body = {"nid": nid, "used_by": "Label printers of the agency", "example": f"urn:{nid}:label:17"}
        body["source"] = "https://agency.example.org/labels"
        return recorder.call("reportSighting", by=reporter, body=body)["number"]

    def decide(name: str, number: int, reason: str) -> None:
        recorder.call(name, by=administrator, number=number, body={"reason": reason})

    decide("declineSighting", report("example-labels"), "The page does not show the name.")
    number = report("example-printers")
    decide("confirmSighting", number, "The page shows the name.")
    recorder.call("listSightings", page_size=1)
    recorder.call("getSighting", number=number)
    recorder.call("listOwnSightings", by=reporter, page_size=1)
    decide("removeSighting", number, "The agency uses another name now.")


def record_contact(recorder: Recorder) -> None:
    contact = {
        "name": "Registrar of the arboretum",
        "email": "registrar@example.org",
        "reason": "The former contact has retired.",
    }
    recorder.call("changeContact", by=person("second-registrant"), nid=TREES, body=contact)
    recorder.call("confirmContact", by=person("second-registrant"), nid=TREES, body={})


def record_deprecation(recorder: Recorder) -> None:
    statement = {"statement": "The catalogue was closed. Its names stay valid.", "successor": IMPORTED}
    recorder.call("deprecateNamespace", by=person("administrator"), nid=TREES, body=statement)
