"""The disk with the real thing wrong, and what times and medium say together."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from config.sections import Journal
from controller.doctor import disk
from controller.doctor.disk import judged, measured
from controller.doctor.medium import Medium
from controller.doctor.patient import Process
from tests.controller.doctor.patients import a_patient, of, severities, with_settings

DISK = Medium("sda", rotates=True, caches=True)
CARD = Medium("mmcblk0", rotates=False, caches=False)
FLASH = Medium("nvme0n1", rotates=False, caches=True)
HOSTS = Medium("vda", rotates=True, caches=True)


async def test_a_folder_that_takes_no_writes_is_wrong(tmp_path: Path) -> None:
    """Not even root may write there."""
    journal = Journal(path=Path("/sys/kernel/journal.sqlite"), key=tmp_path / "key")
    found = await disk.examine(with_settings(a_patient(tmp_path), journal=journal))
    assert of(found, "folder").severity == "wrong"
    assert "/sys/kernel: cannot be written" in of(found, "folder").text
    assert "install -d" in of(found, "folder").mend


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no memory is mounted here")
async def test_a_record_in_memory_is_gone_with_the_power(tmp_path: Path) -> None:
    journal = Journal(path=Path("/dev/shm/j.sqlite"), key=tmp_path / "key")
    found = await disk.examine(with_settings(a_patient(tmp_path), journal=journal))
    assert of(found, "medium").severity == "wrong"
    assert "gone with the power" in of(found, "medium").text


async def test_a_network_disk_and_a_mount_that_lies_are_wrong(tmp_path: Path) -> None:
    for kind, options, word in (
        ("nfs4", "rw", "another machine's"), ("ext4", "rw,barrier=0", "a sync proves nothing"),
        ("ext4", "ro", "read-only"),
    ):  # fmt: skip
        root = tmp_path / f"{kind}{options}"
        (root / "proc/self").mkdir(parents=True)
        line = f"1 1 0:9 / / {options} - {kind} x {options}\n"
        (root / "proc/self/mountinfo").write_text(line)
        patient = a_patient(tmp_path, root=root)
        # What is measured is not asked here.
        patient = dataclasses.replace(patient, daemon=Process(1, "tablectl"))
        found = of(await disk.examine(patient), "medium")
        assert found.severity == "wrong"
        assert word in found.text


async def test_room_is_held_against_the_budget(tmp_path: Path) -> None:
    patient = a_patient(tmp_path)
    journal = patient.settings.journal
    assert journal is not None
    large = dataclasses.replace(journal, budget_mb=1_000_000_000)
    found = of(await disk.examine(with_settings(patient, journal=large)), "room")
    assert (found.severity, bool(found.mend)) == ("warning", True)


async def test_a_folder_that_is_not_there_yet_is_made_later(tmp_path: Path) -> None:
    patient = a_patient(tmp_path)
    journal = Journal(path=tmp_path / "a" / "b" / "j.sqlite", key=tmp_path / "key")
    found = await disk.examine(with_settings(patient, journal=journal))
    assert of(found, "folder").severity == "info"
    assert not (tmp_path / "a").exists()


def test_measuring_writes_and_leaves_nothing(tmp_path: Path) -> None:
    took_us = measured(tmp_path)
    assert 1 <= len(took_us) <= disk.WRITES_MAX
    assert all(one > 0 for one in took_us)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("medium", "median_us", "severity"),
    [
        (DISK, 999, "wrong"), (DISK, 1_000, "info"),
        (CARD, 199, "wrong"), (CARD, 200, "info"),
        (FLASH, 20, "info"), (HOSTS, 20, "warning"), (None, 20, "warning"),
    ],
)  # fmt: skip
def test_an_answer_faster_than_the_medium_is_a_lie(
    medium: Medium | None, median_us: int, severity: str
) -> None:
    assert severities(list(judged([median_us] * 5, medium)))["truth"] == severity


@pytest.mark.parametrize(
    ("took_us", "severity"),
    [
        ([5_000] * 9, "ok"), ([50_000] * 9, "ok"), ([50_001] * 9, "warning"),
        ([5_000] * 8 + [1_000_000], "ok"), ([5_000] * 8 + [1_000_001], "warning"),
    ],
)  # fmt: skip
def test_a_slow_disk_and_one_that_stalls_are_told(took_us: list[int], severity: str) -> None:
    assert severities(list(judged(took_us, FLASH)))["sync"] == severity


@pytest.mark.parametrize(("trouble", "severity"), [(None, "info"), ("full", "wrong")])
async def test_a_running_tables_disk_is_not_written_to(
    tmp_path: Path, trouble: str | None, severity: str
) -> None:
    told = {"journal": {"lag_ms": 2}, "record": {"trouble": trouble}}
    patient = dataclasses.replace(
        a_patient(tmp_path), daemon=Process(1, "tablectl"), health=told
    )  # fmt: skip
    found = await disk.examine(patient)
    assert of(found, "sync").severity == severity
    assert "truth" not in severities(found)


async def test_the_disk_of_a_linked_record_is_where_the_link_leads(tmp_path: Path) -> None:
    (tmp_path / "j.sqlite").symlink_to(tmp_path / "other" / "j.sqlite")
    journal = Journal(path=tmp_path / "j.sqlite", key=tmp_path / "key")
    found = await disk.examine(with_settings(a_patient(tmp_path), journal=journal))
    assert of(found, "folder").text.startswith(f"{tmp_path / 'other'}: is not there yet")
