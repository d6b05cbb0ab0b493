// One table in full: how it stands, what is locked by which paragraph, devices, health, timeline.

import { SEVERITIES, age, drawing, make, now, plain, put, shapeOf, svgNode } from "./words.js";

const LANES = SEVERITIES.length;
const STRIP = { width: 600, lane: 20, mark: 12, left: 120 };
const LINES_SHOWN_MAX = 200;

export class Detail {
  constructor(section, closed) {
    this.section = section;
    this.closed = closed;
    this.table = null;
    this.busy = false;
    this.again = false;
    this.#build();
    section.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  open(table) {
    this.table = table;
    this.section.hidden = false;
    put(this.title, `Table ${table}`);
    this.timeline.replaceChildren();
    this.shown = new Map();
    document.body.classList.add("has-detail");
    this.refresh();
    this.section.focus();
  }

  close() {
    const table = this.table;
    this.table = null;
    this.section.hidden = true;
    document.body.classList.remove("has-detail");
    if (table !== null) this.closed(table);
  }

  // One question at a time: news that come while it is asked are asked for once more.
  async refresh() {
    if (this.table === null) return;
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    const table = this.table;
    try {
      const answer = await fetch(`/tables/${encodeURIComponent(table)}`);
      if (answer.status === 401) location.assign("/enter");
      const one = await answer.json();
      if (answer.ok && table === this.table) this.#show(one);
    } catch {
      // The stream says that the server is away; it asks again when it is back.
    } finally {
      this.busy = false;
    }
    if (this.again) {
      this.again = false;
      setTimeout(() => this.refresh(), 200);
    }
  }

  tick() {
    if (this.one) put(this.since, this.one.since ? `for ${age(this.one.since)}` : "");
  }

  #build() {
    const head = make("div", "head");
    this.title = make("h2");
    this.title.id = "detail-title";
    const close = make("button", "close", "Close");
    close.type = "button";
    close.addEventListener("click", () => this.close());
    head.append(this.title, close);
    this.standing = make("p", "standing");
    this.prompt = make("p", "prompt");
    this.since = make("p", "since");
    this.number = make("p", "number");
    const part = (name, node) => {
      const section = make("section");
      section.append(make("h3", "", name), node);
      return section;
    };
    this.locks = make("dl");
    this.holds = make("dl");
    this.devices = make("div", "devices");
    this.health = make("dl");
    this.people = make("dl");
    this.timeline = make("ol", "timeline");
    this.strip = svgNode("svg", { role: "img", class: "strip" });
    const line = make("div");
    line.append(this.strip, this.timeline);
    this.section.append(
      head, this.standing, this.prompt, this.since, this.number,
      part("Locks", this.locks), part("Holds and void", this.holds), part("Timeline", line),
      part("Devices", this.devices), part("Round and methods", this.people),
      part("Health", this.health),
    );
  }

  #show(one) {
    this.one = one;
    const word = plain(one.word);
    this.section.dataset.severity = one.severity;
    this.section.classList.toggle("stale", one.stale);
    const standing = `${word} · ${SEVERITIES[one.severity]}`;
    if (this.standing.textContent !== standing) {
      this.standing.replaceChildren(drawing(shapeOf(one.severity)), make("span", "", standing));
    }
    put(this.prompt, one.prompt ? `${plain(one.who)}: ${one.prompt}${one.rule ? ` [${one.rule}]` : ""}` : "");
    const how = one.start.map(([name, value]) => `${plain(name)} ${value}`).join(", ");
    put(this.number, one.number ? `Number ${one.number}${how ? ` (${how})` : ""}` : "No number is shown");
    const locks = new Map();
    for (const [step, rules] of one.locks) {
      const cited = rules.join("; ");
      locks.set(cited, [...(locks.get(cited) ?? []), step]);
    }
    const grouped = [...locks].map(([cited, steps]) => [steps.join(", "), cited]);
    pairs(this.locks, grouped, "nothing is locked");
    const stops = [...one.holds, one.void].flat().map(([name, value]) => [plain(name), value]);
    pairs(this.holds, stops, "none");
    this.#showDevices(one.things);
    pairs(this.people, [
      ["game", plain(one.game)], ["phase", plain(one.phase)], ["round", one.round ?? "–"],
      ["dealer", one.dealer || "nobody"], ...one.methods, ...one.load,
    ], "");
    const concerns = one.concerns.map((text) => ["look at", text]);
    pairs(this.health, [...concerns, ...one.health, ...one.status], "not reported yet");
    this.#showEvents(one.events);
    this.#showStrip(one.events);
    this.tick();
  }

  #showDevices(things) {
    const nodes = things.map((thing) => {
      const node = make("section");
      const list = make("dl");
      pairs(list, thing.members, "nothing is known");
      node.append(make("h4", "", thing.name), list);
      return node;
    });
    const key = JSON.stringify(things);
    if (key !== this.devicesKey) this.devices.replaceChildren(...nodes);
    this.devicesKey = key;
  }

  #showEvents(events) {
    const latest = events.slice(-LINES_SHOWN_MAX);
    const keys = new Set(latest.map((one) => `${one.sequence} ${one.time}`));
    for (const [key, node] of this.shown) {
      if (!keys.has(key)) {
        node.remove();
        this.shown.delete(key);
      }
    }
    for (const one of latest) {
      const key = `${one.sequence} ${one.time}`;
      if (this.shown.has(key)) continue;
      const node = eventLine(one);
      this.shown.set(key, node);
      this.timeline.prepend(node);
    }
  }

  #showStrip(events) {
    const height = STRIP.lane * LANES;
    this.strip.setAttribute("viewBox", `0 0 ${STRIP.width} ${height}`);
    const times = events.map((one) => Date.parse(one.time)).filter(Number.isFinite);
    const from = Math.min(...times, now() - 60000);
    const span = Math.max(1, now() - from);
    this.strip.setAttribute("aria-label",
      `${events.length} events of the last ${age(from)} by severity; the list below has each`);
    const nodes = SEVERITIES.map((word, severity) => {
      const y = (LANES - 1 - severity) * STRIP.lane;
      const label = svgNode("text", { x: 0, y: y + 15 });
      label.textContent = `${severity} ${word}`;
      return [svgNode("line", { x1: STRIP.left, x2: STRIP.width, y1: y + 10, y2: y + 10 }), label];
    }).flat();
    const room = STRIP.width - STRIP.left - STRIP.mark;
    for (const one of events) {
      const at = Date.parse(one.time);
      if (!Number.isFinite(at)) continue;
      const x = STRIP.left + room * Math.max(0, Math.min(1, (at - from) / span));
      const y = (LANES - 1 - one.severity) * STRIP.lane + (STRIP.lane - STRIP.mark) / 2;
      const scale = STRIP.mark / 16;
      nodes.push(svgNode("path", {
        d: shapeOf(one.severity), class: `s${one.severity}`, "fill-rule": "evenodd",
        transform: `translate(${x.toFixed(1)} ${y}) scale(${scale})`,
      }));
    }
    this.strip.replaceChildren(...nodes);
  }
}

function eventLine(one) {
  const node = make("li");
  node.dataset.severity = one.severity;
  const head = make("p", "head");
  const time = make("time", "", one.time.slice(11, 19));
  time.dateTime = one.time;
  head.append(drawing(shapeOf(one.severity)), time, make("span", "type", one.type));
  head.append(make("span", "unseen", ` severity ${one.severity}, ${SEVERITIES[one.severity]}`));
  const data = one.data.map(([name, value]) => `${name}=${value}`).join(" ");
  const tail = [data, one.by ? `by ${one.by}` : "", one.rule ? `[${one.rule}]` : ""];
  node.append(head, make("p", "data", tail.filter(Boolean).join(" ")));
  return node;
}

function pairs(list, entries, none) {
  const key = JSON.stringify(entries);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const rows = entries.map(([name, value]) => {
    const row = make("div");
    row.append(make("dt", "", plain(name)), make("dd", "", String(value)));
    return row;
  });
  if (!rows.length && none) {
    const row = make("div");
    row.append(make("dt", "unseen", "state"), make("dd", "", none));
    rows.push(row);
  }
  list.replaceChildren(...rows);
}
