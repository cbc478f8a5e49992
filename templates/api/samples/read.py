import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

API = "https://registry.example.org/api/v1"

# The namespace of book numbers.
with urlopen(f"{API}/namespaces/isbn/") as response:
    namespace = json.load(response)
    etag = response.headers["ETag"]
print(namespace["nid"], namespace["kind"], namespace["status"])

# One URN: its normal form, and whether it follows the rules of its namespace.
with urlopen(f"{API}/urns/urn:isbn:0-451-45052-3") as response:
    urn = json.load(response)
print(urn["normalized"], urn["judgement"]["conformant"])

# Has the namespace changed? 304 says that it has not.
try:
    urlopen(Request(f"{API}/namespaces/isbn/", headers={"If-None-Match": etag}))
except HTTPError as answer:
    print(answer.code)
