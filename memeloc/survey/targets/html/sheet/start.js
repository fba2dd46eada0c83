// The way through the sheet. In: who is here. Out: one screen after the other, by button or key.

const CONSENT = 1;
const FIRST_ENTRY = 2;
const screens = [
  introduction, consent, ...data.entries.map((entry, index) => () => entryScreen(entry, index + 1)), comments,
];
const last = screens.length - 1;
const problem = make("p", { className: "problem", role: "alert" });
const connection = make("p", { className: "hint", id: "connection", role: "status" });
const back = button(words.back, backward, { id: "back" });
const next = button(words.next, forward, { id: "next", className: "main" });
let record = newRecord("");
let seenFeedback = "";

function show() {
  stopClock();
  main.replaceChildren(record.status ? done() : screens[record.at]());
  problem.textContent = "";
  nav.hidden = Boolean(record.status);
  back.disabled = record.at === 0;
  next.textContent = record.at === last ? words.send : words.next;
  const entry = record.status ? null : data.entries[record.at - FIRST_ENTRY];
  if (record.status) showOutcome(outcome);
  else if (entry) { countTurn(entry.item); watchAnswers(entry); showAsked(entry); showPicture(entry); }
  else showKeys();
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

function go(at) {
  record.at = at;
  if (at >= FIRST_ENTRY) keep(record);
  if (server) flush();
  show();
}

// Each screen is a step of the browser's history, so that a phone's back gesture goes one back.
function goOn(at) {
  history.pushState({ at }, "");
  go(at);
}

// A step may be of somebody who was here before: nobody gets by it past what is still to be answered.
function stepTo({ state }) {
  if (record.status || typeof state?.at !== "number") return;
  stampTime(data.entries[record.at - FIRST_ENTRY]);
  go(Math.min(state.at, record.presented.consent ? firstOpen() : CONSENT));
}

function firstOpen() {
  const open = data.entries.findIndex((entry) => missingIn(entry));
  return FIRST_ENTRY + (open < 0 ? data.entries.length : open);
}

function keepSteps() {
  history.scrollRestoration = "manual";
  if (history.state?.at === record.at) return;
  history.replaceState({ at: 0 }, "");
  for (let at = 1; at <= record.at; at += 1) history.pushState({ at }, "");
}

function forward(event) {
  if (next.disabled) return;  // the Enter key knows no disabled button
  if (event?.detail > 1) return;  // the second click of two is meant for the screen before
  if (record.at === CONSENT) decideConsent();
  else if (record.at === last) finish("complete");
  else if (record.at >= FIRST_ENTRY) leaveEntry(data.entries[record.at - FIRST_ENTRY]);
  else goOn(record.at + 1);
}

function backward() {
  if (record.at > 0) history.back();
}

function complain(box) {
  problem.textContent = words.required;
  box?.classList.add("missing");
  box?.querySelector("input, textarea, [tabindex='0']")?.focus();
}

async function decideConsent() {
  if (consentGiven === "no") { decline(); return; }
  if (!consentGiven) { complain(main.querySelector("fieldset")); return; }
  if (!server && !typed) { complain(null); document.getElementById("participant").focus(); return; }
  const participant = server ? record.participant : typed;
  next.disabled = true;
  const kept = server ? record : await recall(participant);
  next.disabled = false;
  if (kept) record = kept;
  else if (participant !== record.participant) record = newRecord(participant);
  onScreen.clear();
  open.clear();
  remember(participant);
  if (record.status) { show(); settle(); return; }
  if (!record.presented.consent) record.presented = { consent: { at: now(), ...data.consent }, order: orders() };
  goOn(Math.max(record.at, FIRST_ENTRY));
}

function decline() {
  erase({ participant: server ? record.participant : typed });
  forget();
  Object.assign(record, { answers: {}, pending: {} });
  finish("no consent");
}

// For how long an item was seen is known when its person goes on.
function stampTime(entry) {
  const answer = record.answers[entry?.item];
  if (answer) Object.assign(answer, { shown: shownFor(entry.item), took: tookFor(entry.item) });
}

async function leaveEntry(entry) {
  if (!isSeen(entry) && !isLeftOut(entry)) { problem.textContent = words["image.loading"]; return; }
  const unread = unreadAnswer(entry);
  if (unread) {
    problem.textContent = words["page.below"];
    unread.scrollIntoView({ block: "center" });
    return;
  }
  acceptDrafts(entry);
  const missing = missingIn(entry);
  if (missing) { complain(boxOf(missing.id)); return; }
  stampTime(entry);
  if (server && await holdForFeedback(entry)) return;
  if (!record.status) goOn(record.at + 1);
}

// What is said of a training item is read before the next one comes. No other item waits for the
// network: who goes on fast would choose again where they think to be one further.
const PATIENCE = 4000;

async function holdForFeedback(entry) {
  if (seenFeedback === entry.item || data.entries.indexOf(entry) >= server.training) return false;
  next.disabled = true;
  await Promise.race([flush(), new Promise((resolve) => { setTimeout(resolve, PATIENCE); })]);
  next.disabled = false;
  const reply = feedback.get(entry.item);
  if (!reply || record.status) return Boolean(record.status);
  seenFeedback = entry.item;
  const place = document.getElementById("feedback");
  place.textContent = reply.text;
  place.classList.add(reply.correct ? "right" : "wrong");
  place.scrollIntoView({ block: "nearest" });
  return true;
}

function finish(status) {
  record.status = status;
  record.submitted = now();
  if (status !== "no consent") keep(record);
  show();
  settle();
}

function settle() {
  if (server) { showOutcome("sending"); flush(); return; }
  if (record.status === "no consent") return;
  if (record.sent) showOutcome("arrived");
  else if (data.send_to) send(record);
  else showOutcome("kept");
}

function takeKey(event) {
  // A key that is held is meant once: repeated, it would answer the next question, or send.
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || record.status) return;
  const isTyping = event.target.matches("textarea, input[type=text]");
  if (event.key === "Enter" && !event.target.matches("textarea, button, summary, [role=button]")) {
    event.preventDefault();
    if (!focusNext(event.target)) forward();
    return;
  }
  // Keyboards of some languages write other digits, or letters, with the key that says 1.
  const key = /^([0-9])$/.exec(event.key) || (event.shiftKey ? null : /^(?:Digit|Key)([0-9A-Z])$/.exec(event.code));
  if (!isTyping && key) choose(key[1].toLowerCase());
}

async function begin() {
  const address = new URLSearchParams(location.search);
  typed = (server ? "" : address.get("PROLIFIC_PID") || "").trim().slice(0, 200);
  if (typed.startsWith("{{")) typed = "";  // a placeholder that no service has filled in
  const participant = server ? server.place || server.answer : typed || participantOfReload();
  record = (participant && await recall(participant)) || newRecord(participant);
  if (!typed) typed = participant;
  if (server) resume();
  if (!record.presented.consent) record.at = Math.min(record.at, CONSENT);
  if (record.at >= FIRST_ENTRY) consentGiven = "yes";
  // Buttons and keys come with the record: what was chosen before would go with the empty one.
  nav.append(problem, connection, back, next);
  document.addEventListener("keydown", takeKey);
  addEventListener("popstate", stepTo);
  main.addEventListener("focusin", showKeys);
  addEventListener("scroll", showKeys, { passive: true });
  addEventListener("online", server ? flush : sendAll);
  if (server) addEventListener("pagehide", leave);
  keepSteps();
  show();
  if (record.status) settle();
  if (server) flush(); else sendAll();
}
begin();
