
const data = JSON.parse(document.getElementById("data").textContent);
const rows = data.rows;
const store = document.body.dataset.store;
const element = (id) => document.getElementById(id);
const given = new Map(rows.map((row) => [row.subject, { answer: row.answer, comment: row.comment }]));
let changes = 0;
let place = 0;
let keeps = true;

async function takeStored() {
  const before = changes;
  const entries = await storedUnder([store]).catch(() => { keeps = false; return []; });
  // What was changed meanwhile is read with that change.
  if (changes === before) for (const [[, subject, field], value] of entries) given.get(subject)[field] = value;
}

// The page may be open twice: what another window has kept is taken over, never written over.
async function change(field, value) {
  const { subject } = rows[place];
  given.get(subject)[field] = value;
  changes += 1;
  await changeStored({ put: [[[store, subject, field], value]] }).catch(() => { keeps = false; });
  await takeStored();
  showAnswers();
}

function made(name, text, className) {
  const node = document.createElement(name);
  node.textContent = text;
  node.dir = "auto";
  if (className) node.className = className;
  return node;
}

function figure(side) {
  const node = document.createElement("figure");
  if (side.picture) {
    const image = document.createElement("img");
    image.src = data.pictures[side.picture];
    image.alt = side.name;
    node.append(image);
  } else {
    node.append(made("div", "no picture", "none"));
  }
  if (side.text) node.append(made("p", side.text));
  node.append(made("p", side.name, "about"), made("p", side.about, "about"));
  return node;
}

function show() {
  const row = rows[place];
  element("sides").replaceChildren(...row.sides.map(figure));
  element("why").replaceChildren(made("span", row.hint));
  element("scores").replaceChildren(
    ...Object.entries(row.scores).map(([name, value]) => {
      const group = document.createElement("div");
      group.append(made("dt", name), made("dd", String(value)));
      return group;
    }),
  );
  showAnswers();
}

function showAnswers() {
  const current = given.get(rows[place].subject);
  const count = rows.filter((row) => given.get(row.subject).answer).length;
  element("place").textContent =
    `Pair ${place + 1} of ${rows.length}; ${count} answered, ${rows.length - count} to go`;
  for (const button of element("answers").children) {
    button.setAttribute("aria-pressed", String(button.dataset.answer === current.answer));
  }
  const comment = element("comment");
  if (comment.value !== current.comment) comment.value = current.comment;
  element("kept").textContent = keeps
    ? "Your answers are kept in this browser until you save them."
    : "This browser keeps nothing: save your answers before you close the page.";
}

function go(to) {
  place = Math.min(Math.max(to, 0), rows.length - 1);
  show();
}

function goOpen() {
  for (let step = 1; step <= rows.length; step += 1) {
    const at = (place + step) % rows.length;
    if (!given.get(rows[at].subject).answer) return go(at);
  }
  return show();
}

function answer(value) {
  const same = given.get(rows[place].subject).answer === value;
  change("answer", same ? "" : value);
  if (same || place === rows.length - 1) show();
  else go(place + 1);
}

function cell(text) {
  // What a spreadsheet takes for a formula gets an apostrophe, which reading takes off.
  const safe = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

function save() {
  const lines = [data.headings];
  for (const row of rows) {
    const current = given.get(row.subject);
    const { answer, comment } = current;
    if (answer) lines.push([data.question, data.person, row.subject, answer, comment, row.content]);
  }
  const text = "\ufeff" + lines.map((line) => line.map(cell).join(",") + "\r\n").join("");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const who = data.person.replaceAll(/[^\p{L}\p{N}_-]+/gu, "-");
  link.download = `review-${data.question}-${who}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function takeKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === element("comment")) {
    if (event.key === "Enter" || event.key === "Escape") event.target.blur();
    return;
  }
  const buttons = [...element("answers").children];
  const number = Number(event.key);
  if (event.key >= "1" && event.key <= "9" && number <= buttons.length) {
    answer(buttons[number - 1].dataset.answer);
  } else if (event.key === "ArrowLeft") go(place - 1);
  else if (event.key === "ArrowRight") go(place + 1);
  else if (event.key === "n") goOpen();
  else if (event.key === "s") save();
  else return;
  event.preventDefault();
}
for (const button of element("answers").children) {
  button.addEventListener("click", () => answer(button.dataset.answer));
}
element("back").addEventListener("click", () => go(place - 1));
element("next").addEventListener("click", () => go(place + 1));
element("open").addEventListener("click", goOpen);
element("save").addEventListener("click", save);
element("comment").addEventListener("input", (event) => {
  change("comment", event.target.value);
});

async function begin() {
  await takeStored();
  if (!rows.length) return;
  // Keys count when the pair that they answer is there.
  document.addEventListener("keydown", takeKey);
  document.querySelector("main").hidden = false;
  const first = rows.findIndex((row) => !given.get(row.subject).answer);
  go(first < 0 ? 0 : first);
}
begin();
