"""URLs of the pages and files about the audit log."""

from django.urls import path, register_converter

from registry.audit_log import views
from registry.audit_log.tiles import Place


class LevelConverter:
    """The level of a tile, without leading zeros (https://c2sp.org/tlog-tiles)."""

    regex = "[0-9]|[1-5][0-9]|6[0-3]"
    to_python = int
    to_url = str


class PlaceConverter:
    """The index of a tile, and the width of a partial one."""

    regex = r"(?:x[0-9]{3}/){0,5}[0-9]{3}(?:\.p/[1-9][0-9]{0,2})?"

    def to_python(self, value: str) -> Place:
        return Place.parse(value)

    def to_url(self, value: Place) -> str:
        return str(value)


register_converter(LevelConverter, "tile_level")
register_converter(PlaceConverter, "tile_place")

app_name = "audit_log"
urlpatterns = [
    path("", views.overview, name="overview"),
    path("checkpoint.txt", views.checkpoint, name="checkpoint"),
    # The log as files that every mirror can have: https://c2sp.org/tlog-tiles
    path("checkpoint", views.checkpoint, name="tiled-checkpoint"),
    path("tile/entries/<tile_place:place>", views.entries, name="entries"),
    path("proofs/<int:number>.tlog-proof", views.proof, name="proof"),
    path("heads/<int:size>/note.txt", views.note, name="note"),
    path("heads/<int:size>/<authority>.tsr", views.timestamp, name="timestamp"),
    path("tile/<tile_level:level>/<tile_place:place>", views.tile, name="tile"),
]
