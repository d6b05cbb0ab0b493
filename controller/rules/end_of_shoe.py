"""The end of a shoe: the cover card makes the last round, a floorperson may end it sooner."""

from __future__ import annotations

from controller.core.view import Table
from controller.rules.registry import rule


@rule("SHOE-END", cites=("633a.5(f)", "627a.5(a)"))
def shoe_ends_because(table: Table) -> str | None:
    """After a round the shoe ends at the cover card, or where a floorperson ordered a shuffle."""
    if table.state.shuffle_ordered:
        return "floor"
    pack = table.state.pack
    if not pack.cover_seen:
        return None
    return "cover_card" if (pack.rounds_left or 0) <= 0 else None


@rule("SHOE-ROUNDS-AFTER", cites=("633a.5(f)", "627a.5(a)"))
def rounds_after_cover(table: Table) -> int | None:
    """Rounds that follow the one with the cover card; None where the house did not say."""
    law = table.profile.end_of_shoe
    if law is None or law.rounds_after is None:
        return 0
    return table.setup.rounds_after_cover
