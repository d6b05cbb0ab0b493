"""A rig file is read as labgrid has it; and its rig plays, on two crossed lines of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tty
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import yaml

from controller.broker_address import BrokerAddress
from tests.hil.bench import Figures, broker_for, play_case
from tests.hil.rigfile import RigFile, RigMistake, rig_of
from tests.hil.sentences import Script, scripts
from tests.hil.unsayable import CHOSEN, LAW, PINS, why_not_here
from tests.hil.wires import WiredRig

FOLDER = Path(__file__).parent
SHIPPED = FOLDER / "bench.yaml"
SCRIPTS = scripts()
# Without jumpers, SSH and a number of one's choice.
OFTEN = (
    "687a.13-c: reported by the dealer, for the dealer's own hand too",
    "a22-power-lost-in-a-round: a shoe that lost its place in the deal has failed",
)


@contextlib.asynccontextmanager
async def crossed(one: Path, other: Path) -> AsyncIterator[None]:
    """Two paths of one line: what is written to either is read from the other."""
    loop = asyncio.get_running_loop()
    pairs = [os.openpty() for _ in range(2)]

    def carry(source: int, sink: int) -> None:
        os.write(sink, os.read(source, 4096))

    try:
        for path, (_, slave) in zip((one, other), pairs, strict=True):
            tty.setraw(slave)
            path.symlink_to(os.ttyname(slave))
        near, far = (master for master, _ in pairs)
        loop.add_reader(near, carry, near, far)
        loop.add_reader(far, carry, far, near)
        yield
    finally:
        for master, slave in pairs:
            loop.remove_reader(master)
            os.close(master)
            os.close(slave)


def rig_here(home: Path) -> Path:
    """A rig file without SSH and jumpers: both boards are this machine."""
    options = {name: f"{home}/table-{name}" for name in ("shuffler", "shoe")}
    command = f"{sys.executable} -m tests.hil.patient"
    ports = [
        {"RawSerialPort": {"name": name, "port": f"{home}/device-{name}"}}
        for name in ("shuffler", "shoe")
    ]
    document = {
        "targets": {
            "table": {"options": {**options, "home": f"{home}/table", "command": command}},
            "bench": {"resources": ports},
        }
    }
    file = home / "rig.yaml"
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    return file


@pytest.mark.parametrize("name", OFTEN)
async def test_a_rig_of_two_crossed_lines_plays_a_case(name: str, tmp_path: Path) -> None:
    script = SCRIPTS[name]
    wiring = rig_of(rig_here(tmp_path))
    assert why_not_here(script, False, frozenset(wiring.jumpers)) is None
    with broker_for(tmp_path, wiring.broker) as address:
        await play_on(tmp_path, wiring, script, address)


async def play_on(home: Path, wiring: RigFile, script: Script, address: BrokerAddress) -> None:
    async with (
        crossed(home / "table-shuffler", home / "device-shuffler"),
        crossed(home / "table-shoe", home / "device-shoe"),
    ):
        player = await play_case(
            script, lambda: WiredRig(wiring, script, address, "bench"), Figures()
        )
    assert not player.differences


def test_the_shipped_rig_file_names_both_boards() -> None:
    wiring = rig_of(SHIPPED)
    assert wiring.serial["shoe"] == "/dev/table/device-shoe"
    assert wiring.ports["shoe"] == "/dev/table/bench-shoe"
    assert wiring.ssh[-1] == "technician@table.bench.example"
    assert wiring.pins["cover_shoe"] == 21
    assert wiring.jumpers == {"rng": 4, "cover_shuffler": 20, "cover_shoe": 21, "case": 16}


def test_the_mapping_form_of_resources_is_read_as_well(tmp_path: Path) -> None:
    file = tmp_path / "rig.yaml"
    text = SHIPPED.read_text(encoding="utf-8")
    service = "      - NetworkService:\n          name: ssh\n          "
    assert service in text
    plain = text.replace(service, "      NetworkService:\n          ")
    file.write_text(plain, encoding="utf-8")
    assert rig_of(file).ssh == rig_of(SHIPPED).ssh


@pytest.mark.parametrize(
    ("cut", "mend", "said"),
    [
        ("name: shoe", "name: other", "'shoe'"),
        ("home: /var", "house: /var", "'home'"),
        ("\n  bench:", "\n  desk:", "'bench'"),
        ("targets:", "targets: [", "rig.yaml"),
    ],
)
def test_a_rig_file_that_lacks_something_is_refused_in_words(
    cut: str, mend: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "rig.yaml"
    file.write_text(SHIPPED.read_text(encoding="utf-8").replace(cut, mend), encoding="utf-8")
    with pytest.raises(RigMistake, match=said):
        rig_of(file)


def test_a_rig_without_a_jumper_says_what_it_cannot() -> None:
    pressed = SCRIPTS["659a.5-h: once it is known, and nothing waits for it"]
    covered = SCRIPTS["687a.13-g: a cover that is lifted is asked for again"]
    other_law = next(script for script in SCRIPTS.values() if script.law is not None)
    assert why_not_here(pressed, False, frozenset({"rng"})) == CHOSEN
    assert why_not_here(pressed, True, frozenset()) == PINS
    assert why_not_here(covered, False, frozenset({"cover_shuffler"})) == PINS
    assert why_not_here(covered, False, frozenset({"cover_shoe"})) is None
    assert why_not_here(other_law, True, frozenset({"rng"})) == LAW


# ---- real wires --------------------------------------------------------------------------------
@pytest.mark.hil
@pytest.mark.parametrize("name", list(SCRIPTS))
async def test_the_case_ends_on_real_wires_as_its_file_says(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    file = request.config.getoption("--rig", default=None)
    if file is None:
        pytest.skip("needs two boards and their wires: --rig FILE, docs/bench.md")
    wiring, script = rig_of(Path(file)), SCRIPTS[name]
    why = why_not_here(script, False, frozenset(wiring.jumpers))
    if why is not None:
        pytest.skip(why)
    table = f"t-{list(SCRIPTS).index(name)}"
    with broker_for(tmp_path, wiring.broker) as address:
        await play_case(script, lambda: WiredRig(wiring, script, address, table), Figures())
