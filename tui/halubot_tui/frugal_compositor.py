"""A compositor that draws the lines that have changed, where Textual's own draws all lines of the
screen between the first and the last of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.strip import Strip


class FrugalCompositor(Compositor):
    """Asks widgets for their changed lines only: while a key is held down that is half of all
    work."""

    def __init__(self) -> None:
        super().__init__()
        self._changed: list[Region] = []

    def render_partial_update(self) -> ChopsUpdate | None:
        """Render what has changed; None for nothing."""
        self._changed = [*self._dirty_regions]
        update = super().render_partial_update()
        self._changed = []
        return update

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        if not self._changed:
            yield from super()._get_renders(crop)
            return
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            if changed := [hit for one in self._changed if (hit := seen.intersection(one))]:
                rows = Region.from_union(changed)
                band = Region(seen.x, rows.y, seen.width, rows.height)
                yield band, band, widget.render_lines(band.translate(-region.offset))
