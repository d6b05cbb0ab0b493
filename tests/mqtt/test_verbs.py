"""`tablectl watch` and `tablectl send` as processes would use them, at a real broker."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest

from controller.cli import main
from controller.cli.broker_options import client_id
from controller.cli.send import members_of
from controller.cli.watch import Printer, Wish
from controller.errors import EXIT_USAGE, UserError
from controller.messages import Outgoing
from controller.subscriber import Ledger, Seen
from tests.mqtt.mosquitto import Mosquitto, free_port, until
from tests.mqtt.rooms import TOPICS, MemoryJournal, Table, listener, serving, table_at


async def tablectl(*words: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", *words,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(20):
        out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def send(broker: Mosquitto, who: str, *words: str) -> tuple[int, str, str]:
    return await tablectl("send", "--broker", broker.url, "--table", "T1", "--as", who, *words)


def real_now(table: Table) -> None:
    """The table's clock counts as not synchronised: what is sent now is taken."""
    from controller.commands import Moment

    table.line._parts.desk._now = lambda: Moment(0, False)


async def test_send_tells_accepted_refused_and_no_answer_apart(broker: Mosquitto) -> None:
    table = table_at(broker, MemoryJournal())
    real_now(table)
    async with serving(table):
        await until(lambda: table.line.counters.up)
        accepted, refused, as_json = await asyncio.gather(
            send(broker, "floor-1", "order_shuffle", "reason=7"),
            send(broker, "floor-1", "order_shuffle"),
            send(broker, "deal-1", "--json", "no_more_bets", "seats=1,2"),
        )
    assert accepted[0] == 0, accepted
    assert accepted[1].startswith("accepted; events ")
    assert (refused[0], refused[1].startswith("refused: ")) == (1, True)
    assert json.loads(as_json[1])["result"] == "accepted"
    code, _, err = await send(broker, "floor-1", "--wait", "0.2", "done")
    assert code == 3
    assert "does not answer" in err


async def test_without_a_broker_both_verbs_end_with_three(tmp_path: object) -> None:
    url = f"mqtt://127.0.0.1:{free_port()}"
    for words in (
        ("watch", "--broker", url),
        ("send", "--broker", url, "--table", "T1", "--as", "x", "done"),
    ):
        code, out, err = await tablectl(*words)
        assert (code, out) == (3, "")
        assert "Traceback" not in err


async def test_a_password_in_the_url_is_not_shown(tmp_path: object) -> None:
    """Faults M19."""
    url = f"mqtt://me:canary@127.0.0.1:{free_port()}"
    for words in (("watch",), ("send", "--table", "T1", "--as", "x", "done")):
        code, out, err = await tablectl(words[0], "--broker", url, *words[1:])
        assert (code, out) == (3, "")
        assert "canary" not in err


@pytest.mark.parametrize(
    "words",
    [
        ("send", "--table", "a/b", "--as", "x", "done"),
        ("send", "--table", "", "--as", "x", "done"),
        ("send", "--table", "T1", "--as", "x/#", "done"),
        ("send", "--table", "T1", "--as", "x", "d+ne"),
        ("send", "--table", "T1", "--as", "x", "d\x1bne"),
        ("send", "--table", "T1", "--as", "x", "--prefix", "a//b", "done"),
        ("send", "--table", "T1", "--as", "x", "done", "n=NaN"),
        ("send", "--table", "T1", "--as", "x", "done", "n=\udcff"),
        ("watch", "--table", "#"),
        ("watch", "--table", "t" * 65),
        ("watch", "--prefix", "+"),
    ],
)
def test_what_cannot_stand_in_a_topic_or_payload_is_a_usage_error(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"mqtt://127.0.0.1:{free_port()}"
    assert main([words[0], "--broker", url, *words[1:]]) == EXIT_USAGE
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "unexpected" not in said


async def test_watch_shows_each_event_once_and_ends_after_count(broker: Mosquitto) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "watch", "--broker", broker.url, "--json",
        "--count", "3", "--table", "T*",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    first, second, third = (event.body for event in MemoryJournal().add(3))
    async with asyncio.timeout(20), listener(broker) as (ear, _):
        assert b"watching" in await process.stderr.readline()
        for body in (first, first, second, third):
            await ear.publish(Outgoing(TOPICS.event("round.dealt"), body))
        out, _err = await process.communicate()
    assert process.returncode == 0
    assert out.splitlines() == [first, second, third]


def test_members_take_the_shape_that_the_command_declares() -> None:
    assert members_of("order_shuffle", ["reason=12"]) == {"reason": "12"}
    assert members_of("no_more_bets", ["seats=1,2", "progressive=[3]"]) == {
        "seats": [1, 2],
        "progressive": [3],
    }
    assert members_of("cut_made", ["cutter=dealer"]) == {"cutter": "dealer"}
    assert members_of("cut_made", ["cutter=3", "from_top=20"]) == {"cutter": 3, "from_top": 20}
    assert members_of("feathered", ["even=true"]) == {"even": True}
    assert members_of("unheard_of", ["x=1", "y=z"]) == {"x": 1, "y": "z"}


@pytest.mark.parametrize("pairs", [["novalue"], ["=x"], ["a=1", "a=2"]])
def test_members_that_cannot_be_meant_are_usage_errors(pairs: list[str]) -> None:
    with pytest.raises(UserError):
        members_of("open", pairs)


def test_a_published_control_character_never_reaches_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printer = Printer(as_json=False, coloured=False)
    envelope: dict[str, object] = {
        "type": "x\x1b[2J", "sequence": "000000000001", "severity": 5, "rule": "\x07",
        "time": "2026-01-05T18:00:02.000Z", "data": {"a": "\x1b]0;x\x07", "n": 1},
    }  # fmt: skip
    printer.show(Seen("T1\x1b", envelope, 1, 0))
    printer.show(Ledger().take("T1", b"{}", 0))
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err
    assert "\x07" not in printed.out + printed.err
    assert "18:00:02.000" in printed.out


ALARM: dict[str, object] = {"type": "alarm.raised", "severity": 3,
                            "rule": "58 Pa. Code § 687a.13(f)"}  # fmt: skip


@pytest.mark.parametrize(
    ("wish", "taken"),
    [
        (Wish(), True),
        (Wish(severity=3), True),
        (Wish(severity=4), False),
        (Wish(rule="687a.13"), True),
        (Wish(rule="687a.14"), False),
        (Wish(type="alarm."), True),
        (Wish(type="round."), False),
        (Wish(rule="687a", type="alarm.", severity=4), False),
    ],
)
def test_watch_shows_what_every_filter_takes(wish: Wish, taken: bool) -> None:
    assert wish.takes(ALARM) is taken


def test_an_event_without_severity_or_rule_is_filtered_in_words_not_by_an_error() -> None:
    assert Wish(severity=5).takes({"type": "x", "severity": "much"})
    assert not Wish(rule="687a").takes({"type": "x", "rule": None})


def test_gaps_are_told_whatever_the_filters_say(capsys: pytest.CaptureFixture[str]) -> None:
    printer = Printer(as_json=False, coloured=False, wish=Wish(severity=5))
    printer.show(Seen("T1", ALARM, 5, 0, gap=(2, 4)))
    printed = capsys.readouterr()
    assert (printed.out, printer.shown) == ("", 0)
    assert "events 2 to 4 are missing" in printed.err


def test_a_member_that_nests_too_deeply_to_be_read_is_sent_as_text() -> None:
    text = "[" * 50_000
    assert members_of("call_floor", [f"reason={text}", f"x={text}"]) == {"reason": text, "x": text}


def test_two_processes_have_two_client_ids() -> None:
    assert client_id("watch").startswith("tablectl-watch-")
