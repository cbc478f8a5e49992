import json
from urllib.error import HTTPError
from urllib.request import urlopen

API = "https://registry.example.org/api/v1"


def read(url):
    with urlopen(url) as response:
        return json.load(response)


# 1. The position of the log, before the copy is made.
position = read(f"{API}/events/head/")["number"]

# 2. A copy of all namespaces, page by page.
copy = {}
page = {"next": f"{API}/namespaces/?page_size=1000"}
while page["next"]:
    page = read(page["next"])
    copy |= {each["nid"]: each for each in page["results"]}
print(len(copy) > 0)

# 3. What has happened since then. Repeat this step, for example every hour.
page = {"has_more": True, "next": f"{API}/events/?since={position}"}
while page["has_more"]:
    page = read(page["next"])
    for nid in {event["nid"] for event in page["results"] if event["nid"]}:
        try:
            copy[nid] = read(f"{API}/namespaces/{nid}/")
        except HTTPError as answer:
            if answer.code != 404:  # a case requests the NID; it is not registered
                raise
position = page["last"]
print(position)
