"""One connection to a broker; the only file that knows the client library.

A `Connection` is used once: a client of the library that is used again sends what it had already
reported as failed (faults M10). It tells what the library hides: a publication that the broker
refuses is `refused`, not delivered (M09), and what arrives is acknowledged by the receiver, when
its fate is settled, instead of before it is looked at (M14).

Under MQTT 3.1.1 a PUBACK carries no reason: there a refusal looks like a delivery, and only a
subscriber's own check (`controller.subscriber`) can tell.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
import typing
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable

import aiomqtt
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.client import Client as Inner
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller.broker_address import BadAddress
from controller.broker_port import (
    LOST,
    REASON_REFUSED,
    BrokerAway,
    Crowded,
    Delivery,
    Plan,
    Received,
)
from controller.cancelling import none_swallowed
from controller.messages import Outgoing
from controller.mqtt_properties import (
    HISTORICAL,
    connect_properties,
    publish_properties,
    will_properties,
)

log = logging.getLogger(__name__)
# The library reports every reset socket as an error; whoever holds the connection says it once.
library_log = log.getChild("client")
library_log.setLevel(logging.CRITICAL)

# Publications on the way at once: hides a round trip of 5 ms at 10,000 events a second.
FLIGHT_MESSAGES_MAX = 64
# Waiting behind them: one replay page, all levels and all replies fit several times.
WAITING_MESSAGES_MAX = 2_000
# The library looks at its timers once a second and lets two looks pass (measured: 2 x keepalive
# + 2 s); a second less keeps "noticed within two keepalives" true as the outside counts them.
KEEPALIVE_SLACK_S = 1
KEEPALIVE_S_MIN = 3
# CONNECT to CONNACK, SUBSCRIBE to SUBACK: a broker slower than this is as good as away.
ANSWER_S_MAX = 10
# Texts of the library and the system name hosts and codes; the cut bounds what a log line holds.
REASON_CHARACTERS_MAX = 200


class Connection:
    """A live connection. Built by `connect`; every method belongs to the event loop's thread."""

    def __init__(self, client: aiomqtt.Client, plan: Plan, receive: Callable[[Received], None]):
        self._client = client
        self._inner = client._client  # the library has no public way to it
        # Looked at, so that the loop does not report a cause that nobody asked for.
        client._disconnected.add_done_callback(lambda gone: gone.cancelled() or gone.exception())
        self._plan = plan
        self.address = plan.address
        self._receive = receive
        self._loop = asyncio.get_running_loop()
        self._flight: dict[int, tuple[float, asyncio.Future[Delivery]]] = {}
        self._waiting: deque[tuple[Outgoing, asyncio.Future[Delivery]]] = deque()
        self._early: list[Received] = []
        self._flush_due = False
        self._open = False
        self.hung_up: asyncio.Future[None] = self._loop.create_future()
        self._kept_on_connect = self._inner.on_connect
        self._kept_on_disconnect = self._inner.on_disconnect
        self.flight_max = FLIGHT_MESSAGES_MAX
        self._inner.on_connect = self._on_connect
        self._inner.on_disconnect = self._on_disconnect
        self._inner.on_publish = self._on_publish
        self._inner.on_message = self._on_message
        if plan.settles:
            self._inner.manual_ack_set(True)

    @property
    def open(self) -> bool:
        """Whether a publication may still be tried."""
        return self._open

    @property
    def free(self) -> int:
        """Publications that would leave at once."""
        return max(0, self.flight_max - len(self._flight) - len(self._waiting))

    @property
    def unanswered_s(self) -> float:
        """How long the oldest publication has waited for the broker's answer."""
        for sent, _ in self._flight.values():
            return self._loop.time() - sent
        return 0

    @property
    def broker_ends_ms(self) -> int | None:
        """When the broker's certificate ends, in ms since the epoch; None without TLS."""
        sock = self._inner.socket()
        ends = (sock.getpeercert() or {}).get("notAfter") if isinstance(sock, ssl.SSLSocket) else ""
        return (
            int(ssl.cert_time_to_seconds(ends)) * 1000 if isinstance(ends, str) and ends else None
        )

    def publish(self, message: Outgoing) -> asyncio.Future[Delivery]:
        """Send now, or as soon as the window allows, in the order of the calls.

        The future always ends in a Delivery. Raises Crowded.
        """
        future: asyncio.Future[Delivery] = self._loop.create_future()
        if not self._open:
            future.set_result(Delivery(LOST, "not connected"))
        elif self._waiting or len(self._flight) >= self.flight_max:
            if len(self._waiting) >= WAITING_MESSAGES_MAX:
                raise Crowded(f"{WAITING_MESSAGES_MAX} publications are waiting for the broker")
            self._waiting.append((message, future))
        else:
            self._send(message, future)
            self._flush()
        return future

    async def subscribe(self, filters: Iterable[str], as_published: bool = True) -> list[str]:
        """Subscribe with QoS 1; gives back the filters that the broker refused.

        `as_published` off: what is retained is told from what happens now, as under MQTT 3.1.1.
        Raises BrokerAway.
        """
        wanted = list(filters)
        try:
            with none_swallowed():
                if self._plan.address.version == "5":
                    # Retain as published: a retained command must be known as one (faults M15).
                    options = SubscribeOptions(qos=1, retainAsPublished=as_published)
                    codes = await self._client.subscribe([(topic, options) for topic in wanted])
                else:
                    codes = await self._client.subscribe([(topic, 1) for topic in wanted])
        except aiomqtt.MqttError as error:
            raise BrokerAway(str(error)) from None
        given = [code.value if isinstance(code, ReasonCode) else code for code in codes]
        return [topic for topic, code in zip(wanted, given, strict=True) if code >= REASON_REFUSED]

    def settle(self, received: Received) -> None:
        """Acknowledge a message of this connection: its fate is known and will not be forgotten."""
        if self._open and self._plan.settles and received.qos > 0:
            self._inner.ack(received.mid, received.qos)
            self._flush()

    async def lost(self) -> str:
        """Wait until the connection is gone; gives the reason.

        Somebody has to wait here at all times: only then a silent table notices (faults M02).
        """
        try:
            async for _ in self._client.messages:
                pass
        except aiomqtt.MqttError as error:
            cause = error.__cause__
            return f"connection lost ({cause if cause is not None else error})"
        return "closed"

    def adopt(self) -> None:
        """The broker accepted: take over the socket's writing from the library's slower way."""
        self._inner.on_socket_register_write = self._want_write
        self._open = True
        for received in self._early:
            self._loop.call_soon(self._receive, received)
        self._early.clear()

    def end(self) -> None:
        """Tell all who wait that their publication has no known fate; the outbox repeats it."""
        self._open = False
        pending = [
            *(future for _, future in self._flight.values()),
            *(future for _, future in self._waiting),
        ]
        self._flight.clear()
        self._waiting.clear()
        for future in pending:
            if not future.done():
                future.set_result(Delivery(LOST, "connection lost before the answer"))

    def cut(self) -> None:
        """Drop the socket without a farewell, so that the broker publishes the will."""
        sock = self._inner.socket()
        if isinstance(sock, socket.socket):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _send(self, message: Outgoing, future: asyncio.Future[Delivery]) -> None:
        properties = None
        if self._plan.address.version == "5":
            properties = publish_properties(
                message.content, message.response_topic, message.correlation, message.historical
            )
        info = self._inner.publish(message.topic, message.payload, 1, message.retain, properties)
        if info.rc != 0:
            future.set_result(Delivery(LOST, f"not sent: {info.rc.name}"))
        else:
            self._flight[info.mid] = (self._loop.time(), future)

    # ---- called by the library; never write to the socket from here: it holds its locks --------
    def _on_connect(
        self, client: Inner, userdata: object, flags: ConnectFlags, code: ReasonCode,
        properties: Properties | None,
    ) -> None:  # fmt: skip
        granted = getattr(properties, "ReceiveMaximum", None)
        if isinstance(granted, int):
            self.flight_max = max(1, min(FLIGHT_MESSAGES_MAX, granted))
        kept = typing.cast("Callable[..., None]", self._kept_on_connect)
        kept(client, userdata, flags, code, properties)

    def _on_disconnect(
        self, client: Inner, userdata: object, flags: DisconnectFlags, code: ReasonCode,
        properties: Properties | None,
    ) -> None:  # fmt: skip
        # Its own thread may call while it connects; later nobody may be waiting in `lost` yet.
        self._loop.call_soon_threadsafe(self.end if self._open else self._note_hung_up)
        kept = typing.cast("Callable[..., None]", self._kept_on_disconnect)
        kept(client, userdata, flags, code, properties)

    def _note_hung_up(self) -> None:
        if not self.hung_up.done():
            self.hung_up.set_result(None)

    def _on_publish(
        self, client: Inner, userdata: object, mid: int, code: ReasonCode,
        properties: Properties | None,
    ) -> None:  # fmt: skip
        entry = self._flight.pop(mid, None)
        if entry is not None and not entry[1].done():
            entry[1].set_result(Delivery(code.value, str(code)))
        if self._waiting:
            self._loop.call_soon(self._send_waiting)

    def _on_message(self, client: Inner, userdata: object, message: MQTTMessage) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            return  # no broker that keeps to the standard lets such a topic through
        properties = message.properties
        received = Received(
            topic, bytes(message.payload), message.retain, message.qos, message.mid,
            getattr(properties, "ResponseTopic", None),
            getattr(properties, "CorrelationData", None),
            HISTORICAL in getattr(properties, "UserProperty", ()),
        )  # fmt: skip
        if self._open:
            self._loop.call_soon(self._receive, received)
        else:
            # What an earlier session left may come in the same breath as the CONNACK.
            self._early.append(received)

    def _want_write(self, client: Inner, userdata: object, sock: object) -> None:
        if not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self._flush)

    def _send_waiting(self) -> None:
        while self._waiting and len(self._flight) < self.flight_max and self._open:
            self._send(*self._waiting.popleft())
        self._flush()

    def _flush(self) -> None:
        self._flush_due = False
        try:
            self._inner.loop_write()
            sock = self._inner.socket()
            if sock is not None and self._inner.want_write():
                self._loop.add_writer(sock.fileno(), self._flush)
        except (OSError, ValueError) as error:
            # The reader of the same socket sees the loss and ends the connection.
            log.debug("write failed: %s", error)


@contextlib.asynccontextmanager
async def connect(plan: Plan, receive: Callable[[Received], None]) -> AsyncIterator[Connection]:
    """A connection for the body's duration; leaving it normally says farewell (no will).

    `receive` is called on the loop for each message, in order, and must not block. When the body
    ends in an exception or is cancelled the socket is cut, so that the will is published.
    Raises BrokerAway.
    """
    client = await _client_of(plan)
    connection = Connection(client, plan, receive)
    try:
        await _enter(client, connection)
    except (aiomqtt.MqttError, ValueError) as error:
        _abandon(connection)
        raise BrokerAway(str(error)[:REASON_CHARACTERS_MAX]) from None
    except BaseException:
        _abandon(connection)
        raise
    connection.adopt()
    orderly = False
    try:
        yield connection
        orderly = True
    finally:
        connection.end()
        if not orderly:
            connection.cut()
        with contextlib.suppress(aiomqtt.MqttError, TimeoutError):
            await (_farewell(client) if orderly else _until_lost(connection))


async def _enter(client: aiomqtt.Client, connection: Connection) -> None:
    """Connect; a broker that hangs up instead of answering is noticed at once, not after 10 s."""
    entering = asyncio.create_task(client.__aenter__(), name="mqtt connect")
    gone = client._disconnected
    try:
        await asyncio.wait(
            (entering, gone, connection.hung_up), return_when=asyncio.FIRST_COMPLETED
        )
        # A broker that says no and hangs up in one breath has answered.
        if not entering.done() and not client._connected.done():
            cause = gone.exception() if gone.done() else None
            raise BrokerAway(
                f"the broker hung up before it answered{f' ({cause})' if cause else ''}"
                f"{connection.address.wanting}"
            )
        await entering
    finally:
        entering.cancel()


async def _farewell(client: aiomqtt.Client) -> None:
    with none_swallowed():
        async with asyncio.timeout(1):
            await client.__aexit__(None, None, None)


async def _until_lost(connection: Connection) -> None:
    async with asyncio.timeout(1):
        await connection.lost()


def _abandon(connection: Connection) -> None:
    connection.end()
    connection.cut()


async def _client_of(plan: Plan) -> aiomqtt.Client:
    address = plan.address
    five = address.version == "5"
    context, password = await _secrets_of(plan)
    return aiomqtt.Client(
        address.host,
        address.port,
        username=address.username,
        password=password,
        identifier=plan.client_id,
        protocol=aiomqtt.ProtocolVersion.V5 if five else aiomqtt.ProtocolVersion.V311,
        will=None if plan.will is None else _will_of(plan, plan.will),
        clean_session=None if five else plan.resume_s == 0,
        clean_start=plan.resume_s == 0 if five else MQTT_CLEAN_START_FIRST_ONLY,
        keepalive=max(KEEPALIVE_S_MIN, plan.keepalive_s) - KEEPALIVE_SLACK_S,
        timeout=ANSWER_S_MAX,
        max_inflight_messages=0,  # our own window, which knows the broker's, stands before it
        properties=connect_properties(plan) if five else None,
        tls_context=context,
        socket_options=((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),),
        logger=library_log,
    )


async def _secrets_of(plan: Plan) -> tuple[ssl.SSLContext | None, str | None]:
    if plan.credentials is not None:
        return plan.credentials.context, plan.credentials.password
    try:
        # Reads files: certificates on a slow card must not stop the table.
        context = await asyncio.to_thread(plan.address.tls_context)
        return context, await asyncio.to_thread(plan.address.secret)
    except BadAddress as error:
        raise BrokerAway(str(error)) from None


def _will_of(plan: Plan, will: Outgoing) -> aiomqtt.Will:
    properties = will_properties(plan, will) if plan.address.version == "5" else None
    return aiomqtt.Will(will.topic, will.payload, 1, will.retain, properties)
