// The grid. In: `shown` and `columns`. Out: only the rows near the window, as elements; each row has
// the same height, so a row's place is its number times that height.

const scroller = byId("scroller");
const body = byId("body");
const SIZES = [96, 140, 200, 280, 400];
const mounted = new Map();
const active = { row: 0, column: 0 };
let rowHeight = 300;
// No element may be as high as a million rows: a part of them is laid out at a time.
const PART = 10000;
let begin = 0; // the first row of the part that is laid out
let showCaptions = true;
let pending = false;

const narrow = () => window.matchMedia("(max-width: 640px)").matches;

function measure() {
  const size = Math.min(SIZES[byId("zoom").value], narrow() ? 340 : 400);
  const grid = byId("grid");
  const side = narrow() ? 0 : 148;
  rowHeight = size + 22 + (showCaptions ? 46 : 0) + (narrow() ? 30 : 0);
  grid.style.setProperty("--size", `${size}px`);
  grid.style.setProperty("--side", `${side}px`);
  grid.style.setProperty("--row", `${rowHeight}px`);
  grid.style.setProperty("--columns", columns.length);
  grid.classList.toggle("with-captions", showCaptions);
}

function drawHeads() {
  const heads = columns.map((column, at) => {
    const language = about.languages[column];
    return el("div", { role: "columnheader", class: "head", "aria-colindex": at + 2 },
      el("bdi", { lang: language.locale, class: "native" }, language.native),
      el("span", { class: "tag" }, language.language),
      language.problems ? el("span", { class: "count", title: plural(language.problems, "picture with a problem", "pictures with problems") }, number(language.problems)) : null);
  });
  byId("heads").replaceChildren(el("div", { role: "row", class: "row", "aria-rowindex": 1 },
    el("div", { role: "columnheader", class: "head corner", "aria-colindex": 1 }, "Meme"), ...heads));
}

function badges(mask) {
  return el("span", { class: "badges" }, ...kindsIn(mask).map((kind) =>
    el("span", { class: `badge ${kind.grade}` }, kind.name)));
}

function drawCell(meme, row, column, at) {
  const cell = memes[meme][CELLS][column];
  const language = about.languages[column];
  const node = el("div", { role: "gridcell", class: "cell", "aria-colindex": at + 2, tabindex: -1 });
  if (!cell) {
    node.classList.add("none");
    node.append(el("span", { class: "no-picture" }, "no picture"));
    return node;
  }
  const mask = problemMask();
  if (mask && !(cell[MASK] & mask)) node.classList.add("dim");
  node.append(el("div", { class: "frame" }, el("img", {
    src: pathOf(meme, column), width: cell[WIDTH], height: cell[HEIGHT], loading: "lazy", decoding: "async",
    draggable: "false", alt: altOf(cell[TEXT]), lang: language.locale,
  }), cell[MASK] ? badges(cell[MASK]) : null));
  if (showCaptions) {
    node.append(el("p", { class: "caption", lang: language.locale, dir: language.direction }, cell[TEXT]));
  }
  return node;
}

function drawRow(row) {
  const meme = shown[row];
  const node = el("div", { role: "row", class: "row", "aria-rowindex": row + 2, "data-row": row });
  node.style.transform = `translateY(${(row - begin) * rowHeight}px)`;
  if (!memes[meme]) {
    node.classList.add("waiting");
    node.append(el("div", { role: "rowheader", class: "side" }, "…"));
    loadRows(chunkOf(meme));
    return node;
  }
  node.append(el("div", { role: "rowheader", class: "side", "aria-colindex": 1 },
    el("b", { title: memes[meme][ID] }, memes[meme][ID]),
    el("span", { class: "template", title: about.templates[memes[meme][TEMPLATE]].name }, about.templates[memes[meme][TEMPLATE]].name)),
  ...columns.map((column, at) => drawCell(meme, row, column, at)));
  return node;
}

function markActive() {
  const cell = cellAt(active.row, active.column);
  for (const old of body.querySelectorAll("[tabindex='0']")) if (old !== cell) old.tabIndex = -1;
  if (cell) cell.tabIndex = 0;
}

const partEnd = () => Math.min(begin + PART, shown.length);
const inSight = () => [...mounted.keys()].map((row) => shown[row]).filter((meme) => meme !== undefined);
const cellAt = (row, column) => mounted.get(row)?.querySelectorAll(".cell")[column];

function draw() {
  pending = false;
  const top = scroller.scrollTop;
  const first = Math.max(begin, begin + Math.floor(top / rowHeight) - 2);
  const last = Math.min(partEnd() - 1, begin + Math.ceil((top + scroller.clientHeight) / rowHeight) + 2);
  const held = body.contains(document.activeElement) ? active.row : -1;
  for (const [row, node] of mounted) {
    if ((row < first || row > last) && row !== held) { node.remove(); mounted.delete(row); }
  }
  for (let row = first; row <= last; row += 1) {
    const old = mounted.get(row);
    if (old && !(old.classList.contains("waiting") && memes[shown[row]])) continue;
    const node = drawRow(row);
    mounted.set(row, node);
    if (old) { old.replaceWith(node); continue; }
    // Rows stand in the document in their order, for readers that do not look at the picture.
    let next = null;
    for (const [other, place] of mounted) if (other > row && (next === null || other < next[0]) && place.parentNode) next = [other, place];
    body.insertBefore(node, next ? next[1] : null);
  }
  markActive();
}

function redraw(keepPlace = false) {
  const place = scroller.scrollTop / rowHeight;
  measure();
  for (const node of mounted.values()) node.remove();
  mounted.clear();
  if (!keepPlace || begin >= shown.length) begin = 0;
  body.style.height = `${(partEnd() - begin) * rowHeight}px`;
  drawParts();
  byId("grid").setAttribute("aria-rowcount", shown.length + 1);
  byId("grid").setAttribute("aria-colcount", columns.length + 1);
  byId("empty").hidden = shown.length > 0 || (about.large ? unread > 0 : loadedMemes < about.memes);
  active.row = Math.max(0, Math.min(active.row, shown.length - 1));
  active.column = Math.max(0, Math.min(active.column, columns.length - 1));
  drawHeads();
  scroller.scrollTop = keepPlace ? place * rowHeight : 0;
  draw();
}

function drawParts() {
  byId("parts").hidden = shown.length <= PART;
  byId("parts-back").disabled = begin === 0;
  byId("parts-on").disabled = partEnd() === shown.length;
  byId("parts-place").textContent = `${number(begin + 1)} to ${number(partEnd())} of ${number(shown.length)}`;
  byId("parts-go").max = shown.length;
}

// Lays out the part that a row is in.
function showPart(row) {
  const part = Math.floor(row / PART) * PART;
  if (part === begin) return;
  begin = part;
  scroller.scrollTop = 0;
  redraw(true);
}

function later() {
  if (!pending) { pending = true; requestAnimationFrame(draw); }
}

function moveTo(row, column, focus = true) {
  if (!shown.length) return;
  active.row = Math.max(0, Math.min(row, shown.length - 1));
  active.column = Math.max(0, Math.min(column, columns.length - 1));
  showPart(active.row);
  if (!memes[shown[active.row]]) {
    const target = active.row;
    loadRows(chunkOf(shown[target])).then((ok) => { if (ok && active.row === target) moveTo(target, column, focus); });
  }
  const head = byId("heads").offsetHeight;
  const top = (active.row - begin) * rowHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + rowHeight > scroller.scrollTop + scroller.clientHeight - head) {
    scroller.scrollTop = top + rowHeight - scroller.clientHeight + head;
  }
  draw();
  const cell = cellAt(active.row, active.column);
  if (!cell) return;
  if (focus) cell.focus({ preventScroll: true });
  const box = cell.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  const side = narrow() ? 0 : 148;
  if (box.left < frame.left + side) scroller.scrollLeft -= frame.left + side - box.left;
  else if (box.right > frame.right) scroller.scrollLeft += box.right - frame.right;
}
