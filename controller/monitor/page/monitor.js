// Joins the stream of the server to the parts of the page.

import { Alarms, asksForFloor } from "./alarms.js";
import { Detail } from "./detail.js";
import { Tiles, severityCount } from "./tiles.js";
import { FLOOR_ACTS, SEVERITIES, drawing, make, now, plain, put, shapeOf, skew } from "./words.js";

// So many beats of the server may be missed before the page calls itself blind.
const BEATS_MISSED_MAX = 3;
// Alarms that come together are read out together; more than a few are counted.
const READ_OUT_MAX = 3;
const READ_OUT_GATHER_MS = 700;
const RETRY_MS = 2000;
const CHOICES = ["find", "show", "order", "size"];

const at = (id) => document.getElementById(id);
const polite = at("polite");
const assertive = at("assertive");
const blind = at("blind");

let heard = Date.now();
let beat = 5000;
let brokerUp = true;
let fresh = [];
let reading = null;
// What was open before the page looked is no news; the first news after a hello name every table.
let begun = false;

const speak = (text, failed = false) => {
  put(polite, text);
  polite.classList.toggle("failed", failed);
};
const tiles = new Tiles(at("tiles"), at("tables-none"), open);
const alarms = new Alarms(
  { list: at("alarm-list"), none: at("alarms-none"), count: at("alarms-count"), title: at("alarms-title") },
  speak,
  open,
);
const detail = new Detail(at("detail"), (table) => {
  tiles.mark(null);
  remember();
  tiles.focus(table);
});

function open(table) {
  detail.open(table);
  tiles.mark(table);
  remember();
}

function take(news) {
  skew.ms = news.now - Date.now();
  heard = Date.now();
  brokerUp = news.broker;
  const told = new Set(news.tables.map((one) => one.table));
  const gone = begun ? news.gone : [...tiles.tiles.keys()].filter((table) => !told.has(table));
  for (const table of gone) {
    tiles.drop(table);
    alarms.drop(table);
  }
  for (const summary of news.tables) {
    tiles.take(summary);
    fresh.push(...alarms.take(summary));
    if (summary.table === detail.table) detail.refresh();
  }
  tiles.mark(detail.table);
  tiles.arrange();
  alarms.arrange();
  count();
  sight();
  if (begun) readOut();
  else fresh = [];
  begun = true;
}

function readOut() {
  if (!fresh.length || reading !== null) return;
  reading = setTimeout(() => {
    reading = null;
    const urgent = fresh.filter(asksForFloor);
    const rest = fresh.filter((one) => !asksForFloor(one));
    fresh = [];
    if (urgent.length) put(assertive, inWords(urgent));
    if (rest.length) speak(inWords(rest));
  }, READ_OUT_GATHER_MS);
}

function inWords(list) {
  const told = list.slice(0, READ_OUT_MAX).map((one) =>
    `Table ${one.table}: alarm ${one.alarm}, ${SEVERITIES[one.severity]}, ${plain(one.code)}. ${one.text}`);
  if (list.length > READ_OUT_MAX) told.push(`and ${list.length - READ_OUT_MAX} more alarms`);
  return told.join(" ");
}

function count() {
  const all = tiles.tiles.size;
  const asks = severityCount(tiles.tiles, FLOOR_ACTS);
  const unheard = [...tiles.tiles.values()].filter((tile) => tile.summary.stale).length;
  put(at("counts"), `${all} tables, ${asks} need the floor, ${unheard} not heard`);
  document.title = asks ? `(${asks}) Tables` : "Tables";
}

// Says in one line why what is shown may be old.
function sight() {
  let words = "";
  if (Date.now() - heard > BEATS_MISSED_MAX * beat) {
    words = `No connection to the monitor's server: all below is of ${timeOf(heard + skew.ms)}.`;
  } else if (!brokerUp) {
    words = "The broker is away: nothing below is of now.";
  }
  put(blind, words);
  blind.hidden = !words;
  document.body.classList.toggle("is-blind", Boolean(words));
}

const timeOf = (ms) => new Date(ms).toLocaleTimeString("en-GB");

function listen() {
  const stream = new EventSource("/stream");
  stream.addEventListener("hello", (event) => {
    const hello = JSON.parse(event.data);
    heard = Date.now();
    beat = hello.beat_s * 1000;
    begun = false;
    alarms.principal = hello.principal;
    put(at("who"), hello.principal === null ? "looks on only" : `acknowledges as ${hello.principal}`);
  });
  stream.addEventListener("news", (event) => take(JSON.parse(event.data)));
  stream.addEventListener("beat", (event) => {
    skew.ms = JSON.parse(event.data).now - Date.now();
    heard = Date.now();
    sight();
  });
  stream.addEventListener("error", () => {
    // Otherwise the browser tries again by itself.
    if (stream.readyState !== EventSource.CLOSED) return;
    fetch("/tables/-").then((answer) => {
      if (answer.status === 401) location.assign("/enter");
    }, () => {}).finally(() => setTimeout(listen, RETRY_MS));
  });
}

function remember() {
  const said = new URLSearchParams();
  for (const name of CHOICES) {
    if (tiles.choices[name] && at(name).value !== at(name).options?.[0].value) {
      said.set(name, tiles.choices[name]);
    }
  }
  if (detail.table !== null) said.set("table", detail.table);
  history.replaceState(null, "", said.size ? `?${said}` : location.pathname);
}

function choose() {
  const said = new URLSearchParams(location.search);
  for (const name of CHOICES) {
    const field = at(name);
    if (said.has(name)) field.value = said.get(name);
    if (field.value === "" && field.options) field.selectedIndex = 0;
    tiles.choices[name] = field.value;
    field.addEventListener("input", () => {
      tiles.choices[name] = field.value;
      tiles.arrange();
      remember();
    });
  }
  at("choices").addEventListener("submit", (event) => event.preventDefault());
  if (said.has("table")) open(said.get("table"));
}

SEVERITIES.forEach((word, severity) => {
  const entry = make("span", "entry");
  entry.dataset.severity = severity;
  entry.append(drawing(shapeOf(severity)), make("span", "", `${severity} ${word}`));
  at("legend").append(entry, " ");
});
setInterval(() => {
  put(at("clock"), timeOf(now()));
  tiles.tick();
  alarms.tick();
  detail.tick();
  sight();
}, 1000);
choose();
listen();
