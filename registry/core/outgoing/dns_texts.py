"""TXT records, asked of the name servers of this machine."""

import dns.exception
import dns.resolver

from registry.core.exceptions import RegistryError

SECONDS = 10.0
MAX_RECORDS = 50


class LookupFailed(RegistryError):
    """No name server gave an answer."""

    title = "The DNS look-up failed"


def txt_records(name: str) -> list[str]:
    """The TXT records of a name, each in one piece; none if there is no such name. Raises LookupFailed."""
    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=SECONDS, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except dns.exception.DNSException as failure:
        raise LookupFailed(f"No name server answered for {name}.") from failure
    return [b"".join(each.strings).decode(errors="replace") for each in list(answer)[:MAX_RECORDS]]
