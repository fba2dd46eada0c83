// The tools, the keyboard, and the start.

function search() {
  find();
  remember();
  active.row = 0;
  redraw();
}

function fillTools() {
  byId("counts").replaceChildren(...[
    plural(about.in_table, "meme", "memes"), plural(about.pictures, "picture", "pictures"),
    plural(about.languages.filter((language) => language.pictures).length, "language", "languages"),
  ].map((text) => el("li", {}, text)),
  el("li", { class: about.flagged ? "bad" : "good" }, about.flagged ? `${plural(about.flagged, "picture", "pictures")} with problems` : "no problems"));
  byId("template").replaceChildren(el("option", { value: "" }, "All templates"),
    ...[...about.templates].sort((a, b) => (a.name < b.name ? -1 : 1)).map((t) => el("option", { value: t.name }, `${t.name} (${number(t.memes)})`)));
  byId("problem").replaceChildren(el("option", { value: "" }, "All pictures"),
    el("option", { value: "any", disabled: !about.flagged }, `Any problem (${number(about.flagged)})`),
    ...about.grades.map((grade) => el("optgroup", { label: `${grade.name}s` },
      el("option", { value: grade.name, disabled: !grade.pictures }, `All ${grade.name}s (${number(grade.pictures)})`),
      ...about.kinds.filter((kind) => kind.grade === grade.name).map((kind) =>
        el("option", { value: kind.name, disabled: !kind.pictures }, `${kind.name} (${number(kind.pictures)})`)))));
  for (const name of ["query", "template", "problem", "order"]) byId(name).value = state[name];
  byId("earlier").hidden = !about.earlier;
  byId("earlier").textContent = `Earlier runs (${number(about.earlier)})`;
  byId("earlier").title = `${plural(about.earlier, "picture", "pictures")} of earlier runs that the table has no longer`;
  byId("earlier").setAttribute("aria-pressed", String(Boolean(state.earlier)));
}

function fillLanguages() {
  byId("language-choices").replaceChildren(...about.languages.map((language) => {
    const box = el("input", { type: "checkbox", value: language.language });
    box.checked = !state.hidden.has(language.language);
    return el("label", {}, box, el("bdi", { lang: language.locale }, language.native),
      el("span", { class: "tag" }, language.name === language.native ? language.language : `${language.name} · ${language.language}`));
  }));
  const hidden = state.hidden.size;
  byId("languages-button").textContent = hidden ? `Languages ${about.languages.length - hidden}/${about.languages.length}` : "Languages";
}

function chooseLanguages(hidden) {
  if (hidden.size === about.languages.length) return fillLanguages();
  state.hidden = hidden;
  fillLanguages();
  find();
  remember();
  return redraw(true);
}

let typing = 0;
byId("query").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => { state.query = byId("query").value; search(); }, 80);
});
for (const name of ["template", "problem", "order"]) {
  byId(name).addEventListener("change", () => { state[name] = byId(name).value; search(); });
}
byId("tools").addEventListener("submit", (event) => event.preventDefault());
byId("clear").addEventListener("click", () => {
  for (const name of ["query", "template", "problem", "order"]) { state[name] = ""; byId(name).value = ""; }
  search();
});
byId("earlier").addEventListener("click", () => {
  state.earlier = state.earlier ? "" : "yes";
  fillTools();
  search();
});
byId("zoom").addEventListener("input", () => redraw(true));
byId("captions").addEventListener("click", () => {
  showCaptions = !showCaptions;
  byId("captions").setAttribute("aria-pressed", String(showCaptions));
  redraw(true);
});
byId("languages-button").addEventListener("click", () => byId("languages").showModal());
byId("language-choices").addEventListener("change", () => {
  const boxes = [...byId("language-choices").querySelectorAll("input")];
  chooseLanguages(new Set(boxes.filter((box) => !box.checked).map((box) => box.value)));
});
byId("languages-all").addEventListener("click", () => chooseLanguages(new Set()));
byId("help-button").addEventListener("click", () => byId("help").showModal());
for (const name of ["languages", "help"]) {
  byId(`${name}-done`).addEventListener("click", () => byId(name).close());
  byId(name).addEventListener("click", (event) => { if (event.target === byId(name)) byId(name).close(); });
}

const store = { get() { try { return localStorage.getItem("memeloc-theme"); } catch { return null; } },
  set(value) { try { localStorage.setItem("memeloc-theme", value); } catch { /* refused from disk */ } } };
byId("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  store.set(document.documentElement.dataset.theme);
});
if (["light", "dark"].includes(store.get())) document.documentElement.dataset.theme = store.get();

body.addEventListener("click", (event) => {
  const cell = event.target.closest(".cell");
  if (!cell) return;
  const row = cell.closest(".row");
  active.row = Number(row.dataset.row);
  active.column = [...row.querySelectorAll(".cell")].indexOf(cell);
  if (!cell.classList.contains("none")) openView();
});
body.addEventListener("focusin", (event) => {
  const cell = event.target.closest(".cell");
  if (!cell) return;
  active.row = Number(cell.closest(".row").dataset.row);
  active.column = [...cell.closest(".row").querySelectorAll(".cell")].indexOf(cell);
  markActive();
});

const page = () => Math.max(1, Math.floor(scroller.clientHeight / rowHeight) - 1);
const MOVES = {
  ArrowUp: () => [-1, 0], k: () => [-1, 0], ArrowDown: () => [1, 0], j: () => [1, 0],
  ArrowLeft: () => [0, -1], h: () => [0, -1], ArrowRight: () => [0, 1], l: () => [0, 1],
  PageUp: () => [-page(), 0], PageDown: () => [page(), 0],
  Home: (ctrl) => [ctrl ? -Infinity : 0, -Infinity], End: (ctrl) => [ctrl ? Infinity : 0, Infinity],
};

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, select, textarea");
  if (event.altKey || event.metaKey) return;
  if (field) {
    if (event.key === "Escape" && field.id === "query") { event.preventDefault(); moveTo(active.row, active.column); }
    if (event.key === "Enter" && field.id === "query") { clearTimeout(typing); state.query = field.value; search(); moveTo(0, active.column); }
    return;
  }
  if (byId("help").open || byId("languages").open) return;
  if (event.key === "?") { byId("help").showModal(); event.preventDefault(); return; }
  if (event.ctrlKey && !["Home", "End"].includes(event.key)) return;
  const move = Object.hasOwn(MOVES, event.key) ? MOVES[event.key](event.ctrlKey) : null;
  const inGrid = event.target.closest(".cell") || event.target === document.body || event.target === scroller;
  if (view.open) {
    if (event.target.id === "view-facts" && ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"].includes(event.key)) return;
    if (move) { step(...move); event.preventDefault(); }
  } else if (event.key === "/") { byId("query").focus(); byId("query").select(); event.preventDefault(); }
  else if (move && inGrid) {
    // The first key only shows where one is; from then on it moves.
    const here = event.target.closest(".cell");
    moveTo(active.row + (here ? move[0] : 0), active.column + (here ? move[1] : 0));
    event.preventDefault();
  } else if ((event.key === "Enter" || event.key === " ") && event.target.closest(".cell")) { openView(); event.preventDefault(); }
});

scroller.addEventListener("scroll", later, { passive: true });
window.addEventListener("resize", () => redraw(true));
window.addEventListener("hashchange", () => { recall(); fillTools(); fillLanguages(); find(); redraw(); });

let refresh = 0;
byId("parts-back").addEventListener("click", () => showPart(begin - 1));
byId("parts-on").addEventListener("click", () => showPart(begin + PART));
byId("parts-go").addEventListener("change", () => {
  const row = Math.round(Number(byId("parts-go").value)) - 1;
  if (row >= 0) moveTo(row, active.column);
});

listeners.push(() => {
  later();
  if (about.large || !(state.query || state.template || state.problem || state.order)) return;
  clearTimeout(refresh);
  refresh = setTimeout(() => { const before = shown.join(); find(); if (shown.join() !== before || loadedMemes === about.memes) redraw(true); }, 60);
});

take(0, JSON.parse(byId("first").textContent));
if (narrow()) byId("zoom").value = 1;
recall();
fillTools();
fillLanguages();
find();
redraw();
document.documentElement.dataset.ready = about.large ? "all" : "rows";
if (!about.large) setTimeout(() => loadAll().then(() => { document.documentElement.dataset.ready = "all"; }), 50);
