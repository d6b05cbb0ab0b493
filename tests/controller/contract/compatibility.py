"""What in a document would break who relies on the published one. Adding is no break."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# A bound that a subscriber relies on, and whether the larger value is the wider one.
BOUNDS = {
    "maximum": True, "maxLength": True, "maxItems": True, "maxProperties": True,
    "minimum": False, "minItems": False,
}  # fmt: skip
SAME = ("const", "type", "pattern", "not", "$ref")


def breaks(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Every place at which `new` breaks a promise of `old`, both AsyncAPI documents."""
    return [*_channels(old, new), *_messages(old, new)]


def _channels(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for name, channel in old["channels"].items():
        now = new["channels"].get(name)
        if now is None:
            yield f"channels/{name} is gone"
        elif now["address"] != channel["address"]:
            yield f"channels/{name}: the address is another one"
    for name, operation in old["operations"].items():
        now = new["operations"].get(name, {})
        if now.get("bindings") != operation["bindings"]:
            yield f"operations/{name}: QoS or retain is another one"


def _messages(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for name, schema in old["components"]["schemas"].items():
        yield from _narrower(schema, new["components"]["schemas"].get(name, {}), name, told=True)
    for name, message in old["components"]["messages"].items():
        now = new["components"]["messages"].get(name)
        if now is None:
            yield f"{name} is gone"
            continue
        if now["contentType"] != message["contentType"]:
            yield f"{name}: the content type is another one"
        told = not name.startswith("commands.")
        yield from _narrower(message["payload"], now["payload"], name, told=told)


def _narrower(old: Any, new: Any, place: str, *, told: bool) -> Iterator[str]:
    """`told`: the table says it, and may say less than was promised possible, never more; else it
    is asked, and may take more than was promised, never less."""
    for word in SAME:
        if old.get(word) != new.get(word):
            yield f"{place}: {word} was {old.get(word)!r}, is {new.get(word)!r}"
    yield from _choices(old, new, place, told=told)
    for word, larger_is_wider in BOUNDS.items():
        if _is_break(old.get(word), new.get(word), larger_is_wider, told=told):
            yield f"{place}: {word} was {old.get(word)}, is {new.get(word)}"
    yield from _members(old, new, place, told=told)
    for word in ("anyOf", "allOf"):
        before, now = old.get(word, []), new.get(word, [])
        if len(before) != len(now):
            yield f"{place}: {word} had {len(before)} parts, has {len(now)}"
            continue
        for number, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from _narrower(one, other, f"{place}/{word}{number}", told=told)
    if "items" in old:
        yield from _narrower(old["items"], new.get("items", {}), f"{place}[]", told=told)


def _choices(old: Any, new: Any, place: str, *, told: bool) -> Iterator[str]:
    before, now = set(old.get("enum", ())), set(new.get("enum", ()))
    wrong = now - before if told else before - now
    if wrong or bool(before) != bool(now):
        yield f"{place}: of the choices {sorted(map(str, wrong))} is new or gone"


def _is_break(old: int | None, new: int | None, larger_is_wider: bool, *, told: bool) -> bool:
    if old == new:
        return False
    if old is None or new is None:
        # No bound is the widest one.
        wider = new is None
    else:
        wider = (new > old) is larger_is_wider
    return wider if told else not wider


def _members(old: Any, new: Any, place: str, *, told: bool) -> Iterator[str]:
    before, now = old.get("properties", {}), new.get("properties", {})
    for name in before.keys() - now.keys():
        yield f"{place}.{name} is gone"
    for name in before.keys() & now.keys():
        yield from _narrower(before[name], now[name], f"{place}.{name}", told=told)
    required, demanded = set(old.get("required", ())), set(new.get("required", ()))
    wrong = required - demanded if told else demanded - required
    if wrong:
        what = "not always there any more" if told else "demanded now"
        yield f"{place}: {', '.join(sorted(wrong))} is {what}"
    more, others = old.get("additionalProperties"), new.get("additionalProperties")
    if isinstance(more, dict) and isinstance(others, dict):
        yield from _narrower(more, others, f"{place}.*", told=told)
    elif more != others:
        yield f"{place}: unknown members were {more!r}, are {others!r}"
