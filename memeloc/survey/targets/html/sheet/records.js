// What the browser keeps. In: a participant. Out: that person's record, and nobody else's.
//
// A record belongs to a sheet and a participant: another participant at the same browser does not
// see it, and it is there when the first one comes back. Once its answers have arrived only the
// fact remains, so that who comes twice is not asked twice.

const SHEET = ["survey", data.survey, data.sheet];
const SESSION = `memeloc:${data.survey}:${data.sheet}`;

function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function newRecord(participant) {
  return {
    submission: randomId(), participant, started: now(), at: 0, answers: {}, comments: "",
    status: "", submitted: "", sent: false, saved: false, number: 0, pending: {},
    presented: {}, isAgreed: false,  // what was agreed to and how, and whether the server has that
  };
}

// A record in parts with a key each: its fields, and each item's answer and number.
function partsOf({ answers, pending, ...fields }) {
  const parts = Object.entries(fields).map(([field, value]) => [[field, ""], value]);
  for (const [item, answer] of Object.entries(answers)) parts.push([["answers", item], answer]);
  for (const [item, number] of Object.entries(pending)) parts.push([["pending", item], number]);
  return parts.map(([name, value]) => [[...SHEET, fields.participant, ...name], value]);
}

function recordsOf(entries) {
  const records = new Map();
  for (const [[, , , participant, field, item], value] of entries) {
    if (!records.has(participant)) records.set(participant, newRecord(participant));
    const kept = records.get(participant);
    if (item) kept[field][item] = value; else kept[field] = value;
  }
  return records;
}

// A browser may refuse to store anything; then the page works as long as it is open.
async function allStored() {
  return [...recordsOf(await storedUnder(SHEET).catch(() => [])).values()];
}

async function stored(participant) {
  const entries = await storedUnder([...SHEET, participant]).catch(() => []);
  return recordsOf(entries).get(participant) || null;
}

function change(changes) {
  return changeStored(changes).catch(() => {});
}

// An answer goes before what another window could not show, whenever that was.
function isNewer(answer, before) {
  if (!before || before.shown === 0 || answer.shown === 0) return !before || answer.shown !== 0;
  return before.at < answer.at;
}

// What another window of the same person has kept.
function join(kept, other) {
  if (!other) return;
  if (other.submission !== kept.submission) {
    kept.submission = other.submission;
    kept.started = other.started;
    kept.at = other.at;
    kept.presented = other.presented;
  }
  for (const [item, answer] of Object.entries(other.answers)) {
    if (isNewer(answer, kept.answers[item])) kept.answers[item] = answer;
  }
  for (const key of ["comments", "status", "submitted", "sent", "saved"]) kept[key] ||= other[key];
}

// Only what this window has changed is written: what it read or wrote last, by participant.
const known = new Map();

function asTexts(kept) {
  return new Map(partsOf(kept).map(([key, value]) => [JSON.stringify(key), JSON.stringify(value)]));
}

// The record that a participant goes on with.
async function recall(participant) {
  const kept = await stored(participant);
  if (kept) known.set(participant, asTexts(kept));
  return kept;
}

function write(kept) {
  const before = known.get(kept.participant) || new Map();
  const after = asTexts(kept);
  known.set(kept.participant, after);
  const parsed = (text) => JSON.parse(text);
  return changeStored({
    remove: [...before.keys()].filter((key) => !after.has(key)).map(parsed),
    put: [...after].filter(([key, value]) => before.get(key) !== value).map((entry) => entry.map(parsed)),
  }).catch(() => known.delete(kept.participant));  // so that all of it is written the next time
}

async function keep(kept) {
  await write(kept);
  if (!kept.sent) learn(kept, await stored(kept.participant));
}

// Another window of the same person may have come to the end, or sent all of it, meanwhile.
function learn(kept, other) {
  const { status, sent } = kept;
  join(kept, other);
  if (kept.status === status && kept.sent === sent) return;
  if (kept.sent) clear(kept);
  if (kept !== record) return;
  show();
  settle();
}

function erase({ participant }) {
  known.delete(participant);
  return change({ remove: [keysUnder([...SHEET, participant])] });
}

// All that is left of a record whose answers have arrived.
function clear(kept) {
  Object.assign(kept, { answers: {}, comments: "", pending: {}, sent: true });
  const { submission, participant, status, sent } = kept;
  const left = partsOf({ submission, participant, status, sent, answers: {}, pending: {} });
  return change({ remove: [keysUnder([...SHEET, participant])], put: left });
}

// Who reloads the page before the end goes on; who opens it anew may be somebody else.
function participantOfReload() {
  const [entry] = performance.getEntriesByType("navigation");
  if (!entry || entry.type === "navigate") return "";
  try { return sessionStorage.getItem(SESSION) || ""; } catch { return ""; }
}

function remember(participant) {
  try { sessionStorage.setItem(SESSION, participant); } catch { /* then a reload asks again */ }
}

function forget() {
  try { sessionStorage.removeItem(SESSION); } catch { /* it was refused before */ }
}
