"""A file that was cut, wiped in part or has a flipped bit is opened whole, or refused by name."""

from __future__ import annotations

import contextlib
import random
import shutil
from pathlib import Path

import pytest

from controller.journal.proof.report import Report
from controller.journal.replay import Diverged, restore
from controller.journal.schema import PAGE_OCTETS
from controller.journal.seal import Sealer
from controller.journal.source import NoJournal
from controller.journal.store import Store
from controller.journal.trouble import JournalTrouble
from controller.journal.verify import verify
from tests.controller.journal.forging import export_of, write_sealed
from tests.controller.journal.writing import MIX, Writer
from tests.controller.small_table import small_program

TURNS = 36
# Of the cuts, flips and pages that the full count makes one by one.
SAMPLE = 60
FLIPS = 5000
# And a little more: a turn touches some four pages.
LOG_OCTETS_PER_COMMIT = 4200


@pytest.fixture(scope="module")
def sealer(tmp_path_factory: pytest.TempPathFactory) -> Sealer:
    return Sealer.from_file(tmp_path_factory.mktemp("keys") / "key")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, sealer: Sealer) -> bytes:
    """A closed journal."""
    place = tmp_path_factory.mktemp("whole") / "j"
    write_sealed(place, TURNS, sealer)
    return place.read_bytes()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, whole: bytes, sealer: Sealer) -> Report:
    place = tmp_path_factory.mktemp("sound") / "j"
    place.write_bytes(whole)
    return verify(place, [sealer.public_key])


def judged(path: Path, sound: Report, sealer: Sealer) -> bool:
    """Whether the record was found whole: then all of it is what it was, else a place is named."""
    try:
        report = verify(path, [sealer.public_key])
    except NoJournal:
        return False
    if report.problem is not None:
        assert report.problem.place
        assert report.problem.detail
        return False
    assert (report.head, report.inputs, report.effects, report.sealed) == (
        sound.head, sound.inputs, sound.effects, sound.sealed,
    )  # fmt: skip
    return True


async def opened(path: Path, inputs: int) -> bool:
    """Whether the daemon takes it: then it goes on where the record ends, else it says why not."""
    try:
        store = await Store.open(path, "T-1")
    except JournalTrouble:
        return False
    try:
        restored = await restore(store, small_program())
        assert restored.chain.inputs == inputs
    except (JournalTrouble, Diverged):
        return False
    finally:
        with contextlib.suppress(JournalTrouble):
            await store.close()
    return True


def flips(size: int, count: int) -> list[tuple[int, int]]:
    chance = random.Random(7)
    return [(chance.randrange(size), chance.randrange(8)) for _ in range(count)]


def flip_one_by_one(whole: bytes, sound: Report, sealer: Sealer, place: Path, count: int) -> int:
    found = 0
    for at, bit in flips(len(whole), count):
        place.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
        found += not judged(place, sound, sealer)
    return found


def test_a_flipped_bit_anywhere_is_named_or_touches_no_record(
    whole: bytes, sound: Report, sealer: Sealer, tmp_path: Path
) -> None:
    assert flip_one_by_one(whole, sound, sealer, tmp_path / "j", SAMPLE) > 0


@pytest.mark.heavy
def test_a_flipped_bit_in_many_octets_is_named_or_touches_no_record(
    whole: bytes, sound: Report, sealer: Sealer, tmp_path: Path
) -> None:
    found = flip_one_by_one(whole, sound, sealer, tmp_path / "j", FLIPS)
    # What is left is free room inside of pages, and tables that are no part of the record.
    assert found > FLIPS // 3


def test_a_page_of_zeros_anywhere_is_named_or_held_no_record(
    whole: bytes, sound: Report, sealer: Sealer, tmp_path: Path
) -> None:
    place, named = tmp_path / "j", 0
    for at in range(0, len(whole), PAGE_OCTETS):
        place.write_bytes(whole[:at] + bytes(PAGE_OCTETS) + whole[at + PAGE_OCTETS :])
        named += not judged(place, sound, sealer)
    assert named > len(whole) // PAGE_OCTETS // 2


async def test_a_daemon_opens_a_damaged_file_whole_or_says_why_not(
    whole: bytes, tmp_path: Path
) -> None:
    place, refused = tmp_path / "j", 0
    for at in range(0, len(whole), PAGE_OCTETS * 2):
        place.write_bytes(whole[:at] + bytes(PAGE_OCTETS) + whole[at + PAGE_OCTETS :])
        refused += not await opened(place, TURNS)
        place.with_name("j-wal").unlink(missing_ok=True)
    assert refused > 0


def cut_one_by_one(whole: bytes, sealer: Sealer, place: Path, sizes: list[int]) -> None:
    for size in sizes:
        place.write_bytes(whole[:size])
        try:
            report = verify(place, [sealer.public_key])
        except NoJournal:
            continue
        assert report.problem is not None, size


def test_a_database_cut_at_its_tail_is_never_in_order(
    whole: bytes, sealer: Sealer, tmp_path: Path
) -> None:
    step = len(whole) // SAMPLE
    cut_one_by_one(whole, sealer, tmp_path / "j", list(range(len(whole) - 1, 0, -step)))


@pytest.mark.heavy
def test_a_database_cut_at_every_octet_of_its_tail_is_never_in_order(
    whole: bytes, sealer: Sealer, tmp_path: Path
) -> None:
    tail = range(len(whole) - 1, len(whole) - 4 * PAGE_OCTETS, -1)
    cut_one_by_one(whole, sealer, tmp_path / "j", list(tail))


def test_an_export_cut_anywhere_is_never_in_order(sealer: Sealer, tmp_path: Path) -> None:
    whole = b"".join(export_of(MIX * 2, sealer))
    step = len(whole) // SAMPLE
    ends = [at + 1 for at, octet in enumerate(whole[:-1]) if octet == 10]
    cut_one_by_one(whole, sealer, tmp_path / "e", [*range(len(whole) - 1, 0, -step), *ends])


@pytest.mark.heavy
def test_an_export_cut_at_every_octet_is_never_in_order(sealer: Sealer, tmp_path: Path) -> None:
    whole = b"".join(export_of(MIX * 2, sealer))
    cut_one_by_one(whole, sealer, tmp_path / "e", list(range(len(whole) - 1, 0, -1)))


async def log_of(place: Path) -> list[int]:
    """A journal whose turns stand in its log alone, as a power cut leaves them; the log's size
    after each commit."""
    store = await Store.open(place.with_name("live"), "T-1")
    writer = Writer(store.chain)
    log, sizes = place.with_name("live-wal"), []
    for item in MIX * 2:
        await store.commit([writer.entry(*item)])
        sizes.append(log.stat().st_size)
    for name, kept in (("live", place), ("live-wal", place.with_name(place.name + "-wal"))):
        shutil.copyfile(place.with_name(name), kept)
    await store.close()
    return sizes


async def cut_log(place: Path, step: int, tail: int) -> None:
    """Cut the last `tail` octets of the log, `step` by `step`; a daemon opens some of them."""
    sizes = await log_of(place)
    base, wal = place.read_bytes(), place.with_name(place.name + "-wal")
    log = wal.read_bytes()
    for count, size in enumerate(range(len(log), max(0, len(log) - tail), -step)):
        place.write_bytes(base)
        wal.write_bytes(log[:size])
        expected = sum(end <= size for end in sizes)
        try:
            report = verify(place)
        except NoJournal:
            assert expected == 0
        else:
            assert (report.problem, report.inputs) == (None, expected), size
        if expected and count % 50 == 0:
            assert await opened(place, expected)


async def test_a_log_cut_anywhere_loses_only_commits_that_were_cut(tmp_path: Path) -> None:
    await cut_log(tmp_path / "j", 4099, 10**9)


@pytest.mark.heavy
async def test_a_log_cut_at_every_octet_of_its_tail_loses_only_what_was_cut(
    tmp_path: Path,
) -> None:
    await cut_log(tmp_path / "j", 1, LOG_OCTETS_PER_COMMIT)
