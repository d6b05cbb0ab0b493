"""Brokers that can be clustered, as Debian has them: RabbitMQ with its MQTT plugin, and NATS."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from controller.broker_address import BrokerAddress
from tests.mqtt.mosquitto import free_port
from tests.mqtt.site import Site

# Where Debian keeps what is not meant for a shell.
RABBIT_FOLDERS = Path("/usr/lib/rabbitmq/lib")
# Erlang takes half a minute on a quiet machine; two were seen on one that was shared by many.
START_S_MAX = 600.0
USER, PASSWORD = "table", "secret"
# Everybody may write everywhere but here.
CLOSED = "closed"


class Process:
    """One server process with a log, reached by MQTT on loopback."""

    def __init__(self, home: Path, host: str = "127.0.0.1", port: int | None = None) -> None:
        """`home` is the server's own; nothing runs before `start`."""
        self.home = home
        self.host = host
        self.port = free_port() if port is None else port
        self._process: subprocess.Popen[bytes] | None = None

    def address(self, name: str | None = None) -> BrokerAddress:
        """How everybody comes in; `name` where the host has another."""
        host = self.host if name is None else name
        return BrokerAddress(host, self.port, "3.1.1", username=USER, password=PASSWORD)

    def run(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        """Run it and wait until it accepts."""
        with (self.home / "server.log").open("ab") as out:
            self._process = subprocess.Popen(
                command, stdout=out, stderr=out, start_new_session=True,
                env={**os.environ, **(environment or {})},
            )  # fmt: skip
        deadline = time.monotonic() + START_S_MAX
        while time.monotonic() < deadline and self._process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection((self.host, self.port)):
                return
            time.sleep(0.1)
        self.kill()
        raise RuntimeError((self.home / "server.log").read_text()[-3000:])

    def kill(self) -> None:
        """End it without a farewell, with all that it started in its session."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(timeout=30)
            self._process = None


class Nats(Process):
    """One nats-server with JetStream; with `routes` it is a member of a cluster."""

    def __init__(
        self, home: Path, name: str = "n1", routes: tuple[int, ...] = (),
        host: str = "127.0.0.1", port: int | None = None,
    ) -> None:  # fmt: skip
        """`routes` are the ports of the whole cluster, its own first."""
        super().__init__(home, host, port)
        self._name = name
        self._routes = routes
        self._client_port = free_port()

    def start(self) -> None:
        """Run it and wait until it accepts; a cluster needs a majority before it serves."""
        config = self.home / "nats.conf"
        config.write_text(self._config())
        self.run([nats() or "nats-server", "-c", str(config)])

    def _config(self) -> str:
        cluster = replicas = ""
        if self._routes:
            # Left to itself it takes as many as have met when the first client comes.
            replicas = ", stream_replicas: 3, consumer_replicas: 3"
            others = ", ".join(f"nats://127.0.0.1:{port}" for port in self._routes[1:])
            cluster = (
                f"cluster {{ name: houses, listen: 127.0.0.1:{self._routes[0]}, "
                f"routes: [{others}], no_advertise: true }}\n"
            )
        return (
            f"server_name: {self._name}\n"
            f"listen: 127.0.0.1:{self._client_port}\n"
            f'jetstream {{ store_dir: "{self.home}/store" }}\n'
            f"mqtt {{ listen: {self.host}:{self.port}{replicas} }}\n"
            f"authorization {{ users: [{{ user: {USER}, password: {PASSWORD},\n"
            f'  permissions: {{ publish: {{ deny: ["{CLOSED}.>"] }} }} }}] }}\n' + cluster
        )


class SiteNats(Nats):
    """A nats-server that knows users by the certificates of a site; rights as docs/brokers.md."""

    def __init__(self, site: Site) -> None:
        """Make the broker's certificate."""
        super().__init__(site.home)
        site.make("broker", "localhost")
        self._certificates = site.file("")

    def _config(self) -> str:
        files = "".join(
            f'{key}: "{self._certificates / name}", '
            for key, name in (
                ("cert_file", "broker.crt"), ("key_file", "broker.key"), ("ca_file", "ca.crt"),
            )
        )  # fmt: skip
        return (
            f"server_name: s1\nlisten: 127.0.0.1:{self._client_port}\n"
            f'jetstream {{ store_dir: "{self.home}/store" }}\n'
            f"mqtt {{ listen: 127.0.0.1:{self.port}, tls {{ {files}verify_and_map: true }} }}\n"
            "authorization { users: [\n"
            f"{table_rights('T1')}{table_rights('T2')}{RIGHTS_OF_THE_ROOM}] }}\n"
        )


def table_rights(name: str) -> str:
    """What a table may: write below its name, hear its commands and levels."""
    return (
        f'{{ user: "{name}", permissions: {{ publish: {{ allow: ["tables.{name}.>"], '
        f'deny: ["tables.{name}.commands.>"] }}, '
        f'subscribe: ["tables.{name}.>", "$MQTT.sub.>"] }} }}\n'
    )


# A filter `events/#` is two subjects: what is below, and the level itself.
RIGHTS_OF_THE_ROOM = (
    '{ user: "surveillance", permissions: { publish: ["tables.*.commands.surveillance.>"], '
    'subscribe: ["tables.*.events", "tables.*.events.>", "$MQTT.sub.>"] } }\n'
    '{ user: "floor-1", permissions: { publish: ["tables.*.commands.floor-1.>"], '
    'subscribe: ["tables.*.replies.floor-1", "tables.*.replies.floor-1.>", "$MQTT.sub.>"] } }\n'
)


class Rabbit(Process):
    """One RabbitMQ node with the MQTT plugin."""

    def __init__(self, home: Path) -> None:
        """Its cookie, database and logs lie in `home`."""
        super().__init__(home)
        self._amqp_port, self._dist_port, self._epmd_port = free_port(), free_port(), free_port()
        self._epmd: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Run it, and let its one user in."""
        server = rabbit()
        assert server is not None
        (self.home / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{self._amqp_port}\n"
            f"mqtt.listeners.tcp.1 = 127.0.0.1:{self.port}\n"
            "mqtt.allow_anonymous = false\n"
            f"default_user = {USER}\ndefault_pass = {PASSWORD}\n"
            "default_permissions.configure = .*\n"
            "default_permissions.read = .*\ndefault_permissions.write = .*\n"
            # Without it the queue of a durable session outlives its owner for ever.
            "mqtt.subscription_ttl = 86400000\nmqtt.prefetch = 64\n"
        )
        (self.home / "plugins").write_text("[rabbitmq_mqtt].\n")
        environment = self._environment()
        self._epmd = subprocess.Popen(
            ["epmd", "-port", str(self._epmd_port), "-address", "127.0.0.1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.run([str(server)], environment)
        subprocess.run(
            [
                str(server.with_name("rabbitmqctl")), "-n", "site@localhost",
                "set_topic_permissions", USER, "amq.topic", rf"^(?!{CLOSED}\.).*", ".*",
            ],
            check=True, capture_output=True, env={**os.environ, **environment},
        )  # fmt: skip

    def kill(self) -> None:
        """End node and name server."""
        super().kill()
        if self._epmd is not None:
            self._epmd.kill()
            self._epmd.wait()
            self._epmd = None

    def _environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.home), "RABBITMQ_NODENAME": "site@localhost",
            "RABBITMQ_MNESIA_BASE": str(self.home / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.home / "log"),
            "RABBITMQ_CONFIG_FILE": str(self.home / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.home / "plugins"),
            "RABBITMQ_DIST_PORT": str(self._dist_port), "ERL_EPMD_PORT": str(self._epmd_port),
            "RABBITMQ_PID_FILE": str(self.home / "pid"),
        }  # fmt: skip


def nats() -> str | None:
    """The program, where it is installed."""
    return shutil.which("nats-server", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def rabbit() -> Path | None:
    """The program itself: Debian's wrapper would change the user."""
    return next(iter(sorted(RABBIT_FOLDERS.glob("rabbitmq_server-*/sbin/rabbitmq-server"))), None)
