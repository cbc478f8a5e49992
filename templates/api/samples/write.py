import json
import os
import uuid
from urllib.request import Request, urlopen

API = "https://registry.example.org/api/v1"


def send(method, url, body=None, **headers):
    """Send a request with the token, and return the JSON and the headers of the response."""
    headers |= {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers, method=method)) as response:
        return json.load(response), response.headers


# Start a case. If the response is lost, the same request with the same key is safe.
request = {"kind": "formal", "sections": {"namespace_identifier": "example-shrubs"}}
key = {"Idempotency-Key": f'"{uuid.uuid4()}"'}
case, _ = send("POST", f"{API}/cases/", request, **key)
repeated, _ = send("POST", f"{API}/cases/", request, **key)
print(case["number"] == repeated["number"])

# Read the draft, and change one section. If-Match protects the changes of others.
draft, received = send("GET", case["links"]["draft"])
change = {"sections": {"purpose": "Names shrubs in the care of botanical gardens."}}
draft, _ = send("PATCH", case["links"]["draft"], change, **{"If-Match": received["ETag"]})
print(draft["sections"]["purpose"])

# What is missing before the case can be submitted?
check, _ = send("POST", case["links"]["check"], {})
for finding in check["findings"]:
    print(finding["section"], finding["severity"], finding["message"])
