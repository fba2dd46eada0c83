// What the browser keeps. In: a participant. Out: that person's record, and nobody else's.
//
// A record belongs to a sheet and a participant: another participant at the same browser does not
// see it, and it is there when the first one comes back. Once its answers have arrived only the
// fact remains, so that who comes twice is not asked twice.

const PREFIX = `memeloc:${data.survey}:${data.sheet}:`;
const SESSION = `memeloc:${data.survey}:${data.sheet}`;

function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function newRecord(participant) {
  return {
    submission: randomId(), participant, started: now(), at: 0, answers: {}, comments: "",
    status: "", submitted: "", sent: false, saved: false, number: 0, pending: {},
  };
}

// A browser may refuse to store anything; then the page works as long as it is open.
function attempt(action) {
  try { return action(); } catch { return null; }
}

function parsed(text) {
  const value = attempt(() => JSON.parse(text));
  return value && value.submission ? { ...newRecord(value.participant), ...value } : null;
}

function stored(participant) {
  return parsed(attempt(() => localStorage.getItem(PREFIX + participant)));
}

function allStored() {
  const keys = attempt(() => Object.keys(localStorage)) || [];
  return keys.filter((key) => key.startsWith(PREFIX))
    .map((key) => parsed(attempt(() => localStorage.getItem(key)))).filter(Boolean);
}

function write(kept) {
  attempt(() => localStorage.setItem(PREFIX + kept.participant, JSON.stringify(kept)));
}

function erase(kept) {
  attempt(() => localStorage.removeItem(PREFIX + kept.participant));
}

// What another window of the same person has kept is joined, not written over. So is what comes to
// light late: a browser may show a file an empty store when it has just gone offline.
function join(kept) {
  const other = stored(kept.participant);
  if (!other) return;
  if (other.submission !== kept.submission) {
    kept.submission = other.submission;
    kept.started = other.started;
    kept.at = other.at;
    kept.comments ||= other.comments;
  }
  for (const [item, answer] of Object.entries(other.answers)) {
    if (!kept.answers[item] || kept.answers[item].at < answer.at) kept.answers[item] = answer;
  }
  for (const key of ["status", "submitted", "sent", "saved"]) kept[key] ||= other[key];
}

function keep(kept) {
  join(kept);
  write(kept);
}

// All that is left of a record whose answers have arrived.
function clear(kept) {
  Object.assign(kept, { answers: {}, comments: "", pending: {}, sent: true });
  const { submission, participant, status, sent } = kept;
  write({ submission, participant, status, sent });
}

// Who reloads the page before the end goes on; who opens it anew may be somebody else.
function participantOfReload() {
  const [entry] = performance.getEntriesByType("navigation");
  if (!entry || entry.type === "navigate") return "";
  return attempt(() => sessionStorage.getItem(SESSION)) || "";
}

function remember(participant) {
  attempt(() => sessionStorage.setItem(SESSION, participant));
}

function forget() {
  attempt(() => sessionStorage.removeItem(SESSION));
}
