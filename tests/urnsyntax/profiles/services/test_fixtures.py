"""The services of the fixtures: the address that each namespace has for a name, and where it is stated."""

import pytest

from tests.urnsyntax.profiles.samples import PROFILES
from tests.urnsyntax.profiles.services.samples import addresses

OF_3GPP = (
    "https://www.3gpp.org/3gpp-groups/core-network-terminals-ct/ct-wg1/uniform-resource-identifier-uri-list"
)
OF_WMO = "https://wis2-gdc.weather.gc.ca/collections/wis2-discovery-metadata/items/"

FIRST = [
    ("urn:3gpp:video-orientation", OF_3GPP),
    ("urn:alert:service:call-waiting", "https://www.iana.org/assignments/alert-urns"),
    ("urn:broadband-forum-org:tr-181-2-14-1", "https://cwmp-data-models.broadband-forum.org/tr-181-2-14-1.html"),
    ("urn:ccsds:schema:ndmxml", "https://sanaregistry.org/r/"),
    ("urn:doi:10.1000/456%23789", "https://doi.org/10.1000/456%23789"),
    ("urn:dvb:metadata:cs:AudioPurposeCS:2007:6", "https://dvb.org/metadata"),
    ("urn:ebu:metadata-cs:EscortCS_2007", "https://www.ebu.ch/metadata"),
    ("urn:eic:10X1001A1001A450",
     "https://www.entsoe.eu/data/energy-identification-codes-eic/eic-approved-codes/"),
    ("urn:eidr:10.5240:7791-8534-2C23-9030-8610-5",
     "https://doi.org/urn:eidr:10.5240:7791-8534-2C23-9030-8610-5"),
    ("urn:gs1:01:09506000134352:10:ABC123:17:250101", "https://id.gs1.org/01/09506000134352"),
    ("urn:gs1:00:106141411234567897", "https://id.gs1.org/00/106141411234567897"),
    ("URN:IETF:RFC:2648", "https://www.rfc-editor.org/rfc/rfc2648"),
    ("urn:ietf:std:66", "https://www.rfc-editor.org/info/std66"),
    ("urn:ietf:bcp:14", "https://www.rfc-editor.org/info/bcp14"),
    ("urn:ietf:id:Draft-spinosa-urn-lex-16", "https://datatracker.ietf.org/doc/html/draft-spinosa-urn-lex-16"),
    ("urn:ietf:params:xml:ns:netconf:base:1.0", "https://www.iana.org/assignments/xml-registry"),
    ("urn:isan:0000-0000-9E59-0000-O", "https://www.isan.org/"),
    ("urn:isbn:0451450523", "https://openlibrary.org/isbn/9780451450524"),
    ("urn:isni:000000012145101X", "https://isni.org/isni/000000012145101X"),
    ("urn:iso:std:iso-iec:24727:tech:schema", "https://standards.iso.org/iso-iec/24727/tech/schema/"),
    ("urn:issn:1050124x", None),
    ("urn:issn:1050124X", "https://portal.issn.org/resource/ISSN/1050-124X"),
    ("URN:LEI:7LTWFZYICNSX8D621K86", "https://www.gleif.org/lei/7LTWFZYICNSX8D621K86"),
    ("urn:lex:br:federal:lei:2019-09-05;13869",
     "https://www.lexml.gov.br/urn/urn:lex:br:federal:lei:2019-09-05;13869"),
    ("urn:mace:incommon:uiuc.edu", "https://incommon.org/community/mace-registries"),
    ("urn:mrn:imo:mmsi:211234567", "https://www.iala-aism.org/technical/data-modelling-mrn/"),
    ("urn:nbn:de:bvb:19-146642", "https://nbn-resolving.org/urn:nbn:de:bvb:19-146642"),
    ("urn:nbn:se:uu:diva-3475", "https://urn.kb.se/resolve?urn=urn%3Anbn%3Ase%3Auu%3Adiva-3475"),
    ("URN:NBN:FI-fe19981001", "https://urn.fi/URN:NBN:FI-fe19981001"),
    ("urn:nbn:nl:ui:13-r6a-812", "https://persistent-identifier.nl/urn:nbn:nl:ui:13-r6a-812"),
    ("urn:nbn:no-14314", "https://urn.nb.no/URN:NBN:no-14314"),
    ("urn:nbn:hu-3006", "https://nbn-resolving.org/urn:nbn:hu-3006"),
    ("urn:nfi:iot:sd:1.0", "https://neuro-foundation.io/"),
    ("urn:ogc:def:crs:EPSG::4326", "https://www.opengis.net/def/crs/EPSG/0/4326"),
    ("urn:oid:1.3.6.1", "https://oid-base.com/get/1.3.6.1"),
    ("urn:oma:lwm2m:ext:3303", "https://www.openmobilealliance.org/wp/OMNA/LwM2M/LwM2MRegistry.html"),
    ("urn:pwid:archive.org:2018-11-01T15:26:28Z:page:http://mementoweb.org/about/",
     "https://web.archive.org/web/20181101152628/http://mementoweb.org/about/"),
    ("urn:schac:userStatus:terena.org", "https://wiki.refeds.org/display/STAN/SCHAC+URN+Registry"),
    ("urn:service:sos.police", "https://www.iana.org/assignments/urn-serviceid-labels/"),
    ("urn:smpte:ul:060e2b34.027f0101.0d010101.01015e00", "https://smpte-ra.org/"),
    ("urn:uic:stn:8512345", "https://osdm.io/spec/catalog-of-code-lists/"),
    ("urn:urn-3:HBS.Baker.TC:1923", "https://nrs.harvard.edu/urn-3:HBS.Baker.TC:1923"),
    ("urn:urn-6:de:place:Griechenland", "https://wikitravel.org/de/Griechenland"),
    ("urn:urn-6:en:subject:park", "https://wikitravel.org/en/Special:Tag/park"),
    ("urn:urn-7:3gpp-service.ims.icsi.mmtel", OF_3GPP),
    ("urn:urn-8:2174-6753-12345", "https://recyt.fecyt.es/index.php/encrucijadas/index"),
    ("urn:wmo:md:de-dwd:icon-eps.ALL", OF_WMO + "urn:wmo:md:de-dwd:icon-eps.ALL"),
    ("urn:xmpp:mam:2", "https://xmpp.org/registrar/namespaces.html"),
]  # fmt: skip

NONE = [
    "urn:broadband-forum-org:cwmp:datamodel-1-5",
    "urn:dvb:ipisdns:2006",
    "urn:ebu:tt:metadata",
    "urn:gs1:std:epcis:2.0",
    "urn:gs1:8006:095060001343520102",
    "urn:ietf:fyi:17",
    "urn:ietf:params:oauth:token-type:access_token",
    "urn:isbn:9780451450523",
    "urn:lex:eu:council:directive:2010-03-09;2010-19-UE",
    "urn:ogc:specification:gml:doc-is(02-023r4):3.0.0",
    "urn:oma:xml:xdm:common-policy",
    "urn:pwid:netarkivet.dk:2018-12-10T06:27:01Z:part:https://www.petdreams.dk/",
    "urn:urn-6:en:topic:surfing",
    "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "urn:example:weather",
]


def found(urn):
    return addresses(PROFILES.get(urn.split(":")[1]), urn)


@pytest.mark.parametrize(("urn", "address"), FIRST, ids=[urn for urn, _ in FIRST])
def test_the_best_service_has_this_address(urn, address):
    assert found(urn)[:1] == ([address] if address else [])


@pytest.mark.parametrize("urn", NONE)
def test_a_name_outside_the_services_has_no_address(urn):
    assert found(urn) == []


def test_each_namespace_with_services_is_tested_above():
    tested = {urn.split(":")[1].lower() for urn, _ in FIRST}
    assert tested == {each.nid for each in PROFILES if each.services}
    assert len(tested) >= 30


def test_a_book_has_several_services_in_their_order():
    hosts = [address.split("/")[2] for address in found("urn:isbn:951-0-18435-7")]
    assert hosts == ["openlibrary.org", "urn.fi", "www.worldcat.org", "books.google.com"]
    assert "https://urn.fi/URN:ISBN:951-0-18435-7#p3" in found("urn:isbn:951-0-18435-7?+x=1?=lang=en#p3")
    assert len(found("urn:isbn:0451450523")) == 3


def test_a_page_of_the_web_archive_with_a_dot_segment_is_refused():
    urn = "urn:pwid:archive.org:2016-01-22T10:08:23Z:page:https://www.dr.dk/../x"
    resolution = PROFILES.get("pwid").resolve(urn)
    assert (len(resolution.services), len(resolution.refused)) == (0, 1)
