"""Everything that is true at one table between two inputs; frozen, and the whole snapshot. Pure.

Times are UTC ms of the input that set them; `timers` are due times in monotonic ms of this boot.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from controller.core.stops import Hold, Void
from controller.core.whereabouts import Whereabouts


class Phase(StrEnum):
    """Where the procedure stands; one comment says what is true in it."""

    CLOSED = "closed"
    OPENING = "opening"  # cards are out for the dealer's inspection and the floor's verification
    IDLE = "idle"  # no gaming activity: cards come out of shoe and rack to be spread
    SPREAD = "spread"  # spread, waiting for the first player to look
    WASH = "wash"  # looked at, to be mixed and stacked, or swapped with the stored batch
    SHUFFLE = "shuffle"  # no lawful token on the table
    CHECK = "check"  # hand shuffle left feathered for the floorperson
    CUT = "cut"  # shuffled stack waits for the cut
    RESTACK = "restack"  # cut, the cards above the cover card go to the bottom
    COVER = "cover"  # the cover card goes into the stack
    UNLOAD = "unload"  # recut after the load: the cards come out of the shoe
    LOAD = "load"  # token in hand, cards go into shoe or hand
    BURN = "burn"  # loaded, the first cards go to the rack unplayed
    BETS = "bets"  # loaded, bets open
    START = "start"  # bets closed, start position is to be found
    DEAL = "deal"  # cards leave the shoe
    PLAY = "play"  # cards leave a shoe one by one until the round is settled
    REMAINDER = "remainder"  # all hands dealt, the rest comes out of the shoe
    EXTRA = "extra"  # one card goes to its area on the layout
    STUB = "stub"  # the stub is to be counted
    MISDEAL = "misdeal"  # stub was wrong: misdealt or not, and how many cards in all
    DECISIONS = "decisions"  # players decide, raises are open
    SETTLE = "settle"  # hands are compared and wagers settled
    DECK = "deck"  # the deck was removed, a new one is to come


IN_ROUND = frozenset(
    (
        Phase.START, Phase.DEAL, Phase.PLAY, Phase.REMAINDER, Phase.EXTRA, Phase.STUB,
        Phase.MISDEAL, Phase.DECISIONS, Phase.SETTLE,
    )
)  # fmt: skip
Health = Literal["ok", "fault", "uncovered", "covered"]


@dataclass(frozen=True, slots=True)
class Session:
    """`inspected_by`: who looked at the cards; another person has to verify them. `begun`: a round
    was played since the table opened or lay idle; `wash_due`: it lay idle, and its opening's steps
    were repeated."""

    dealer: str | None = None
    inspected_by: str | None = None
    preshuffled: bool = False
    after_idle: bool = False
    asked_face_up: bool = False
    asked_spread: bool = False
    washed: bool = False
    stacked: bool = False
    wash_due: bool = False
    begun: bool = False
    seals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Token:
    """Proof that these cards were shuffled and, where it is due, checked; `cut` is needed, made
    or none."""

    method: str
    cards: int | None = None
    cycle: int | None = None
    cut: Literal["needed", "made", "none"] = "none"
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """`why`: the reason for which a load of it would be refused while there is no token;
    `where`: the place that the batch was last brought to, `cards` where each of its cards is;
    `counted`: people found it whole since it last lay in a shuffler;
    `stub_rounds`: rounds dealt from it since it was last proven whole."""

    name: str
    cards: Whereabouts
    where: Literal["table", "shuffler", "stack", "shoe", "removed"] = "table"
    token: Token | None = None
    why: str = "no_cycle"
    counted: bool = False
    since_ms: int | None = None
    change_due: bool = False
    stub_rounds: int = 0


@dataclass(frozen=True, slots=True)
class Device:
    """Shuffler or shoe. `covered_by` are the people who saw the cover or sign in place."""

    health: Health = "ok"
    up: bool = True
    jammed: bool = False
    faults: tuple[str, ...] = ()
    lamp: str = "off"
    mode: str = "play"
    identity: dict[str, str] = field(default_factory=dict)
    covered_by: tuple[str, ...] = ()
    floor_saw_cover: bool = False


@dataclass(frozen=True, slots=True)
class Cycle:
    """The shuffler's run; `inside` the batch that is in it, `counted` whether the last good one
    told how many cards it had."""

    inside: str | None = None
    loaded_cards: int | None = None
    number: int | None = None
    mode: str = "shuffle"
    running: bool = False
    started_mono_ms: int = 0
    by_hand: bool = False
    residue: bool = False
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Cut:
    """`offers`: positions still entitled, the one asked now first; `origin` why it begins there."""

    offers: tuple[int | str, ...] = ()
    origin: str = "floor"
    seat: int | None = None
    cutter: int | str | None = None


@dataclass(frozen=True, slots=True)
class Shoe:
    """What came out of the loaded shoe so far. `burn_due`: cards of the burn, the first included;
    `burn_owed`: another dealer came in a round and burns before the next one;
    `order_hits`: neighbours in pack order among the first cards that were exposed."""

    cards_out: int = 0
    burned: int = 0
    burn_rank: str | None = None
    burn_due: int = 0
    cover_seen: bool = False
    cover_where: int | str | None = None
    cover_told: bool = False
    burn_owed: bool = False
    rounds_left: int | None = None
    exposed: int = 0
    order_hits: int = 0
    last_rank: str | None = None
    last_suit: str | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """What lies in shoe or hand; `witness` said so first, `exempt` by an approved device, uncut."""

    batch: str
    into: str
    witness: str
    cards: int | None = None
    confirmed: bool = False
    exempt: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """This round's start position; `to` is a seat or the dealer."""

    method: str
    raw: int
    count: int
    to: int | str


@dataclass(frozen=True, slots=True)
class Round:
    """`order`: the positions that get a stack, first to last; `dealt`: how many have theirs, of
    which `ahead` are the numbers behind a position that still waits; `last`: who got one last.

    `heard`: the shoe's number of its last stack; `waiting`: sizes of stacks that left the shoe
    while none was due, handed out once a floorperson lets play go on, and `waiting_numbers` those
    they bear, 0 for the next; `left_out`: numbers that a floorperson says the shoe never gave.
    `face_up`: cards found face up while dealing, of which shoe and
    dealer told so many each; `discarded`: cards in the rack; `deck_counted`: a misdeal's total
    told how many cards the whole deck has.
    """

    number: int = 0
    open: bool = False
    seats: tuple[int, ...] = ()
    progressive: tuple[int, ...] = ()
    trips: tuple[int, ...] = ()
    start: Start | None = None
    order: tuple[int | str, ...] = ()
    dealt: int = 0
    ahead: tuple[int, ...] = ()
    last: int = 0
    heard: int = 0
    waiting: tuple[int, ...] = ()
    waiting_numbers: tuple[int, ...] = ()
    left_out: int = 0
    early: int = 0
    face_up: int = 0
    face_up_shoe: int = 0
    face_up_dealer: int = 0
    discarded: int = 0
    extra: bool = False
    raises_closed: bool = False
    remainder_cards: int | None = None
    stub_counted: bool = False
    deck_counted: bool = False
    shaken: int = 0
    cards: int = 0
    ranks: tuple[str, ...] = ()
    cut: bool = False

    @property
    def due(self) -> int:
        """Number of the first position that has no cards yet, from 1."""
        return self.dealt - len(self.ahead) + 1


@dataclass(frozen=True, slots=True)
class Rng:
    """`pending_draw`: asked for and not yet answered; asked again after a restart."""

    in_service: bool = True
    display_ok: bool = True
    pending_draw: int | None = None
    shaker_reset_due: bool = False


@dataclass(frozen=True, slots=True)
class Alarm:
    """`key` is its cause, `also` what the same input set off beside it; `live` are those of them
    that last; `chattering`: the cause keeps coming, so a repeat is counted even once somebody
    acknowledged it."""

    id: str
    key: str
    severity: int
    text: str
    since_ms: int
    level: str = "dealer"
    also: tuple[str, ...] = ()
    live: tuple[str, ...] = ()
    chattering: bool = False
    acknowledged_by: str | None = None
    rule: str | None = None
    repeats: int = 0


@dataclass(frozen=True, slots=True)
class AlarmMark:
    """One alarm that was raised in the last day, by its cause and the monotonic time."""

    key: str
    mono_ms: int


@dataclass(frozen=True, slots=True)
class Methods:
    shuffle: str = "device"
    deal: str = "auto_shoe"
    start: str = "rng"


@dataclass(frozen=True, slots=True)
class Counters:
    """Last number given, each counted in the journal."""

    shoes: int = 0
    holds: int = 0
    irregularities: int = 0
    alarms: int = 0
    effects: int = 0
    draws: int = 0


@dataclass(frozen=True, slots=True)
class Services:
    """`recording`: inputs can be made durable and none was lost; `build`: digest of the program
    that runs; `changed`: how it differs from its manifest; `code`: what the digit has yet to show
    of the program's code, the first of it now."""

    broker_up: bool = False
    recording: bool = True
    case_open: bool = False
    clock_synchronised: bool = False
    clock_offset_ms: int = 0
    storage_free_bytes: int | None = None
    build: str | None = None
    changed: str | None = None
    code: str | None = None

    @property
    def may_play(self) -> bool:
        """What is done can be recorded, and is decided by the program that was installed."""
        return self.recording and self.changed is None


@dataclass(frozen=True, slots=True)
class TableState:
    """The whole table. `stub_rounds`: rounds since any deck of the table was last proven whole;
    `recut_back`: the phase that a recut after the load returns to; `exempt`: an approved continuous
    device was in use when it was last looked; `waived`: duties of this round that a floorperson
    waived because their text is unread; `locked`: locks as last announced; `rested`: the deck of a
    round that a failed shoe made void, while another may be loaded."""

    batches: tuple[Batch, ...]
    methods: Methods
    phase: Phase = Phase.CLOSED
    session: Session = Session()
    occupied: tuple[int, ...] = ()
    first_arrival: int | None = None
    cut: Cut = Cut()
    pack: Shoe = Shoe()
    last_batch: str | None = None
    rested: str | None = None
    panel_seats: tuple[int, ...] = ()
    shuffler: Device = Device()
    shoe: Device = Device()
    cycle: Cycle = Cycle()
    load: Load | None = None
    round: Round = Round()
    stub_rounds: int = 0
    shuffle_ordered: bool = False
    exempt: bool = False
    recut_back: Phase | None = None
    waived: tuple[str, ...] = ()
    rng: Rng = Rng()
    holds: tuple[Hold, ...] = ()
    void: Void | None = None
    alarms: tuple[Alarm, ...] = ()
    alarm_marks: tuple[AlarmMark, ...] = ()
    counters: Counters = Counters()
    services: Services = Services()
    timers: dict[str, int] = field(default_factory=dict)
    locked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    prompt_step: str = "closed"
    prompt_since_ms: int = 0
    last_mono_ms: int = 0

    @property
    def in_round(self) -> bool:
        """Bets are closed and the round is neither completed nor void."""
        return self.round.open

    @property
    def at_rest(self) -> bool:
        """No round, void or hold is open and no number is waited for."""
        busy = self.in_round or self.void is not None or bool(self.holds)
        return not busy and self.phase is not Phase.START

    @property
    def unproven_rounds(self) -> int:
        """Rounds since the table's last proof or, if more, since that of the deck in play (A16)."""
        load = self.load
        of_deck = (one.stub_rounds for one in self.batches if load and one.name == load.batch)
        return max(self.stub_rounds, *of_deck, 0)
