"""Credentials: what is read, until when it is good, and what is refused with its file's name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controller.broker_address import BadAddress, BrokerAddress
from controller.credentials import DAY_MS, FILE_OCTETS_MAX, Term, mark_of, read, warning_of
from tests.mqtt.site import Site

NOW_MS = 1_767_636_000_000


@pytest.mark.parametrize(
    ("left_ms", "warning"),
    [
        (30 * DAY_MS + 1, None), (30 * DAY_MS, 30), (7 * DAY_MS + 1, 30), (7 * DAY_MS, 7),
        (DAY_MS + 1, 7), (DAY_MS, 1), (1, 1), (0, 0), (-DAY_MS, 0),
    ],
)  # fmt: skip
def test_warnings_come_thirty_seven_and_one_day_ahead(left_ms: int, warning: int | None) -> None:
    assert warning_of(NOW_MS + left_ms, NOW_MS) == warning


def test_a_term_tells_its_end_and_whole_days() -> None:
    told = Term("f", NOW_MS + 2 * DAY_MS - 1).told(NOW_MS)
    assert told == {"ends": "2026-01-07T17:59:59.999Z", "days": 1, "warning": 7}


def test_without_tls_and_password_there_is_nothing_to_read() -> None:
    found = read(BrokerAddress("localhost", 1883), NOW_MS)
    assert (found.context, found.password, found.own, found.authority) == (None,) * 4


def test_a_sites_certificates_are_read_with_their_ends(site: Site) -> None:
    site.make("table", "t-1")
    address = site.address("t-1", 1)
    found = read(address, site.now_ms)
    assert found.own is not None
    assert found.authority is not None
    assert 80 < found.own.days(site.now_ms) <= 90
    assert found.authority.days(site.now_ms) > 3_000
    assert found.mark == mark_of(address)
    assert "BEGIN" not in repr(found)
    with pytest.raises(BadAddress, match=r"ended at .*renew it"):
        read(address, found.own.ends_ms)
    read(address, found.own.ends_ms - 1)


def test_a_key_of_another_certificate_and_what_is_none_are_refused(site: Site) -> None:
    site.make("table", "t-1")
    site.make("table", "t-2")
    address = site.address("t-1", 1)
    mark = mark_of(address)
    good = site.file("t-1.key").read_bytes()
    site.file("t-1.key").write_bytes(site.file("t-2.key").read_bytes())
    assert mark_of(address) != mark
    with pytest.raises(BadAddress, match=r"t-1\.key"):
        read(address, site.now_ms)
    site.file("t-1.key").write_bytes(good)
    site.file("ca.crt").write_text("no certificate")
    with pytest.raises(BadAddress, match=r"ca\.crt"):
        read(address, site.now_ms)


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "password"
    address = BrokerAddress("localhost", 1883, username="t", password_file=file)
    file.write_bytes(b"x" * FILE_OCTETS_MAX)
    assert mark_of(address)
    file.write_bytes(b"x" * (FILE_OCTETS_MAX + 1))
    with pytest.raises(BadAddress, match=f"has more than {FILE_OCTETS_MAX} octets"):
        mark_of(address)
    file.unlink()
    with pytest.raises(BadAddress, match="No such file"):
        mark_of(address)


def test_a_pipe_in_a_files_place_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "password"
    os.mkfifo(file)
    with pytest.raises(BadAddress, match="is not a regular file"):
        mark_of(BrokerAddress("localhost", 1883, username="t", password_file=file))
