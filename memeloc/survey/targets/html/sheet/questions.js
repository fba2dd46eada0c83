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
function answerOf(questions, { given, shown }) {
  const further = {};
  for (const { id } of askedNow(questions, given)) {
    if (id !== "label" && valuesOf(given, id).length) further[id] = given[id];
  }
  return { label: valuesOf(given, "label")[0] || "", further, shown };
}

function optionsOf(question) {
  if (question.kind !== "scale") return question.answers;
  const [first, last] = question.scale;
  const names = Object.fromEntries(question.answers.map(({ id, name }) => [id, name]));
  return Array.from({ length: last - first + 1 }, (_, step) => String(first + step))
    .map((id) => ({ id, number: written(id), name: names[id] || "" }));
}

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
    const key = option.number || index > 8 ? "" : String(index + 1);
    return make("label", { className: "choice" }, input,
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

function choose(digit) {
  const box = activeBox();
  if (!box) return;
  const inputs = [...box.querySelectorAll("input")];
  const input = box.classList.contains("scale")
    ? inputs.find(({ value }) => value === digit) : inputs[Number(digit) - 1];
  if (!input) return;
  input.click();
  input.focus();
  if (input.type === "radio") focusNext(box);
}

// On to the next question on the page that has no answer yet, if there is one.
function focusNext(box) {
  const boxes = shownBoxes();
  const next = boxes.slice(boxes.indexOf(box) + 1).find(isOpen);
  next?.querySelector("input").focus();
}
