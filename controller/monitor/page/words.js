// Words, shapes and nodes that all parts of the page share. Texts only ever become text nodes.

export const SEVERITIES = ["info", "notice", "dealer acts", "floor acts", "integrity", "tamper"];
export const FLOOR_ACTS = 3;

const SVG = "http://www.w3.org/2000/svg";
// A severity has its own outline, so that it is told without colour and from afar.
const SHAPES = [
  "M8 4a4 4 0 1 1 0 8a4 4 0 1 1 0-8zm0 2a2 2 0 1 0 0 4a2 2 0 1 0 0-4z",
  "M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12z",
  "M8 1.5 15.5 15H.5z",
  "M8 0 16 8 8 16 0 8z",
  "M1 1h14v14H1zm6 2v6h2V3zm0 8v2h2v-2z",
  "M3 0 8 5 13 0 16 3 11 8 16 13 13 16 8 11 3 16 0 13 5 8 0 3z",
];
const LAMPS = {
  red: ["M1 1h14v14H1z", "M1 1h14v14H1zm2 2v10h10V3z"],
  amber: ["M8 1 15.5 15H.5z", "M8 1 15.5 15H.5zm0 4.2L3.7 13h8.6z"],
  green: [
    "M8 1a7 7 0 1 1 0 14a7 7 0 1 1 0-14z",
    "M8 1a7 7 0 1 1 0 14a7 7 0 1 1 0-14zm0 2a5 5 0 1 0 0 10a5 5 0 1 0 0-10z",
  ],
};

export function make(tag, name = "", text = "") {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text) node.textContent = text;
  return node;
}

// Writes only what is new: a screen reader's place and a selection stay where they are.
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function drawing(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("shape");
  const drawn = document.createElementNS(SVG, "path");
  drawn.setAttribute("d", path);
  drawn.setAttribute("fill-rule", "evenodd");
  svg.append(drawn);
  return svg;
}

export function redraw(svg, path) {
  const drawn = svg.firstChild;
  if (drawn.getAttribute("d") !== path) drawn.setAttribute("d", path);
}

export const shapeOf = (severity) => SHAPES[severity] ?? SHAPES[0];

export function lampPath(name, state) {
  return LAMPS[name][state === "on" || state === "blink" ? 0 : 1];
}

export function svgNode(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

// The monitor's clock counts, not the browser's: `skew.ms` is what to add.
export const skew = { ms: 0 };
export const now = () => Date.now() + skew.ms;

export function age(since) {
  const began = typeof since === "number" ? since : Date.parse(since);
  if (!Number.isFinite(began)) return "?";
  const seconds = Math.max(0, Math.floor((now() - began) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} days`;
}

// On a tile there is room for the section and the cause alone; the lists have the whole.
export const section = (rule) => rule.replace(/^58 Pa\. Code /, "");
export const cause = (code) => plain(code.replace(/^irregularity\./, ""));

export const plain = (text) => String(text).replaceAll("_", " ");

const natural = new Intl.Collator("en", { numeric: true });
export const byName = (one, other) => natural.compare(one, other);
