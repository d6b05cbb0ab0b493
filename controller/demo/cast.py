"""Who plays in one demo and with what: stage, people, audience and faults, joined as wished."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from config.loader import load
from config.profiles import profile_document
from controller.broker import DemoBroker
from controller.broker_address import BrokerAddress
from controller.core.profile import Cut, GameProfile, profile_of
from controller.core.setup import Setup
from controller.demo.audience import Audience
from controller.demo.crew import Crew
from controller.demo.dealer import Dealer, Moment
from controller.demo.floor import Floor
from controller.demo.hands import Hands
from controller.demo.latency import Latency
from controller.demo.play import Blackjack, Minibaccarat, ShoeGame
from controller.demo.shoe_dealer import ShoeDealer
from controller.demo.stage import TABLE, Stage
from controller.demo.strikes import Strikes
from controller.demo.terminal import Terminals
from controller.demo.view import View
from controller.errors import EXIT_USAGE, UserError
from controller.messages import Topics
from controller.subscriber import Seen

# A cycle of 22 s takes 0.2 s: short beside the presses, long beside a heartbeat's jitter.
SPEED = 100.0
# The longest burn and a first round of Minibaccarat lie above the cover card at least.
SHOE_CARDS_MIN = 17
# Some ten seconds of play.
PROGRESS_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for. `broker` None: one of the demo's own; `shoe_cards` lie above the cover
    card where the game has one."""

    game: str
    rounds: int
    faults: tuple[str, ...]
    seed: int
    speed: float = SPEED
    broker: BrokerAddress | None = None
    keep: Path | None = None
    shoe_cards: int = 24


@dataclass(slots=True)
class Cast:
    """Everything of one demo."""

    stage: Stage
    view: View
    terminals: Terminals
    hands: Hands
    latency: Latency
    audience: Audience
    crew: Crew
    strikes: Strikes


def cast_of(
    wish: Wish, home: Path, address: BrokerAddress, own: DemoBroker | None,
    show: Callable[[Seen], None], tell: Callable[[str], None],
) -> Cast:  # fmt: skip
    """Build all of it in `home`; nothing runs yet. Raises UserError where a shoe cannot be so."""
    document, _ = profile_document(wish.game)
    profile = profile_of(document)
    stage = Stage(home, wish.game, address, wish.speed, wish.seed, wish.faults)
    setup = load(stage.config).setup()
    view = View()
    terminals = Terminals(address, Topics("tables", TABLE), view)
    hands = Hands(stage.hand)
    latency = Latency()
    audience = Audience(address, terminals, latency, show)
    told: list[Strikes] = []

    def left(octets: bytes, at_ns: int) -> None:
        latency.left(octets, at_ns)

    stage.shuffler.wire.watch = stage.shoe.wire.watch = left

    async def moment(name: str) -> None:
        for strikes in told:
            await strikes.moment(name)

    dealer = _dealer(wish, (view, terminals, hands), stage, (profile, setup), moment)
    strikes = Strikes(list(wish.faults), stage, view, terminals, audience, own, dealer)
    told.append(strikes)

    def progress(finished: int) -> None:
        if finished % PROGRESS_ROUNDS == 0:
            tell(f"{finished} of {wish.rounds} rounds are over")

    def waiting() -> bool:
        return strikes.is_waiting(wish.game)

    floor = Floor(view, terminals, hands, dealer, lambda: stage.disk.fill(False))
    crew = Crew(view, dealer, floor, progress, stage.daemon_has_ended, waiting)
    return Cast(stage, view, terminals, hands, latency, audience, crew, strikes)


def _dealer(
    wish: Wish, senses: tuple[View, Terminals, Hands], stage: Stage,
    law: tuple[GameProfile, Setup], moment: Moment,
) -> Dealer:  # fmt: skip
    """The dealer who knows this game."""
    profile, setup = law
    if profile.burn is None:
        cards = (setup.batch_cards, profile.deal.stack_cards.value)
        return Dealer(*senses, stage.shuffler, stage.shoe, cards, wish.seed, moment)
    most = setup.batch_cards - least_below_cover(profile.cut, setup.batch_cards)
    if not SHOE_CARDS_MIN <= wish.shoe_cards <= most:
        raise UserError(f"--shoe-cards: expected {SHOE_CARDS_MIN} to {most}", EXIT_USAGE)
    cards = (setup.batch_cards, wish.shoe_cards)
    game: ShoeGame = Minibaccarat()
    if profile.third_card is None:
        game = Blackjack(random.Random(wish.seed))
    return ShoeDealer(*senses, stage.shuffler, stage.shoe, cards, wish.seed, moment, game)


def least_below_cover(law: Cut, cards: int) -> int:
    """Cards that the paragraph wants below the cover card of a stack of `cards`."""
    if law.cover_min_part is not None:
        return -(-cards // law.cover_min_part.value)
    return 0 if law.cover_min_cards is None else law.cover_min_cards.value
