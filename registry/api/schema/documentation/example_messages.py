"""Examples of whole messages that cannot be put together from properties, by operation and media type.

The name of an operation means its response, and with “ request” the body of the request.
"""

from typing import Any

from registry.api.events.stream import RETRY
from registry.api.schema.documentation.example_values import NAMESPACE, TIME, URN

TEXT = "text/plain"
LINES = "application/jsonl"
TEMPLATE = """\
Namespace Identifier:  example-trees

Version:  1

Date:  2026-01-31

Registrant:
   Organization:  Example Gardens
   Contact person:  Registrar of the gardens
   E-mail:  registrar@example.org

Purpose:
   Names in this namespace identify the trees of botanical gardens.

Syntax:
   The number of a garden, a colon, and the number of a tree, such as
   urn:example-trees:12:4711.
"""
NAMESPACE_TEXT = """\
NID: isbn
Kind: formal
Status: active
Version: 1
Registered: 2001-10-01
Registrant: International ISBN Agency
Reference: RFC 8254
"""
CSV = """\
URN Namespace,Value,Reference,Template
isbn,1,[RFC8254],
"""
XML = """\
<?xml version='1.0' encoding='UTF-8'?>
<registry xmlns="http://www.iana.org/assignments" id="urn-namespaces">
  <title>Uniform Resource Names (URN) Namespaces</title>
</registry>
"""
LINKED_DATA = {
    "@context": {"@vocab": "https://schema.org/", "dcat": "http://www.w3.org/ns/dcat#"},
    "@id": f"{NAMESPACE}/",
    "@type": ["DefinedTermSet", "dcat:Resource"],
    "identifier": "isbn",
    "name": "International Standard Book Number",
    "description": "Names of books and other monographic publications.",
}
STREAM = f"""\
retry: {RETRY}

id: 42
data: {{"number":42,"is_public":true,"verb":"submit","case":12}}

: alive

"""
URNS = [URN, "urn:example:"]
EXAMPLE_MESSAGES: dict[tuple[str, str], Any] = {
    ("streamEvents", "text/event-stream"): STREAM,
    **{
        (message, TEXT): TEMPLATE
        for message in (
            "checkDraft request",
            "getDraft",
            "getNamespaceTemplate",
            "getNamespaceVersion",
            "getNamespaceVersionTemplate",
            "getRoundTemplate",
            "saveDraft",
            "saveDraft request",
            "updateDraft",
        )
    },
    ("checkUrns request", "application/json"): {"urns": URNS},
    ("checkUrns request", TEXT): "".join(f"{urn}\n" for urn in URNS),
    ("checkUrns", LINES): (
        '{"number": 1, "is_urn": true}\n'
        '{"number": 2, "is_urn": false, "urn": "urn:example:", "position": 12, "rule": "NSS", "section": "2.2", '
        '"document": "RFC 8141", "reason": "the NSS is empty"}\n'
    ),
    ("compareUrns request", "application/json"): {
        "first": "urn:example:a%2cz",
        "second": "URN:EXAMPLE:a%2Cz",
    },
    ("downloadFile", "application/jsonl"): '{"nid": "isbn", "kind": "formal", "version": 1}\n',
    ("downloadFile", "application/json"): {
        "profiles": [{"nid": "isbn", "title": "International Standard Book Number"}],
        "log_position": 812,
    },
    ("downloadFile", "application/xml"): XML,
    ("downloadFile", "text/csv"): CSV,
    (
        "downloadFile",
        "text/dns",
    ): '@ IN NAPTR 10 10 "u" "I2R+https" "!^(.*)$!https://openlibrary.org/isbn/!" .\n',
    ("downloadFile", TEXT): "isbn   formal   RFC 8254\n",
    ("getNamespace", TEXT): NAMESPACE_TEXT,
    ("getNamespace", "application/ld+json"): LINKED_DATA,
    ("getSchema", "application/json"): {"openapi": "3.1.0", "info": {"title": "…"}, "paths": {}},
    ("getSchema", "application/yaml"): {"openapi": "3.1.0", "info": {"title": "…"}, "paths": {}},
    ("getSignedNote", TEXT): (
        "registry.example.org/audit-log\n42\nqfXLmXW0S7kzNv9mF6mXj1z0a0y8o2Z3m8r5w1Jd2dE=\n\n"
        "— registry.example.org/audit-log 4rP0qWv0cDk…\n"
    ),
    ("listNamespaceVersions", TEXT): f"1 {TIME} {NAMESPACE}/versions/1/template.txt\n",
    ("recuseFromCase request", "application/json"): {"reason": "I advise the registrant."},
    ("resolveUrns request", "application/json"): {"urns": ["urn:ietf:rfc:2648", "urn:unregistered:1"]},
    ("resolveUrns", LINES): (
        '{"urn": "urn:ietf:rfc:2648", "address": "https://www.rfc-editor.org/rfc/rfc2648", "kind": "I2R", '
        '"reason": null}\n'
    ),
    ("withdrawCase request", "application/json"): {"reason": "The names will be part of another namespace."},
    **{
        (f"{name}Transfer request", "application/json"): {"reason": "The organisations did not merge."}
        for name in ("decline", "withdraw")
    },
}
