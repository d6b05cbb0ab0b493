// The wall: one tile a table, changed in place, so that neither focus nor place is ever lost.

import {
  age, byName, cause, drawing, lampPath, make, plain, put, redraw, section, shapeOf,
} from "./words.js";

const LAMP_LETTERS = { red: "R", amber: "A", green: "G" };
const LOCKS_SHOWN_MAX = 3;
const ALARMS_SHOWN_MAX = 2;
// Above this many the tiles become dense by themselves.
const LARGE_TABLES_MAX = 60;

export class Tiles {
  constructor(list, none, open) {
    this.list = list;
    this.none = none;
    this.open = open;
    this.tiles = new Map();
    this.choices = { find: "", show: "all", order: "name", size: "auto" };
    list.addEventListener("keydown", (event) => this.#walk(event));
  }

  take(summary) {
    let tile = this.tiles.get(summary.table);
    const isNew = tile === undefined;
    if (isNew) {
      tile = new Tile(summary.table, this.open);
      this.tiles.set(summary.table, tile);
    }
    tile.show(summary);
    return isNew;
  }

  drop(table) {
    this.tiles.get(table)?.node.remove();
    this.tiles.delete(table);
  }

  // Puts the tiles in order; moves only those that are out of it.
  arrange() {
    const shown = [...this.tiles.values()].filter((tile) => this.#isWanted(tile));
    shown.sort((one, other) => this.#compare(one.summary, other.summary));
    const wanted = new Set(shown);
    for (const tile of this.tiles.values()) if (!wanted.has(tile)) tile.node.remove();
    let at = this.list.firstElementChild;
    for (const tile of shown) {
      if (tile.node === at) at = at.nextElementSibling;
      else this.#move(tile.node, at);
    }
    const dense = this.choices.size === "dense"
      || (this.choices.size === "auto" && this.tiles.size > LARGE_TABLES_MAX);
    document.body.classList.toggle("dense", dense);
    this.none.hidden = shown.length > 0;
    put(this.none, this.tiles.size ? "No table fits this choice." : "No table was heard yet.");
  }

  tick() {
    for (const tile of this.tiles.values()) tile.tick();
  }

  mark(table) {
    for (const tile of this.tiles.values()) {
      const here = tile.summary.table === table;
      tile.node.classList.toggle("chosen", here);
      tile.button.setAttribute("aria-expanded", String(here));
    }
  }

  focus(table) {
    this.tiles.get(table)?.button.focus();
  }

  #move(node, before) {
    const held = node.contains(document.activeElement) ? document.activeElement : null;
    this.list.insertBefore(node, before);
    held?.focus({ preventScroll: true });
  }

  #isWanted(tile) {
    const { find, show } = this.choices;
    const one = tile.summary;
    if (find && !`${one.table} ${one.game}`.toLowerCase().includes(find.toLowerCase())) return false;
    if (show === "asks") return one.severity >= 2;
    if (show === "unheard") return one.stale;
    return true;
  }

  #compare(one, other) {
    if (this.choices.order === "trouble" && one.severity !== other.severity) {
      return other.severity - one.severity;
    }
    return byName(one.table, other.table);
  }

  #walk(event) {
    const buttons = [...this.list.querySelectorAll(".open")];
    const at = buttons.indexOf(document.activeElement);
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const columns = getComputedStyle(this.list).gridTemplateColumns.split(" ").length;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
    let to = steps[event.key] === undefined ? -1 : at + steps[event.key];
    if (event.key === "Home") to = 0;
    if (event.key === "End") to = buttons.length - 1;
    if (to >= 0 && to < buttons.length) {
      event.preventDefault();
      buttons[to].focus();
    }
  }
}

class Tile {
  constructor(table, open) {
    this.node = make("li", "tile");
    this.node.dataset.table = table;
    const title = make("h3");
    this.button = make("button", "open", table);
    this.button.type = "button";
    this.button.setAttribute("aria-expanded", "false");
    this.button.setAttribute("aria-controls", "detail");
    this.button.addEventListener("click", () => open(table));
    title.append(this.button);
    this.standing = make("p", "standing");
    this.shape = drawing(shapeOf(0));
    this.word = make("span");
    this.standing.append(this.shape, this.word);
    this.where = make("p", "where");
    this.round = make("span");
    this.game = make("span", "game");
    this.where.append(this.round, this.game);
    this.number = make("p", "number");
    this.digit = make("span", "digit");
    this.number.append(make("span", "unseen", "number "), this.digit);
    this.lamps = make("p", "lamps");
    this.lampNodes = {};
    for (const name of ["red", "amber", "green"]) this.#lamp(name);
    this.alarms = make("ul", "waiting");
    this.prompt = make("p", "prompt");
    this.locks = make("p", "locks");
    this.devices = make("p", "devices");
    this.concerns = make("p", "concerns");
    this.last = make("p", "last");
    const head = make("div", "head");
    head.append(title, this.standing);
    const body = make("div", "middle");
    const left = make("div");
    left.append(this.where, this.lamps);
    body.append(left, this.number);
    this.node.append(
      head, body, this.alarms, this.prompt, this.locks, this.devices, this.concerns, this.last,
    );
  }

  show(one) {
    this.summary = one;
    this.node.dataset.severity = one.severity;
    this.node.classList.toggle("stale", one.stale);
    redraw(this.shape, shapeOf(one.severity));
    put(this.word, plain(one.word));
    const round = one.round === null ? "" : `round ${one.round}`;
    const phase = one.word === one.phase ? "" : plain(one.phase);
    put(this.round, [round, phase].filter(Boolean).join(" · "));
    put(this.game, one.game ? ` ${plain(one.game)}` : "");
    put(this.digit, one.number || "–");
    this.digit.classList.toggle("none", !one.number);
    for (const [name, lamp] of Object.entries(this.lampNodes)) {
      const state = one.lamps[name] || "off";
      lamp.node.dataset.state = state;
      redraw(lamp.shape, lampPath(name, state));
      put(lamp.words, ` ${name} lamp ${state === "blink" ? "blinks" : state}`);
    }
    put(this.prompt, one.prompt ? `${plain(one.who)}: ${one.prompt}` : "");
    const locks = one.locks.slice(0, LOCKS_SHOWN_MAX).map(([step]) => step);
    const rules = [...new Set(one.locks.flatMap(([, cited]) => cited))];
    const more = one.locks.length > LOCKS_SHOWN_MAX ? ` +${one.locks.length - LOCKS_SHOWN_MAX}` : "";
    const cited = rules.length ? ` [${section(rules[0])}${rules.length > 1 ? ` +${rules.length - 1}` : ""}]` : "";
    put(this.locks, locks.length ? `locked: ${locks.join(", ")}${more}${cited}` : "");
    const wrong = one.devices.filter(([, word]) => word !== "ok");
    put(this.devices, one.devices.length === 0 ? "" : wrong.length === 0
      ? "devices ok" : wrong.map(([name, word]) => `${name} ${word}`).join(", "));
    this.devices.classList.toggle("wrong", wrong.length > 0);
    put(this.concerns, one.concerns.join(", "));
    this.#waiting(one.alarms);
    this.tick();
  }

  tick() {
    const one = this.summary;
    if (one.stale) put(this.last, one.heard_ms ? `last heard ${age(one.heard_ms)} ago` : "not heard since this page's server began");
    else put(this.last, one.last ? `${plain(one.last.type)}, ${age(one.last.time)} ago` : "");
    for (const node of this.alarms.children) {
      if (node.dataset.since) put(node.lastChild, age(node.dataset.since));
    }
  }

  #lamp(name) {
    const node = make("span", `lamp ${name}`);
    const shape = drawing(lampPath(name, "off"));
    const letter = make("span", "letter", LAMP_LETTERS[name]);
    letter.setAttribute("aria-hidden", "true");
    const words = make("span", "unseen");
    node.append(shape, letter, words);
    this.lamps.append(node);
    this.lampNodes[name] = { node, shape, words };
  }

  #waiting(alarms) {
    const key = alarms.map((one) => `${one.alarm} ${one.severity} ${one.by} ${one.code}`).join("|");
    if (key === this.alarmKey) return;
    this.alarmKey = key;
    const lines = alarms.slice(0, ALARMS_SHOWN_MAX).map((one) => {
      const line = make("li", one.by ? "done" : "");
      line.dataset.severity = one.severity;
      line.dataset.since = one.since;
      const code = `${one.severity} ${cause(one.code)}${one.by ? " (seen)" : ""}`;
      line.append(drawing(shapeOf(one.severity)), make("span", "code", code), make("span", "age"));
      return line;
    });
    if (alarms.length > ALARMS_SHOWN_MAX) {
      lines.push(make("li", "more", `and ${alarms.length - ALARMS_SHOWN_MAX} more`));
    }
    this.alarms.replaceChildren(...lines);
  }
}

export const severityCount = (tiles, least) =>
  [...tiles.values()].filter((tile) => tile.summary.severity >= least).length;
