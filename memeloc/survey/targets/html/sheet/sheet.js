"use strict";
/* One sheet of a survey. Everything stays in this browser until it is sent; what was sent is known by
   its submission's id, so sending twice counts once. */
(() => {
  const data = JSON.parse(document.getElementById("sheet").textContent);
  const words = data.words;
  const main = document.querySelector("main");
  const nav = document.querySelector("nav");
  const storeKey = `memeloc:${data.survey}:${data.sheet}`;
  const RETRY = 15000;

  const say = (key, values = {}) =>
    words[key].replace(/\{([a-z_]+)\}/g, (whole, name) => (name in values ? written(values[name]) : whole));
  const written = (value) =>
    typeof value === "number" ? String(value).replace(/[0-9]/g, (digit) => [...data.digits][digit]) : value;
  const now = () => new Date().toISOString();
  const newId = () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");

  // State

  function fresh() {
    return { submission: newId(), started: now(), at: 0, consent: "", participant: "", answers: {}, comments: "", status: "", submitted: "", sent: false };
  }
  function stored() {
    try {
      const found = JSON.parse(localStorage.getItem(storeKey) || "null");
      return found && found.submission ? found : null;
    } catch { return null; }
  }
  const found = stored();
  const state = found || fresh();
  // A browser may open a file's store late. So nothing is written before the first act, and what has
  // come to light by then is gone on with, not written over.
  let looked = Boolean(found);
  function keep() {
    if (!looked) Object.assign(state, stored());
    looked = true;
    try { localStorage.setItem(storeKey, JSON.stringify(state)); } catch { /* it is kept as long as the page is open */ }
  }
  const given = new URLSearchParams(location.search).get("PROLIFIC_PID");
  if (given && !state.participant) state.participant = given.slice(0, 200);

  // Elements

  function make(tag, properties = {}, ...inside) {
    const element = document.createElement(tag);
    // Words of a language that has no translation yet are read in their own direction.
    if (TEXTS.includes(tag)) element.dir = "auto";
    for (const [name, value] of Object.entries(properties)) {
      if (name in element) element[name] = value; else element.setAttribute(name, value);
    }
    element.append(...inside.filter((one) => one !== null));
    return element;
  }
  const TEXTS = ["p", "h1", "h2", "legend", "figcaption", "dt", "dd", "li", "button"];
  const isolated = (text) => make("bdi", {}, text);
  function picture(entry, number) {
    if (!entry.picture) return null;
    const alt = say("image.alt", { number, caption: entry.caption });
    return make("figure", {}, make("img", { src: data.pictures[entry.picture], alt, decoding: "async" }));
  }
  function choices(name, options, chosen, several, onChange) {
    return options.map((option, index) => {
      const input = make("input", { type: several ? "checkbox" : "radio", name, value: option.id });
      input.checked = chosen.includes(option.id);
      input.addEventListener("change", () => {
        onChange([...document.querySelectorAll(`input[name="${name}"]:checked`)].map((one) => one.value));
      });
      const key = several || index > 8 ? null : make("kbd", { ariaHidden: "true" }, String(index + 1));
      return make("label", { className: "choice" }, input, make("span", {}, isolated(option.name)), key);
    });
  }
  const problem = make("p", { className: "problem", role: "alert" });

  // Screens

  function introduction() {
    const screen = make("section", {}, make("h1", {}, words.title), make("p", {}, words.intro));
    screen.append(make("div", { className: "warning" }, make("h2", {}, words["warning.heading"]), make("p", {}, words["warning.text"])));
    screen.append(make("h2", {}, words["definition.heading"]), make("p", {}, data.definition));
    const list = make("dl");
    for (const label of data.labels) list.append(make("dt", {}, label.name), make("dd", {}, label.definition));
    screen.append(list);
    if (data.rules.length) {
      screen.append(make("h2", {}, words["rules.heading"]), make("ul", {}, ...data.rules.map((rule) => make("li", {}, rule))));
    }
    if (data.examples.length) screen.append(make("h2", {}, words["examples.heading"]));
    for (const [index, example] of data.examples.entries()) {
      const figure = picture(example, index + 1) || make("figure");
      figure.append(make("figcaption", {}, say("examples.because", { label: example.label, why: example.why })));
      screen.append(figure);
    }
    return screen;
  }
  function consent() {
    const options = [{ id: "yes", name: words["consent.yes"] }, { id: "no", name: words["consent.no"] }];
    const box = make("fieldset", {}, make("legend", { className: "unseen" }, words["consent.heading"]),
      ...choices("consent", options, [state.consent], false, ([value]) => { state.consent = value; keep(); problem.textContent = ""; }));
    const field = make("input", { type: "text", id: "participant", value: state.participant, autocomplete: "off", maxLength: 200, dir: "auto" });
    field.addEventListener("input", () => { state.participant = field.value.trim(); keep(); });
    return make("section", {}, make("h1", {}, words["consent.heading"]), make("p", {}, words["consent.text"]), box,
      make("label", { htmlFor: "participant", className: "field" }, words["participant.label"]), make("p", {}, words["participant.help"]), field);
  }
  function question(entry, number) {
    const answer = state.answers[entry.id] || { label: "", second: [] };
    const screen = make("section", {}, make("p", { className: "number" }, say("progress", { number, total: data.entries.length })),
      make("progress", { max: data.entries.length, value: number - 1, ariaLabel: say("progress", { number, total: data.entries.length }) }));
    screen.append(picture(entry, number) || "");
    const second = make("div");
    const set = (change) => {
      state.answers[entry.id] = { ...(state.answers[entry.id] || { label: "", second: [] }), ...change, at: now() };
      keep();
      problem.textContent = "";
    };
    const showSecond = () => {
      second.replaceChildren();
      const current = state.answers[entry.id];
      if (!data.second || !current || !data.second.when.includes(current.label) || entry.say) return;
      second.append(make("fieldset", {}, make("legend", {}, data.second.question),
        ...choices("second", data.second.answers, current.second, data.second.several, (values) => set({ second: values }))));
    };
    const box = make("fieldset", {}, make("legend", {}, entry.say || data.question),
      ...choices("label", data.labels, [answer.label], false, ([value]) => { set({ label: value, second: [] }); showSecond(); }));
    screen.append(box, second);
    showSecond();
    const stop = make("button", { type: "button", className: "quiet" }, words["stop.button"]);
    stop.addEventListener("click", () => { if (confirm(words["stop.text"])) finish("returned"); });
    screen.append(stop);
    return screen;
  }
  function comments() {
    const field = make("textarea", { id: "comments", value: state.comments, maxLength: 5000, dir: "auto" });
    field.addEventListener("input", () => { state.comments = field.value; keep(); });
    return make("section", {}, make("label", { htmlFor: "comments", className: "field" }, words["comments.label"]), field);
  }
  function done() {
    const code = state.status === "no consent" ? data.codes.no_consent : data.codes.done;
    const screen = make("section");
    if (state.status === "no consent") {
      screen.append(make("p", {}, say("consent.declined", { code })));
      return screen;
    }
    screen.append(make("h1", {}, words["sent.heading"]));
    const waiting = data.send_to && !state.sent;
    screen.append(make("p", { id: "state", role: "status" }, waiting ? words["saved.offline"] : data.send_to ? words["sent.thanks"] : words["saved.browser"]));
    if (!data.send_to || waiting) {
      const save = make("button", { type: "button", id: "save" }, words["saved.file"]);
      save.addEventListener("click", saveFile);
      screen.append(save);
    }
    if (code && state.status === "complete" && !waiting) {
      screen.append(make("p", {}, say("sent.code", { code: "" })), make("p", { className: "code", dir: "ltr" }, code));
    }
    return screen;
  }

  // The way through

  const screens = [introduction, consent, ...data.entries.map((entry, index) => () => question(entry, index + 1)), comments];
  const last = screens.length - 1;
  function show(focus = true) {
    main.replaceChildren(state.status ? done() : screens[state.at]());
    problem.textContent = "";
    nav.hidden = Boolean(state.status);
    back.disabled = state.at === 0;
    next.textContent = state.at === last ? words.send : words.next;
    if (focus) { scrollTo(0, 0); main.focus({ preventScroll: true }); }
  }
  function complete(at) {
    if (at === 1) return Boolean(state.consent) && (state.consent === "no" || Boolean(state.participant));
    const entry = data.entries[at - 2];
    if (!entry) return true;
    const answer = state.answers[entry.id];
    if (!answer || !answer.label) return false;
    const asked = data.second && !entry.say && data.second.when.includes(answer.label);
    return !asked || answer.second.length > 0;
  }
  function forward() {
    if (!complete(state.at)) { problem.textContent = words.required; return; }
    if (state.at === 1 && state.consent === "no") { finish("no consent"); return; }
    if (state.at === last) { finish("complete"); return; }
    state.at += 1;
    keep();
    show();
  }
  function backward() {
    if (state.at === 0) return;
    state.at -= 1;
    keep();
    show();
  }
  const back = make("button", { type: "button", id: "back" }, words.back);
  const next = make("button", { type: "button", id: "next", className: "main" }, words.next);
  back.addEventListener("click", backward);
  next.addEventListener("click", forward);
  // Beside the buttons it is in sight, however long the page is.
  nav.append(problem, back, next);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || state.status) return;
    const typing = event.target.matches("textarea, input[type=text]");
    if (event.key === "Enter" && !event.target.matches("textarea, button")) { event.preventDefault(); forward(); return; }
    // Keyboards of some languages write other digits, or letters, with the key that says 1.
    const pressed = /^([1-9])$/.exec(event.key) || (event.shiftKey ? null : /^Digit([1-9])$/.exec(event.code));
    if (typing || !pressed) return;
    const radio = main.querySelectorAll('input[name="label"], input[name="consent"]')[Number(pressed[1]) - 1];
    if (radio) { radio.click(); radio.focus(); }
  });

  // Sending

  function content() {
    const declined = state.status === "no consent";
    return {
      memeloc: "survey-answers", version: 1, survey: data.survey, sheet: data.sheet, submission: state.submission,
      participant: declined ? "" : state.participant, status: state.status, started: state.started, submitted: state.submitted,
      code: declined ? data.codes.no_consent : state.status === "complete" ? data.codes.done : "",
      comments: declined ? "" : state.comments,
      answers: declined ? [] : data.entries.filter((entry) => state.answers[entry.id]?.label)
        .map((entry) => ({ entry: entry.id, label: state.answers[entry.id].label, second: state.answers[entry.id].second, at: state.answers[entry.id].at })),
    };
  }
  function finish(status) {
    state.status = status;
    state.submitted = now();
    keep();
    show();
    send();
  }
  let sending = false;
  async function send() {
    if (!data.send_to || state.sent || sending || !state.status || state.status === "no consent") return;
    sending = true;
    try {
      const answer = await fetch(data.send_to, { method: "POST", body: JSON.stringify(content()), headers: { "Content-Type": "text/plain" }, credentials: "omit", redirect: "follow" });
      if (answer.ok) { state.sent = true; keep(); show(false); }
    } catch { /* there is no connection: the next try is by timer, or when there is one */ }
    sending = false;
    if (!state.sent) setTimeout(send, RETRY);
  }
  function saveFile() {
    const file = new Blob([JSON.stringify(content(), null, 1) + "\n"], { type: "application/json" });
    const link = make("a", { href: URL.createObjectURL(file), download: `${data.sheet}-${state.submission.slice(0, 8)}.json` });
    document.body.append(link);
    link.click();
    link.remove();
  }
  addEventListener("online", send);
  show(false);
  send();
})();
