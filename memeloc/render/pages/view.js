// The large view. In: the active row and column. Out: the picture, its text as text, its proof.

const view = byId("view");
const last = { row: 0, column: 0 };
const percent = (share) => (share === null || share === undefined ? "–" : `${number(share * 100, 1)} %`);
const fact = (name, ...value) => [el("dt", {}, name), el("dd", {}, ...value.filter(Boolean))];

function textOf(parts, language) {
  return el("div", { class: "text", lang: language.locale, dir: language.direction },
    ...parts.map((part) => el("p", {}, part)));
}

function partTable(proof, language) {
  const heads = ["Part", "Size", "To source", "Contrast", "Fonts"];
  return el("table", {},
    el("caption", {}, "Parts"),
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...proof.parts.map(([name, size, share, relative, contrast, fonts]) => el("tr", {},
      el("th", { scope: "row" }, el("bdi", {}, name)),
      el("td", { class: "size" }, size ? `${number(size, 1)} px` : "–", size && share ? el("small", {}, ` ${percent(share)}`) : null),
      el("td", {}, relative ? `× ${number(relative, 2)}` : "–"),
      el("td", {}, contrast ? `${number(contrast, 1)} : 1` : "–"),
      el("td", { class: "fonts" }, fonts.join(", ") || "–")))));
}

function drawProof(proof, meme, column) {
  const language = about.languages[column];
  const cell = memes[meme][CELLS][column];
  const facts = [];
  if (proof) {
    for (const [kind, part, detail] of proof.findings) {
      facts.push(...fact(kind, part && proof.parts.length > 1 ? `${part}: ` : null, el("bdi", { lang: language.locale }, detail)));
    }
    facts.push(...fact("Covered by text", `${percent(proof.coverage)}, of the middle ${percent(proof.middle)}`));
  }
  facts.push(...fact("Picture", `${cell[WIDTH]} × ${cell[HEIGHT]} px${proof ? `, ${number(proof.bytes / 1024, 0)} KiB` : ""}`));
  facts.push(...fact("File", el("a", { href: pathOf(meme, column), target: "_blank", rel: "noopener" }, decodeURIComponent(pathOf(meme, column)))));
  if (proof) facts.push(...fact("SHA-256", el("code", {}, proof.sha256)));
  return [proof ? partTable(proof, language) : null, el("dl", {}, ...facts)];
}

async function drawView() {
  const meme = shown[active.row];
  if (!memes[meme]) await loadRows(chunkOf(meme));
  if (!memes[meme]) return;
  Object.assign(last, active);
  const column = columns[active.column];
  const language = about.languages[column];
  const cell = memes[meme][CELLS][column];
  byId("view-title").replaceChildren(el("bdi", {}, memes[meme][ID]), " ",
    el("small", {}, about.templates[memes[meme][TEMPLATE]].name));
  byId("view-place").textContent = `${number(active.row + 1)} of ${number(shown.length)}`;
  byId("view-up").disabled = active.row === 0;
  byId("view-down").disabled = active.row === shown.length - 1;
  byId("view-languages").replaceChildren(...columns.map((other, at) => {
    const seen = memes[meme][CELLS][other];
    return el("button", { type: "button", class: seen && seen[MASK] & maskOf(...PROBLEMS) ? "chip bad" : "chip", "aria-pressed": String(at === active.column),
      title: about.languages[other].name, disabled: !seen, onclick: () => { active.column = at; drawView(); } },
    el("bdi", { lang: about.languages[other].locale }, about.languages[other].native),
    el("span", { class: "tag" }, about.languages[other].language));
  }));
  byId("view-languages").querySelector("[aria-pressed='true']")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  const facts = byId("view-facts");
  if (!cell) {
    byId("view-picture").replaceChildren(el("p", {}, "no picture in this language"));
    facts.replaceChildren();
    return;
  }
  byId("view-picture").replaceChildren(el("img", { src: pathOf(meme, column), width: cell[WIDTH], height: cell[HEIGHT],
    alt: altOf(cell[TEXT]), lang: language.locale, decoding: "async" }));
  const source = memes[meme][CELLS][0];
  const top = [
    el("h3", {}, language.name),
    cell[MASK] ? badges(cell[MASK]) : null,
    textOf(partsOf(cell[TEXT]), language),
    ...(column !== 0 && source ? [el("h3", { class: "quiet" }, about.languages[0].name), textOf(partsOf(source[TEXT]), about.languages[0])] : []),
  ].filter(Boolean);
  facts.replaceChildren(...top);
  const proof = await loadDetail(meme);
  if (shown[active.row] !== meme || columns[active.column] !== column) return;
  facts.replaceChildren(...[...top, el("h3", { class: "quiet" }, "Proof"), ...drawProof(proof?.[column], meme, column)].filter(Boolean));
}

function openView() {
  if (!shown.length) return;
  if (!view.open) view.showModal();
  byId("view-picture").scrollTop = 0;
  drawView();
}

function step(rows, cells) {
  active.row = Math.max(0, Math.min(active.row + rows, shown.length - 1));
  active.column = Math.max(0, Math.min(active.column + cells, columns.length - 1));
  drawView();
}

// A closing dialog gives the focus back to the cell it was opened from; the reader may have gone on.
view.addEventListener("close", () => moveTo(last.row, last.column));
view.addEventListener("click", (event) => { if (event.target === view) view.close(); });
byId("view-close").addEventListener("click", () => view.close());
byId("view-up").addEventListener("click", () => step(-1, 0));
byId("view-down").addEventListener("click", () => step(1, 0));
