"""Sentences for games dealt card by card: players at seats, a cut, a cover card, a burn."""

from __future__ import annotations

from controller.core.state import Phase
from tests.play import Play

BLACKJACK, MINIBACCARAT = "blackjack", "minibaccarat"
CARDS = {BLACKJACK: 312, MINIBACCARAT: 416}


class ShoePlay(Play):
    """A table of Blackjack or Minibaccarat."""

    def seated(self, *seats: int) -> ShoePlay:
        for seat in seats:
            self.dealer("player_arrived", seat=seat)
        return self

    def mixed(self, batch: str = "A") -> ShoePlay:
        """A good cycle of a whole batch, given out."""
        self.shuffled(self.book.setup.batch_cards, batch)
        return self

    def offered(self) -> list[object]:
        """Who is asked to cut, in turn, if everybody refuses."""
        asked: list[object] = []
        while self.state.phase is Phase.CUT:
            to = self.state.cut.offers[0]
            asked.append(to)
            if to == "dealer":
                return asked
            self.dealer("cut_refused", seat=to)
        return asked

    def cut(self) -> ShoePlay:
        """The one who is asked cuts; the stack is made ready for the shoe."""
        self.dealer("cut_made", cutter=self.state.cut.offers[0])
        if self.state.phase is Phase.RESTACK:
            self.dealer("stacked")
        self.dealer("cover_inserted")
        return self

    def in_shoe(self, batch: str = "A") -> ShoePlay:
        self.do("shoe", "loaded", cards=self.book.setup.batch_cards, batch=batch)
        return self

    def burned(self) -> ShoePlay:
        if self.game == MINIBACCARAT:
            self.card(rank="A", suit="clubs")
            self.card()
            self.dealer("burned", cards=2)
        else:
            self.card()
            self.dealer("burned", cards=1)
        return self

    def card(self, rank: str | None = None, suit: str | None = None) -> object:
        """One card out of the shoe: down, or up with its rank."""
        seen = {} if rank is None else {"rank": rank, "suit": suit or "clubs"}
        face = "down" if rank is None else "up"
        index = self.state.pack.cards_out + 1
        return self.do("shoe", "card", index=index, face=face, **seen)

    def cards(self, *ranks: str) -> ShoePlay:
        """Exposed cards of alternating suits, so that none follows another in a pack."""
        for number, rank in enumerate(ranks):
            self.card(rank, ("clubs", "hearts")[number % 2])
        return self

    def round_done(self) -> ShoePlay:
        self.dealer("round_done")
        return self


def table(game: str, *seats: int, **house: object) -> ShoePlay:
    """Opened, players seated, shuffled by the device, out for the cut."""
    play = ShoePlay(game, **house)
    play.opened()
    return play.seated(*seats).mixed()


def playing(game: str, *seats: int, **house: object) -> ShoePlay:
    """Cut, loaded, burned: bets are open."""
    return table(game, *(seats or (1,)), **house).cut().in_shoe().burned()
