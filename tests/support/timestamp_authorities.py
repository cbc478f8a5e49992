"""A time-stamping authority, written from RFC 3161, RFC 5652 and RFC 5816 alone. It can be made to lie."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.support.https_servers import Authority, Exchange

INTEGER, OCTETS, OID, TIME, SEQUENCE, SET, CONTEXT_0 = 0x02, 0x04, 0x06, 0x18, 0x30, 0x31, 0xA0
SHA_256, ECDSA_WITH_SHA_256 = "2.16.840.1.101.3.4.2.1", "1.2.840.10045.4.3.2"
SIGNED_DATA, TST_INFO = "1.2.840.113549.1.7.2", "1.2.840.113549.1.9.16.1.4"
CONTENT_TYPE, MESSAGE_DIGEST = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"
SIGNING_CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.47"
POLICY = "1.3.6.1.4.1.32473.1"  # of the arc for examples (RFC 5612)
# Of a request with a digest of 32 octets and a nonce.
ASKED = re.compile(rb"\x04\x20(?P<digest>.{32})\x02(?P<length>.)(?P<rest>.*)", re.DOTALL)


def der(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    size = len(content)
    if size < 128:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def integer(value: int) -> bytes:
    return der(INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def oid(text: str) -> bytes:
    first, second, *others = map(int, text.split("."))
    octets = bytearray([first * 40 + second])
    for each in others:
        groups = [each & 0x7F]
        while each := each >> 7:
            groups.append(each & 0x7F | 0x80)
        octets += bytes(reversed(groups))
    return der(OID, bytes(octets))


def attribute(kind: str, value: bytes) -> bytes:
    return der(SEQUENCE, oid(kind), der(SET, value))


@dataclass(frozen=True)
class Stamp:
    """What a token says, and who signs it."""

    digest: bytes
    nonce: int
    at: datetime
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    status: int = 0

    def reply(self) -> bytes:
        """The TimeStampResp (RFC 3161, Section 2.4.2)."""
        return der(SEQUENCE, der(SEQUENCE, integer(self.status)), b"" if self.status else self._token())

    def _token(self) -> bytes:
        """The token, a SignedData (RFC 5652, Section 5)."""
        info, algorithm = self._info(), der(SEQUENCE, oid(SHA_256))
        certificate = self.certificate.public_bytes(serialization.Encoding.DER)
        content = der(SEQUENCE, oid(TST_INFO), der(CONTEXT_0, der(OCTETS, info)))
        signed = der(
            SEQUENCE,
            integer(3),
            der(SET, algorithm),
            content,
            der(CONTEXT_0, certificate),
            der(SET, self._signer(info, certificate, algorithm)),
        )
        return der(SEQUENCE, oid(SIGNED_DATA), der(CONTEXT_0, signed))

    def _info(self) -> bytes:
        imprint = der(SEQUENCE, der(SEQUENCE, oid(SHA_256)), der(OCTETS, self.digest))
        time = der(TIME, self.at.astimezone(UTC).strftime("%Y%m%d%H%M%SZ").encode())
        return der(SEQUENCE, integer(1), oid(POLICY), imprint, integer(1), time, integer(self.nonce))

    def _signer(self, info: bytes, certificate: bytes, algorithm: bytes) -> bytes:
        identity = der(SEQUENCE, der(OCTETS, hashlib.sha256(certificate).digest()))
        attributes = [
            attribute(CONTENT_TYPE, oid(TST_INFO)),
            attribute(MESSAGE_DIGEST, der(OCTETS, hashlib.sha256(info).digest())),
            attribute(SIGNING_CERTIFICATE_V2, der(SEQUENCE, der(SEQUENCE, identity))),
        ]
        together = b"".join(sorted(attributes))
        signature = self.key.sign(der(SET, together), ec.ECDSA(hashes.SHA256()))
        issuer = self.certificate.issuer.public_bytes()
        return der(
            SEQUENCE,
            integer(1),
            der(SEQUENCE, issuer, integer(self.certificate.serial_number)),
            algorithm,
            der(CONTEXT_0, together),
            der(SEQUENCE, oid(ECDSA_WITH_SHA_256)),
            der(OCTETS, signature),
        )


class TimestampAuthority:
    """An authority with a certificate of `root`. `lie` changes what its tokens say."""

    lie: Callable[[Stamp], Stamp]

    def __init__(self, root: Authority) -> None:
        self.certificate, self.key = root.time_stamping(ExtendedKeyUsageOID.TIME_STAMPING)
        self.root, self.lie = root, lambda stamp: stamp

    def stamp(self, request: bytes) -> bytes:
        found = ASKED.search(request)
        assert found
        nonce = int.from_bytes(found["rest"][: found["length"][0]], "big")
        stamp = Stamp(found["digest"], nonce, datetime.now(UTC), self.certificate, self.key)
        return self.lie(stamp).reply()

    def answer(self, exchange: Exchange) -> None:
        exchange.reply(body=self.stamp(exchange.body), Content_Type="application/timestamp-reply")

    def answer_with(self, **changes: object) -> None:
        """Let later tokens say something else."""
        self.lie = lambda stamp: replace(stamp, **changes)  # type: ignore[arg-type]
