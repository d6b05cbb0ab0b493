"""Blackjack: players cut, the cover card goes back in, one card burns, two batches alternate."""

from __future__ import annotations

from controller.games import card_by_card, dealing, pipeline
from controller.regions.idle import IDLE_ROWS
from controller.regions.session import OPENING_ROWS

STEPS = card_by_card.STEPS
TABLES = (OPENING_ROWS, IDLE_ROWS, pipeline.ROWS, dealing.REPORT_ROWS, card_by_card.ROWS)
