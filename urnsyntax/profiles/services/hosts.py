"""Hosts of address templates: names in the DNS that are public by their form."""

import re
import unicodedata

_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_TOP_LABEL = re.compile("[a-z]{2,}|xn--.+")
_PORT = re.compile("[1-9][0-9]{0,4}")
_NOT_PUBLIC = ("localhost", "local", "internal", "home.arpa", "onion", "arpa", "test", "invalid")
"""Names that RFC 6761 and its successors, or ICANN, keep out of the public DNS, and names without web servers."""

MAX_HOST = 253
HOST_PATTERN = rf"^{_LABEL}(?:\.{_LABEL})+$"
"""Hosts of several labels as a regular expression, which PostgreSQL reads like Python."""


def fault_of_host(host: str) -> str:
    """Why a host cannot be used, as a sentence; "" if it can.

    >>> fault_of_host("www.rfc-editor.org"), fault_of_host("xn--bcher-kva.example")
    ('', '')
    >>> fault_of_host("127.0.0.1"), fault_of_host("localhost")
    ('The host is an IP address, or its last label is not a top-level domain.', 'The host has only one label.')
    """
    labels = host.split(".")
    if not host:
        return "The host is missing."
    if len(host) > MAX_HOST:
        return f"The host has {len(host)} characters; the limit is {MAX_HOST}."
    if wrong := next((label for label in labels if not re.fullmatch(_LABEL, label)), None):
        return f"“{wrong[:63]}” is not a label of lower-case letters, digits and hyphens."
    if "" in labels:
        return "A label of the host is empty."
    if wrong := next((label for label in labels if not _is_plain_or_a_label(label)), None):
        return f"“{wrong}” is not an A-label (RFC 5890)."
    return _fault_of_place(host, labels)


def _fault_of_place(host: str, labels: list[str]) -> str:
    if len(labels) == 1:
        return "The host has only one label."
    if not _TOP_LABEL.fullmatch(labels[-1]):
        return "The host is an IP address, or its last label is not a top-level domain."
    if inside := next((name for name in _NOT_PUBLIC if host.endswith(f".{name}")), None):
        return f"“{inside}” is not a public domain."
    return ""


def fault_of_port(port: str) -> str:
    """Why a port cannot be used, as a sentence; "" if it can.

    >>> fault_of_port("8443"), fault_of_port("0")
    ('', 'The port is not a number from 1 to 65535.')
    """
    is_right = _PORT.fullmatch(port) and int(port) <= 65_535
    return "" if is_right else "The port is not a number from 1 to 65535."


def _is_plain_or_a_label(label: str) -> bool:
    """Whether a label has no hyphens in the third and fourth place, or is the A-label of a U-label."""
    if label[2:4] != "--":
        return True
    try:
        decoded = label[4:].encode("ascii").decode("punycode")
        again = decoded.encode("punycode").decode("ascii")
    except UnicodeError:
        return False
    letters = all(each == "-" or unicodedata.category(each)[0] in "LMN" for each in decoded)
    return label.startswith("xn--") and again == label[4:] and not decoded.isascii() and letters
