// Questions of all kinds. In: a question, what was answered. Out: a fieldset that reports changes.
//
// `given` holds the values of an entry by question; no values are no answer.

function valuesOf(given, id) {
  return given[id] || [];
}

// The questions that are asked now: those whose conditions hold for the questions before them.
function askedNow(questions, given) {
  const asked = new Set();
  return questions.filter((question) => {
    const holds = Object.entries(question.when).every(([id, answers]) =>
      asked.has(id) && valuesOf(given, id).some((value) => answers.includes(value)));
    if (holds) asked.add(question.id);
    return holds;
  });
}

function isMissing(question, given) {
  return question.required && valuesOf(given, question.id).length === 0;
}

// What is sent of an entry: what was answered to a question that is no longer asked is left out.
function answerOf(questions, { given, shown, took }) {
  const further = {};
  for (const { id } of askedNow(questions, given)) {
    if (id !== "label" && valuesOf(given, id).length) further[id] = given[id];
  }
  return { label: valuesOf(given, "label")[0] || "", further, shown, took };
}

// A number of 32 bits for each text (FNV-1a, and MurmurHash3's last steps, without which some orders
// of three answers come up a tenth more often): the same person sees the same order in any browser.
function drawn(text) {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

// The answers to choose from in the order that this person sees; a scale keeps its own.
function inOrder(id, answers) {
  const person = `${data.survey} ${server ? server.place || server.answer : record.submission}`;
  if (data.order === "turned") return drawn(person) % 2 ? [...answers].reverse() : answers;
  if (data.order !== "drawn") return answers;
  const place = (answer) => drawn(`${person} ${id} ${answer.id}`);
  return [...answers].sort((a, b) => place(a) - place(b));
}

// By question the answers as they are shown: stored with what is answered.
function orders() {
  const asked = data.entries.flatMap(({ questions }) => questions)
    .filter(({ kind }) => kind === "choice" || kind === "choices");
  return Object.fromEntries(asked.map(({ id, answers }) => [id, inOrder(id, answers).map((answer) => answer.id)]));
}

function optionsOf(question) {
  if (question.id === "consent") return question.answers;
  if (question.kind !== "scale") return inOrder(question.id, question.answers);
  const [first, last] = question.scale;
  const names = Object.fromEntries(question.answers.map(({ id, name }) => [id, name]));
  return Array.from({ length: last - first + 1 }, (_, step) => String(first + step))
    .map((id) => ({ id, number: written(id), name: names[id] || "" }));
}

// The keys of answers, in order; of a scale, its numbers.
const KEYS = "1234567890abcdefghijklmnopqrstuvwxyz";

function choices(question, values, onChange) {
  const type = question.kind === "choices" ? "checkbox" : "radio";
  const inputs = [];
  return optionsOf(question).map((option, index) => {
    const input = make("input", { type, name: question.id, value: option.id });
    input.checked = values.includes(option.id);
    inputs.push(input);
    input.addEventListener("change", () => {
      onChange(inputs.filter(({ checked }) => checked).map(({ value }) => value));
    });
    const key = option.number ? "" : KEYS[index] || "";
    return make("label", { className: "choice", "data-answer": `${question.id} ${option.id}` }, input,
      option.number ? make("span", { className: "step" }, option.number) : null,
      option.name ? make("bdi", {}, option.name) : null,
      key ? make("kbd", { ariaHidden: "true" }, key) : null);
  });
}

function textField(question, values, onChange, labelledBy) {
  const field = make("textarea", { name: question.id, maxLength: 5000, dir: "auto", value: values[0] || "" });
  field.setAttribute("aria-labelledby", labelledBy);
  field.addEventListener("input", () => onChange(field.value.trim() ? [field.value.trim()] : []));
  return field;
}

// A fieldset with a question; `onChange` is given its values.
function fieldsetOf(question, caption, values, onChange) {
  const legend = make("legend", { id: `legend-${question.id}` }, question.text);
  if (!question.required) legend.append(make("span", { className: "optional" }, ` ${words["page.optional"]}`));
  const box = make("fieldset", { className: question.kind }, legend);
  box.dataset.question = question.id;
  if (question.kind === "text") box.append(textField(question, values, onChange, legend.id));
  else if (question.kind === "span") box.append(...passage(caption, values, onChange));
  else {
    if (question.kind === "choices") box.append(make("p", { className: "hint" }, words["page.choices"]));
    box.append(make("div", { className: "options" }, ...choices(question, values, onChange)));
  }
  return box;
}

function shownBoxes() {
  return [...main.querySelectorAll("fieldset:not([hidden], :disabled)")];
}

function isOpen(box) {
  return box.querySelector("input") && !box.querySelector("input:checked");
}

function isInView(box) {
  const { top, bottom } = box.getBoundingClientRect();
  return bottom > 0 && top < nav.getBoundingClientRect().top;
}

// The question that shows the keys, and that a key acts on: of those in view the one with the focus,
// or else the first without an answer.
function activeBox() {
  const boxes = shownBoxes();
  const seen = boxes.some(isInView) ? boxes.filter(isInView) : boxes;
  return seen.find((box) => box.contains(document.activeElement)) || seen.find(isOpen) || seen[0];
}

function showKeys() {
  const active = activeBox();
  for (const box of main.querySelectorAll("fieldset")) box.classList.toggle("active", box === active);
}

// The focus stays with the question, so that another key corrects it.
function choose(key) {
  const box = activeBox();
  if (!box) return;
  const inputs = [...box.querySelectorAll("input")];
  const input = box.classList.contains("scale")
    ? inputs.find(({ value }) => value === key) : inputs[KEYS.indexOf(key)];
  if (!input) return;
  input.click();
  input.focus();
}

// From a question on to the next one on the page that has no answer yet; whether there is one.
function focusNext(element) {
  const boxes = shownBoxes();
  const next = boxes.slice(boxes.indexOf(element.closest("fieldset")) + 1).find(isOpen);
  next?.querySelector("input").focus();
  return Boolean(next);
}
