// The open alarms of all tables, the worst first, each with its age and its acknowledgement.

import { FLOOR_ACTS, SEVERITIES, age, byName, drawing, make, plain, put, shapeOf } from "./words.js";

const ANSWERS = {
  accepted: "acknowledged",
  refused: "refused",
  busy: "the table is busy",
  unsent: "not sent",
  unanswered: "no answer",
};

export async function acknowledge(table, alarm) {
  try {
    const answer = await fetch("/acknowledge", {
      method: "POST",
      headers: { "content-type": "application/json", "x-table-monitor": "1" },
      body: JSON.stringify({ table, alarm }),
    });
    if (answer.status === 401) location.assign("/enter");
    return await answer.json();
  } catch {
    return { result: "unsent", reason: "the monitor's server does not answer", rule: "" };
  }
}

export function answerInWords(answer) {
  const words = ANSWERS[answer.result] ?? String(answer.result);
  const reason = answer.reason ? `: ${answer.reason}` : "";
  return `${words}${reason}${answer.rule ? ` [${answer.rule}]` : ""}`;
}

export class Alarms {
  constructor({ list, none, count, title }, speak, open) {
    this.list = list;
    this.none = none;
    this.count = count;
    this.title = title;
    this.speak = speak;
    this.open = open;
    this.rows = new Map();
    this.principal = null;
  }

  // Gives back the alarms of this table that were not there before.
  take(summary) {
    const fresh = [];
    const still = new Set();
    for (const one of summary.alarms) {
      const key = `${summary.table} ${one.alarm}`;
      still.add(key);
      let row = this.rows.get(key);
      if (row === undefined) {
        row = new Row(summary.table, one.alarm, this);
        this.rows.set(key, row);
        if (!one.by) fresh.push({ table: summary.table, ...one });
      }
      row.show(one, summary.stale);
    }
    this.#dropAllBut(summary.table, still);
    return fresh;
  }

  drop(table) {
    this.#dropAllBut(table, new Set());
  }

  arrange() {
    const rows = [...this.rows.values()].sort((one, other) =>
      Boolean(one.alarm.by) - Boolean(other.alarm.by)
      || other.alarm.severity - one.alarm.severity
      || byName(one.alarm.since, other.alarm.since)
      || byName(one.table, other.table));
    let at = this.list.firstElementChild;
    for (const row of rows) {
      if (row.node === at) at = at.nextElementSibling;
      else {
        const held = row.node.contains(document.activeElement) ? document.activeElement : null;
        this.list.insertBefore(row.node, at);
        held?.focus({ preventScroll: true });
      }
    }
    this.none.hidden = rows.length > 0;
    put(this.count, String(rows.filter((row) => !row.alarm.by).length));
  }

  tick() {
    for (const row of this.rows.values()) row.tick();
  }

  #dropAllBut(table, still) {
    for (const [key, row] of this.rows) {
      if (row.table !== table || still.has(key)) continue;
      // Whoever worked in the row that goes finds himself at the next one.
      if (row.node.contains(document.activeElement)) {
        const next = row.node.nextElementSibling ?? row.node.previousElementSibling;
        (next?.querySelector("button") ?? this.title.parentElement).focus();
      }
      row.node.remove();
      this.rows.delete(key);
    }
  }
}

class Row {
  constructor(table, alarm, alarms) {
    this.table = table;
    this.alarms = alarms;
    this.node = make("li", "alarm");
    this.node.dataset.alarm = `${table} ${alarm}`;
    const head = make("p", "head");
    this.shape = make("span", "mark");
    this.link = make("button", "open", table);
    this.link.type = "button";
    this.link.addEventListener("click", () => alarms.open(table));
    this.code = make("span", "code");
    this.age = make("span", "age");
    head.append(this.shape, this.link, this.code, this.age);
    this.text = make("p", "text");
    this.rule = make("p", "rule");
    this.answer = make("p", "answer");
    this.button = make("button", "acknowledge", "Acknowledge");
    this.button.type = "button";
    this.button.addEventListener("click", () => this.#acknowledge(alarm));
    this.node.append(head, this.text, this.rule, this.button, this.answer);
  }

  show(one, stale) {
    this.alarm = one;
    this.node.dataset.severity = one.severity;
    this.node.classList.toggle("done", Boolean(one.by));
    this.node.classList.toggle("stale", stale);
    if (this.drawn !== one.severity) {
      this.shape.replaceChildren(drawing(shapeOf(one.severity)));
      this.drawn = one.severity;
    }
    put(this.code, `${one.severity} ${SEVERITIES[one.severity]}`);
    const notes = [
      one.repeats ? `came ${one.repeats + 1} times` : "",
      one.chattering ? "chatters" : "",
      one.live ? "" : "cause is gone",
      one.by ? `acknowledged by ${one.by}` : "",
    ].filter(Boolean).join(", ");
    put(this.text, `${one.alarm} ${plain(one.code)}: ${one.text}${notes ? ` (${notes})` : ""}`);
    put(this.rule, one.rule);
    this.button.hidden = Boolean(one.by) || this.alarms.principal === null;
    this.button.setAttribute("aria-label", `Acknowledge ${one.alarm} at table ${this.table}: ${plain(one.code)}`);
    this.tick();
  }

  tick() {
    put(this.age, age(this.alarm.since));
  }

  async #acknowledge(alarm) {
    if (this.button.getAttribute("aria-disabled") === "true") return;
    // Not `disabled`: the button would lose the focus.
    this.button.setAttribute("aria-disabled", "true");
    put(this.answer, "sent …");
    const answer = await acknowledge(this.table, alarm);
    this.button.setAttribute("aria-disabled", "false");
    const words = answerInWords(answer);
    put(this.answer, words);
    this.answer.dataset.result = answer.result;
    this.alarms.speak(`Table ${this.table}, alarm ${alarm}: ${words}`, answer.result !== "accepted");
  }
}

export const asksForFloor = (alarm) => alarm.severity >= FLOOR_ACTS;
