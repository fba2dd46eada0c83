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
  const entry = data.entries[record.at - FIRST_ENTRY];
  if (record.status) showOutcome(outcome);
  else if (entry) { showAsked(entry); showPicture(entry); }
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

function forward() {
  if (next.disabled) return;  // the Enter key knows no disabled button
  if (record.at === CONSENT) decideConsent();
  else if (record.at === last) finish("complete");
  else if (record.at >= FIRST_ENTRY) leaveEntry(data.entries[record.at - FIRST_ENTRY]);
  else go(record.at + 1);
}

function backward() {
  if (record.at > 0) go(record.at - 1);
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
  remember(participant);
  if (record.status) { show(); settle(); return; }
  go(Math.max(record.at, FIRST_ENTRY));
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
  if (answer) answer.shown = shownFor(entry.item);
}

async function leaveEntry(entry) {
  if (!isSeen(entry) && !isLeftOut(entry)) { problem.textContent = words["image.loading"]; return; }
  acceptDrafts(entry);
  const missing = missingIn(entry);
  if (missing) { complain(boxOf(missing.id)); return; }
  stampTime(entry);
  if (server && await holdForFeedback(entry)) return;
  if (!record.status) go(record.at + 1);
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
    forward();
    return;
  }
  // Keyboards of some languages write other digits, or letters, with the key that says 1.
  const digit = /^([0-9])$/.exec(event.key) || (event.shiftKey ? null : /^Digit([0-9])$/.exec(event.code));
  if (!isTyping && digit) choose(digit[1]);
}

async function begin() {
  const address = new URLSearchParams(location.search);
  typed = (server ? "" : address.get("PROLIFIC_PID") || "").trim().slice(0, 200);
  if (typed.startsWith("{{")) typed = "";  // a placeholder that no service has filled in
  const participant = server ? server.place || server.answer : typed || participantOfReload();
  record = (participant && await recall(participant)) || newRecord(participant);
  if (!typed) typed = participant;
  if (server) resume();
  if (record.at >= FIRST_ENTRY) consentGiven = "yes";
  // Buttons and keys come with the record: what was chosen before would go with the empty one.
  nav.append(problem, connection, back, next);
  document.addEventListener("keydown", takeKey);
  main.addEventListener("focusin", showKeys);
  addEventListener("scroll", showKeys, { passive: true });
  addEventListener("online", server ? flush : sendAll);
  if (server) addEventListener("pagehide", leave);
  show();
  if (record.status) settle();
  if (server) flush(); else sendAll();
}
begin();
