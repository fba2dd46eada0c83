// What the page knows. In: the JSON in index.html and the .js files beside it. Out: memes by number.
//
// Of a small set all memes are held. Of a large one (`about.large`) a file is read when its memes
// come into sight or are searched, and only those of `HELD` files stay.
//
// A meme is [id, template, cells]; a cell is 0 (no picture; so are those after the last cell) or
// [text, kinds of findings as a bit mask, width, height, least size relative to the source, path or 0].

const about = JSON.parse(document.getElementById("about").textContent);
const memes = new Array(about.memes);
const details = new Map();
const listeners = [];
let loadedMemes = 0;
const HELD = 60;
const held = new Set();

const [TEXT, MASK, WIDTH, HEIGHT, RELATIVE, PATH] = [0, 1, 2, 3, 4, 5];
const [ID, TEMPLATE, CELLS] = [0, 1, 2];

const chunkOf = (meme) => Math.floor(meme / about.chunk);

function take(chunk, rows) {
  const start = chunk * about.chunk;
  rows.forEach((row, i) => { memes[start + i] = row; });
  loadedMemes += rows.length;
  if (about.large) keepFew(chunk);
  listeners.forEach((listener) => listener());
}

// Lets go of the memes that were read longest ago, but for the first ones and those in sight.
function keepFew(latest) {
  held.add(latest);
  const seen = new Set([0, latest, ...inSight().map(chunkOf)]);
  for (const chunk of held) {
    if (held.size <= HELD) break;
    if (seen.has(chunk)) continue;
    held.delete(chunk);
    const start = chunk * about.chunk;
    const end = Math.min(start + about.chunk, about.memes);
    memes.fill(undefined, start, end);
    loadedMemes -= end - start;
    details.delete(chunk);
    for (const file of [about.rows[chunk], about.proofs[chunk]]) requested.delete(file);
  }
}

// Data files call these two; nothing else of the page is global.
window.memelocRows = take;
window.memelocProofs = (chunk, rows) => details.set(chunk, rows);

const requested = new Map();

function load(file) {
  if (!requested.has(file)) {
    requested.set(file, new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = `.memeloc/page/${file}`;
      script.onload = () => { if (about.large) script.remove(); resolve(true); };
      script.onerror = () => resolve(false);
      document.head.append(script);
    }).then((ok) => {
      if (!ok) say(`${file} beside this page is missing; write the page again`);
      return ok;
    }));
  }
  return requested.get(file);
}

const loadRows = (chunk) => (chunk === 0 ? Promise.resolve(true) : load(about.rows[chunk]));

async function loadDetail(meme) {
  const chunk = chunkOf(meme);
  await load(about.proofs[chunk]);
  return details.get(chunk)?.[meme % about.chunk];
}

// The chunk under the reader's eyes first, then the rest in order, one at a time.
async function loadAll() {
  for (let chunk = 1; chunk < about.rows.length; chunk += 1) await loadRows(chunk);
}

function pathOf(meme, language) {
  const cell = memes[meme][CELLS][language];
  const path = cell[PATH] || [about.languages[language].language, about.templates[memes[meme][TEMPLATE]].name,
    `${memes[meme][ID]}.${about.suffix}`].join("/");
  return path.split("/").map(encodeURIComponent).join("/");
}

// The caption's own words, for readers that do not see the picture.
const partsOf = (text) => text.split(/(?:^|\s)\/\/(?=\s|$)/).map((part) => part.trim());
const altOf = (text) => partsOf(text).filter(Boolean).join(" ");

const PROBLEMS = ["fault", "warning"];
const kindsIn = (mask) => about.kinds.filter((_, bit) => mask & (1 << bit));
const maskOf = (...grades) => about.kinds.reduce((mask, kind, bit) => mask | (grades.includes(kind.grade) << bit), 0);

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name === "onclick") node.addEventListener("click", value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}

const byId = (id) => document.getElementById(id);
const number = (value, digits = 0) => value.toLocaleString("en", { maximumFractionDigits: digits });
const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;
function say(sentence) { byId("status").textContent = sentence; }
