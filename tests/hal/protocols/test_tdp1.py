"""TDP/1 on the line: the worked frames of the protocol page, escapes, and refusals in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hal import facts
from hal.protocols import PROTOCOLS
from hal.protocols.message import Beat, Event, Hello, Junk
from hal.protocols.tdp1 import Decoder, Encoder, Frame, body_of, encode, frame_of

WORKED = [
    (
        Frame("shuffler", 0x1A2B, 7, "SHUF_END",
              {"cycle": "12", "mode": "shuffle", "result": "ok", "count": "53"}),
        b"TDP1|shuffler|1A2B|0007|SHUF_END|cycle=12;mode=shuffle;result=ok;count=53", b"B0BE",
        Event(0x1A2B, 7, facts.CycleEnded(12, "shuffle", "ok", 53)),
    ),
    (
        Frame("shoe", 0xF0, 0xA1, "STACK", {"n": "2", "cards": "5"}),
        b"TDP1|shoe|00F0|00A1|STACK|n=2;cards=5", b"28DF",
        Event(0xF0, 0xA1, facts.StackDispensed(2, 5)),
    ),
    (
        Frame("host", 1, 3, "ACK", {"boot": "1A2B", "seq": "0007"}),
        b"TDP1|host|0001|0003|ACK|boot=1A2B;seq=0007", b"78DF",
        None,
    ),
    (
        Frame("shuffler", 0x1A2B, 8, "HB", {"state": "STORED", "faults": "0", "last": "0007"}),
        b"TDP1|shuffler|1A2B|0008|HB|state=STORED;faults=0;last=0007", b"88DB",
        Beat(0x1A2B, 8, "STORED", 0),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("frame", "body", "check", "message"), WORKED)
def test_the_worked_frames(frame: Frame, body: bytes, check: bytes, message: object) -> None:
    octets = b"\x02" + body + b"\x03" + check + b"\r\n"
    assert body_of(frame) == body
    assert encode(frame) == octets
    assert frame_of(body) == frame
    device = "shoe" if frame.device == "host" else frame.device
    assert Decoder(device).feed(octets) == [message or Junk(len(body), "echo")]


def test_the_encoder_numbers_its_frames_and_makes_the_worked_acknowledgement() -> None:
    encoder = Encoder(1)
    assert encoder.ask_status().startswith(b"\x02TDP1|host|0001|0000|STATUS|\x03")
    assert encoder.hold_locked(True).startswith(b"\x02TDP1|host|0001|0001|LOCK|\x03")
    assert encoder.hold_locked(False).startswith(b"\x02TDP1|host|0001|0002|UNLOCK|\x03")
    assert encoder.acknowledge(0x1A2B, 7) == encode(WORKED[2][0])


def test_our_own_words_coming_back_and_a_swapped_cable_are_told_apart() -> None:
    assert Decoder("shoe").feed(encode(WORKED[2][0]))[0] == Junk(42, "echo")
    assert Decoder("shoe").feed(encode(WORKED[0][0]))[0] == Junk(73, "other_device")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("TDP2|shoe|00F0|00A1|EMPTY|", "not_tdp1"),
        ("TDP1|shoe|00F0|00A1|EMPTY", "not_tdp1"),
        ("TDP1|shoe|00F0|00A1|EMPTY||", "not_tdp1"),
        ("TDP1|shoe|0f0|00A1|EMPTY|", "bad_head"),
        ("TDP1|shoe|00f0|00A1|EMPTY|", "bad_head"),
        ("TDP1|shoe|00F0|00A1|empty|", "bad_head"),
        ("TDP1|shoe|00F0|00A1|WHAT|", "unknown_type"),
        ("TDP1|shoe|00F0|00A1|SHUF_END|cycle=1", "unknown_type"),
        ("TDP1|shoe|00F0|00A1|STACK|n=2", "missing_field"),
        ("TDP1|shoe|00F0|00A1|STACK|n=2;cards=5;x=1", "unknown_field"),
        ("TDP1|shoe|00F0|00A1|STACK|n=2;n=2;cards=5", "bad_field"),
        ("TDP1|shoe|00F0|00A1|STACK|n=2;cards", "bad_field"),
        ("TDP1|shoe|00F0|00A1|STACK|n=2;cards=5=5", "bad_field"),
        ("TDP1|shoe|00F0|00A1|STACK|n=2;cards=-5", "bad_number"),
        ("TDP1|shoe|00F0|00A1|STACK|n=2;cards=10000", "out_of_range"),
        ("TDP1|shoe|00F0|00A1|STACK|n=2;cards=99999999999999", "bad_number"),
        ("TDP1|shoe|00F0|00A1|LID|open=yes", "bad_flag"),
        ("TDP1|shoe|00F0|00A1|DRAW|idx=1;face=sideways", "bad_choice"),
        ("TDP1|shoe|00F0|00A1|JAM|zone=a%zz", "bad_escape"),
        ("TDP1|shoe|00F0|00A1|JAM|zone=%FF", "bad_escape"),
        ("TDP1|shoe|00F0|00A1|JAM|zone=a%0Ab", "bad_text"),
        ("TDP1|shoe|00F0|00A1|JAM|zone=" + "z" * 33, "bad_text"),
        ("TDP1|shoe|00F0|00A1|HB|last=00A1", "bad_last"),
        ("TDP1|shoe|00F0|00A1|HB|lock=2", "bad_field"),
    ],
)
def test_a_good_check_over_bad_content_is_junk_with_a_reason(body: str, reason: str) -> None:
    from hal.protocols.framing import framed

    assert Decoder("shoe").feed(framed(body.encode())) == [Junk(len(body), reason)]


@given(some.text(max_size=8).filter(lambda text: all(ord(char) < 0xD800 for char in text)))
def test_any_value_survives_its_escapes(value: str) -> None:
    frame = Frame("shoe", 1, 2, "JAM", {"zone": value})
    assert frame_of(body_of(frame)) == frame


@given(some.text(some.sampled_from("TDP1|shoe0AF;=%kvHBDRAW"), max_size=60))
def test_no_body_makes_the_decoder_raise(tail: str) -> None:
    from hal.protocols.framing import framed

    for body in (tail, "TDP1|shoe|00F0|00A1|" + tail, "TDP1|shoe|00F0|00A1|DRAW|" + tail):
        assert len(Decoder("shoe").feed(framed(body.encode()))) == 1


def test_half_a_frame_is_junk_after_silence_and_the_driver_is_registered() -> None:
    driver = PROTOCOLS["tdp1"]
    decoder = driver.decoder("shoe")
    assert decoder.feed(encode(WORKED[1][0])[:9]) == []
    assert decoder.line_idle() == [Junk(9, "broken_off")]
    hello = Frame("shoe", 1, 2, "HELLO", {"make": "M", "model": "X", "serial": "S", "fw": "1"})
    assert decoder.feed(encode(hello)) == [Hello(1, 2, facts.Identity("M", "X", "S", "1"))]
