// What is shown, one screen after the other. In: the page's data, the record. Out: sections.

let consentGiven = "";
let typed = "";

function definitions() {
  const list = make("dl");
  for (const { name, definition } of data.labels) list.append(make("dt", {}, name), make("dd", {}, definition));
  const parts = [make("p", {}, data.definition), list];
  if (data.rules.length) {
    const rules = data.rules.map((rule) => make("li", {}, rule));
    parts.push(make("h2", {}, words["rules.heading"]), make("ul", {}, ...rules));
  }
  return parts;
}

function introduction() {
  const warning = make("div", { className: "warning" },
    make("h2", {}, words["warning.heading"]), make("p", {}, words["warning.text"]));
  const screen = make("section", {}, make("h1", {}, words.title), make("p", {}, words.intro), warning,
    make("h2", {}, words["definition.heading"]), ...definitions());
  if (data.examples.length) screen.append(make("h2", {}, words["examples.heading"]));
  for (const [index, example] of data.examples.entries()) {
    const figure = picture(example, index + 1) || make("figure");
    const why = filled("examples.because", { label: example.label, why: example.why });
    figure.append(make("figcaption", {}, why));
    screen.append(figure);
  }
  return screen;
}

function consent() {
  const answers = ["yes", "no"].map((id) => ({ id, name: words[`consent.${id}`] }));
  const question = { id: "consent", kind: "choice", answers };
  const box = make("fieldset", {}, make("legend", { className: "unseen" }, words["consent.heading"]),
    ...choices(question, [consentGiven], ([value]) => { consentGiven = value; problem.textContent = ""; }));
  const screen = make("section", {}, make("h1", {}, words["consent.heading"]),
    ...words["consent.text"].split("\n\n").map((text) => make("p", {}, text)), box);
  if (server) return screen;
  const field = make("input", {
    type: "text", id: "participant", value: typed, autocomplete: "off", maxLength: 200, dir: "auto",
  });
  field.setAttribute("aria-describedby", "participant-help");
  field.addEventListener("input", () => { typed = field.value.trim(); problem.textContent = ""; });
  screen.append(make("label", { htmlFor: "participant", className: "field" }, words["participant.label"]),
    make("p", { id: "participant-help" }, words["participant.help"]), field);
  return screen;
}

// The code by which this person, who is known by the browser, goes on in another one.
function elsewhere() {
  return server?.code ? make("p", { className: "hint" }, filled("page.elsewhere", { code: server.code })) : "";
}

function givenTo(entry) {
  return record.answers[entry.item]?.given || {};
}

function missingIn(entry) {
  if (isLeftOut(entry)) return undefined;
  const given = givenTo(entry);
  return askedNow(entry.questions, given).find((question) => isMissing(question, given));
}

function boxOf(question) {
  return main.querySelector(`fieldset[data-question="${CSS.escape(question)}"]`);
}

function setGiven(entry, id, values) {
  const given = { ...givenTo(entry), [id]: values };
  record.answers[entry.item] = { given, at: now(), shown: shownFor(entry.item), took: tookFor(entry.item) };
  if (server) note(entry.item);
  keep(record);
  problem.textContent = "";
  boxOf(id)?.classList.remove("missing");
}

function showAsked(entry) {
  const asked = new Set(askedNow(entry.questions, givenTo(entry)).map(({ id }) => id));
  for (const box of main.querySelectorAll("fieldset[data-question]")) {
    box.hidden = isLeftOut(entry) || !asked.has(box.dataset.question);
    box.disabled = !isSeen(entry);
  }
  showKeys();
}

function entryScreen(entry, number) {
  const total = data.entries.length;
  const progress = filled("progress", { number, total });
  const screen = make("section", { className: "entry" },
    make(entry.heading ? "p" : "h1", { className: "number" }, progress),
    make("progress", { max: total, value: number - 1, ariaLabel: progress }));
  const asked = make("div", { className: "asked" });
  if (entry.heading) screen.append(make("h1", {}, entry.heading));
  screen.append(picture(entry, number) || "");
  for (const question of entry.questions) {
    const given = valuesOf(givenTo(entry), question.id);
    const values = given.length || !question.draft ? given : [question.draft];
    const box = fieldsetOf(question, entry.caption, values, (changed) => {
      setGiven(entry, question.id, changed);
      showAsked(entry);
    });
    asked.append(box);
  }
  asked.append(make("p", { id: "feedback", className: "hint", role: "status" }),
    make("details", {}, make("summary", {}, words["definition.heading"]), ...definitions(), elsewhere()),
    button(words["stop.button"], () => {
      if (confirm(words["stop.text"])) finish("returned");
    }, { className: "quiet", id: "stop" }));
  screen.append(asked);
  return screen;
}

// A draft that nobody has changed is the answer, once the person goes on.
function acceptDrafts(entry) {
  if (isLeftOut(entry)) return;
  for (const question of askedNow(entry.questions, givenTo(entry))) {
    if (question.draft && !(question.id in givenTo(entry))) setGiven(entry, question.id, [question.draft]);
  }
}

function comments() {
  const field = make("textarea", { id: "comments", value: record.comments, maxLength: 5000, dir: "auto" });
  field.addEventListener("input", () => { record.comments = field.value; keep(record); });
  const label = make("label", { htmlFor: "comments", className: "field" }, words["comments.label"]);
  return make("section", {}, make("h1", { className: "number" }, label), field);
}

// The code, a button that copies it (see copying.js), and the way back to the service with it.
function codeLine(code, address) {
  if (!code) return [];
  const copy = make("button", { type: "button", id: "copy", "data-copied": words["page.copied"] }, words["page.copy"]);
  const link = make("a", { href: address, className: "button main", id: "return" }, words["page.return"]);
  return [make("p", {}, filled("sent.code", { code: "" })), make("p", { className: "code", dir: "ltr" }, code),
    make("div", { className: "actions" }, copy, address ? link : null)];
}

function ownCode(code) {
  return codeLine(code, code && data.return_to.replace("{code}", encodeURIComponent(code)));
}

function declined() {
  return make("section", {}, make("p", {}, words["page.declined"]), ...ownCode(data.codes.no_consent));
}

let outcome = "";

const OUTCOMES = {
  arrived: "sent.thanks", kept: "saved.browser", offline: "saved.offline",
  refused: "page.unconfirmed", unconfirmed: "page.unconfirmed",
};

// The end: no code before the answers have arrived, or the person says that the file is saved.
function done() {
  if (record.status === "no consent" && !server) return declined();
  const screen = make("section", {}, make("h1", {}, words["sent.heading"]),
    make("p", { id: "state", role: "status" }), make("progress", { id: "sending", ariaLabel: words.send }));
  if (server) {
    if (record.reply) screen.append(...codeLine(record.reply.code, record.reply.return_to));
    return screen;
  }
  screen.append(saving());
  if (record.sent || record.saved) {
    if (record.status === "complete") screen.append(...ownCode(data.codes.done));
    forget();
  }
  return screen;
}

function saving() {
  const where = make("p", { id: "where" }, words["page.send"]);
  const confirmSaved = button(words["page.saved"], () => {
    record.saved = true;
    keep(record);
    show();
  }, { id: "saved", hidden: true });
  const save = button(words["saved.file"], () => {
    saveFile();
    where.hidden = false;
    confirmSaved.hidden = record.saved;
  }, { id: "save", className: "main" });
  return make("div", { id: "file", hidden: true }, where, make("div", { className: "actions" }, save, confirmSaved));
}

// Say what became of the answers; what did not surely arrive is to be saved as a file.
function showOutcome(result) {
  if (result === "arrived" && outcome !== "arrived") {
    outcome = result;
    show();
    return;
  }
  outcome = result;
  const state = document.getElementById("state");
  if (!state) return;
  document.getElementById("sending").hidden = result !== "sending";
  if (!(result in OUTCOMES)) return;
  state.textContent = record.reply?.text || words[OUTCOMES[result]];
  state.classList.toggle("warning", result !== "arrived");
  if (server || result === "arrived") return;
  document.getElementById("file").hidden = false;
  document.getElementById("where").hidden = result === "offline" && !record.saved;
}
