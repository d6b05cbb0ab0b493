"""The raw sources of this machine and the conditioning of their octets."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from hal import entropy
from hal.entropy import (
    Conditioner,
    HardwareSource,
    KernelSource,
    RawSource,
    SourceError,
    open_source,
    wipe,
)


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """A device that gives octets when the test writes some."""
    path = tmp_path / "hwrng"
    os.mkfifo(path)
    return path


def test_the_kernel_fills_all_of_a_buffer() -> None:
    one, other = bytearray(5_000), bytearray(5_000)
    source: RawSource = KernelSource()
    source.fill(one)
    source.fill(other)
    source.stop()
    source.close()
    assert one != other
    assert one[-64:] != bytes(64)


def test_a_device_is_read_in_as_many_pieces_as_it_gives(fifo: Path) -> None:
    source = HardwareSource(fifo)
    writer = os.open(fifo, os.O_WRONLY)

    def write() -> None:
        for octet in b"abcdefgh":
            os.write(writer, bytes([octet]))
            threading.Event().wait(0.003)

    thread = threading.Thread(target=write)
    thread.start()
    buffer = bytearray(8)
    source.fill(buffer)
    thread.join()
    assert buffer == b"abcdefgh"
    assert source.name == f"hwrng:{fifo}"
    os.close(writer)
    source.close()
    source.close()


def test_a_device_that_falls_silent_is_given_up(
    fifo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entropy, "READ_S_MAX", 0.05)
    source = HardwareSource(fifo)
    writer = os.open(fifo, os.O_WRONLY)
    os.write(writer, b"abc")
    with pytest.raises(SourceError, match="3 of 8 octets"):
        source.fill(bytearray(8))
    os.close(writer)
    source.close()


def test_a_read_that_waits_ends_at_a_stop(fifo: Path) -> None:
    source = HardwareSource(fifo)
    writer = os.open(fifo, os.O_WRONLY)
    threading.Timer(0.05, source.stop).start()
    before = time.monotonic()
    with pytest.raises(SourceError):
        source.fill(bytearray(8))
    assert time.monotonic() - before < 1
    os.close(writer)
    source.close()


def test_a_device_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"hwrng:.*gone: No such file"):
        open_source(str(tmp_path / "gone"))


def test_a_device_that_fails_is_an_error_of_the_source(tmp_path: Path) -> None:
    source = HardwareSource(tmp_path)  # a directory can be opened and not read
    with pytest.raises(SourceError, match="directory"):
        source.fill(bytearray(1))
    source.close()


def test_auto_falls_back_to_the_kernel_where_the_board_has_no_generator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing_there(path: Path = tmp_path / "gone") -> HardwareSource:
        return HardwareSource(path)

    monkeypatch.setattr(entropy, "HardwareSource", nothing_there)
    assert open_source("auto").name == "kernel"
    assert open_source("kernel").name == "kernel"


def test_auto_does_not_trust_a_device_file_without_a_generator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = HardwareSource(tmp_path)
    monkeypatch.setattr(entropy, "HardwareSource", lambda: real)
    assert open_source("auto").name == "kernel"
    assert real._descriptor == -1


def test_a_wiped_buffer_holds_nothing() -> None:
    buffer = bytearray(b"secret")
    wipe(buffer)
    assert buffer == bytes(6)


def test_blocks_differ_though_the_raw_source_is_stuck() -> None:
    conditioner = Conditioner()
    blocks = [bytes(conditioner.block(bytearray(64))) for _ in range(100)]
    assert len(set(blocks)) == 100
    assert {len(block) for block in blocks} == {64}


def test_blocks_differ_though_the_kernel_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entropy, "fill_from_kernel", wipe)
    first = [bytes(Conditioner().block(bytearray([octet] * 64))) for octet in range(100)]
    assert len(set(first)) == 100
    conditioner = Conditioner()
    assert len({bytes(conditioner.block(bytearray(64))) for _ in range(100)}) == 100


def test_what_is_handed_out_is_not_what_is_kept() -> None:
    conditioner = Conditioner()
    given = conditioner.block(bytearray(64))
    assert bytes(given) != bytes(conditioner._before)
    wipe(given)
    assert bytes(conditioner._before) != bytes(64)


def test_a_thousand_cold_starts_share_no_block() -> None:
    # Product.md A7: an identical image and a clock that stands still must not repeat a stream.
    assert len({bytes(Conditioner().block(bytearray(64))) for _ in range(1_000)}) == 1_000
