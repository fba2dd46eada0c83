// Search, filter, order. In: the state of the tools. Out: `shown`, the meme numbers in the grid's order.
//
// A large set is searched file by file; what matches is shown as it is found, and each new search
// ends the one before.

const KEPT = ["query", "template", "problem", "order", "earlier"];
const state = { query: "", template: "", problem: "", order: "", earlier: "", hidden: new Set() };
let shown = [];
let columns = [];
const folded = new Map();

// Case, width and the marks that people leave out when they type: Latin diacritics, Arabic and
// Hebrew vowel points, the Arabic lengthening stroke.
function fold(text) {
  return text.normalize("NFKD").toLowerCase()
    .replace(/[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670]/g, "").normalize("NFC");
}

function haystack(meme) {
  let text = folded.get(meme);
  if (text === undefined) {
    const [id, template, cells] = memes[meme];
    text = fold([id, about.templates[template].name, ...cells.map((cell) => (cell ? cell[TEXT] : ""))].join("\n"));
    if (!about.large) folded.set(meme, text);
  }
  return text;
}

function problemMask() {
  if (!state.problem) return 0;
  if (state.problem === "any") return maskOf(...PROBLEMS);
  return maskOf(state.problem) || 1 << about.kinds.findIndex((kind) => kind.name === state.problem);
}

// Lower is worse: kinds stand worst first, so the lowest bit set is the worst one.
function worst(meme) {
  let mask = 0;
  let count = 0;
  for (const column of columns) {
    const cell = memes[meme][CELLS][column];
    if (cell && cell[MASK]) { mask |= cell[MASK]; count += 1; }
  }
  return mask ? Math.log2(mask & -mask) - count / 1000 : 99;
}

function sizeSpread(meme) {
  let low = 1;
  let high = 1;
  for (const column of columns) {
    const cell = memes[meme][CELLS][column];
    if (cell && cell[RELATIVE]) { low = Math.min(low, cell[RELATIVE]); high = Math.max(high, cell[RELATIVE]); }
  }
  return -high / low;
}

function find() {
  // Memes of earlier runs that the table has no longer stand last, and are a view of their own.
  const [first, end] = state.earlier ? [about.in_table, about.memes] : [0, about.in_table];
  const inView = state.earlier ? "earlier" : "pictures";
  columns = about.languages.map((_, i) => i)
    .filter((i) => about.languages[i][inView] && !state.hidden.has(about.languages[i].language));
  const terms = fold(state.query).split(/\s+/).filter(Boolean);
  const mask = problemMask();
  const template = about.templates.findIndex((t) => t.name === state.template);
  const which = state.earlier ? " of earlier runs that the table has no longer" : "";
  const total = `${plural(end - first, "meme", "memes")}${which}`;
  const key = { worst, size: sizeSpread }[state.order];
  const keys = new Map();
  const matches = [];
  const look = (from, to) => {
    for (let meme = from; meme < to; meme += 1) {
      if (!memes[meme]) continue;
      if (template >= 0 && memes[meme][TEMPLATE] !== template) continue;
      if (mask && !columns.some((c) => memes[meme][CELLS][c] && memes[meme][CELLS][c][MASK] & mask)) continue;
      if (terms.length && !terms.every((term) => haystack(meme).includes(term))) continue;
      matches.push(meme);
      if (key) keys.set(meme, key(meme));
    }
  };
  const show = (left) => {
    shown = key ? [...matches].sort((a, b) => keys.get(a) - keys.get(b) || a - b) : matches;
    say(`${number(matches.length)} of ${total}${left ? `, ${number(left)} still to read` : ""}`);
  };
  searches += 1;
  unread = 0;
  if (!terms.length && !mask && template < 0 && !key) {
    shown = Array.from({ length: end - first }, (_, i) => first + i);
    say(total);
  } else if (about.large) {
    unread = end - first;
    show(unread);
    lookThrough(first, end, mask, look, show);
  } else {
    look(first, end);
    show(about.memes - loadedMemes);
  }
}

let searches = 0;
let unread = 0; // memes that the search under way has not looked at

async function lookThrough(first, end, mask, look, show) {
  const search = searches;
  let next = 0;
  for (let chunk = chunkOf(first); chunk * about.chunk < end; chunk += 1) {
    const from = Math.max(first, chunk * about.chunk);
    const to = Math.min(end, (chunk + 1) * about.chunk);
    if (!mask || about.masks[chunk] & mask) {
      if (!memes[from]) await loadRows(chunk);
      if (search !== searches) return;
      look(from, to);
    }
    unread = end - to;
    if (unread && performance.now() > next) {
      show(unread);
      redraw(true);
      next = performance.now() + 500;
    }
  }
  show(0);
  redraw(true);
}

function remember() {
  const fields = new URLSearchParams();
  for (const name of KEPT) if (state[name]) fields.set(name, state[name]);
  if (state.hidden.size) fields.set("without", [...state.hidden].join(","));
  try { history.replaceState(null, "", `#${fields}`); } catch { /* some browsers refuse this from disk */ }
}

function recall() {
  const fields = new URLSearchParams(location.hash.slice(1));
  for (const name of KEPT) state[name] = fields.get(name) || "";
  if (about.in_table === about.memes) state.earlier = "";
  const languages = new Set(about.languages.map((l) => l.language));
  state.hidden = new Set((fields.get("without") || "").split(",").filter((tag) => languages.has(tag)));
  if (state.hidden.size === about.languages.length) state.hidden.clear();
}
