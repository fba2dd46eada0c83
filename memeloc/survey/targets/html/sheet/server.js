// Answers of a page that `memeloc survey serve` shows. In: a record. Out: a request for each answer.
//
// An item is sent when its person goes on, or leaves the page: arrow keys choose each answer that they
// pass on the way to another, and the server judges what it gets.
//
// What the server has not confirmed stays pending in the browser, an item once, and is tried again
// until it has. An answer's number grows with each change of it, also in another browser.

const FIRST_WAIT = 1000;
const SLOWEST_WAIT = 30000;
const feedback = new Map();
let flushing = null;
let timer = 0;
let delay = FIRST_WAIT;

function note(item) {
  record.number = Math.max(record.number + 1, server.number || 0, Date.now());
  record.pending[item] = record.number;
}

// Its content. A server that lacks answers at the end (409) is sent all of them again.
async function postTo(address, value) {
  const reply = await fetch(address, {
    method: "POST", body: JSON.stringify(value), cache: "no-store",
    keepalive: true,  // of a page that is left
    headers: { "Content-Type": "application/json", "X-CSRF-Token": server.csrf },
  });
  const content = await reply.json().catch(() => ({}));
  if (reply.status === 409) {
    record.isAgreed = false;
    for (const item of Object.keys(record.answers)) note(item);
  }
  if (!reply.ok && !content.ended) throw new Error(`status ${reply.status}`);
  return content;
}

function postAnswer(item, number) {
  const { questions } = data.entries.find((entry) => entry.item === item);
  return postTo(server.answer, { item, ...answerOf(questions, record.answers[item]), number });
}

// No answer is taken of somebody whose consent the server does not have.
async function postConsent() {
  if (record.isAgreed || !record.presented.consent || record.status === "no consent") return;
  const content = await postTo(server.consent, record.presented);
  record.isAgreed = true;
  write(record);
  if (content.ended) end(content.ended);
}

async function postPending() {
  if (!record.reply) await postConsent();
  while (!record.reply && Object.keys(record.pending).length) {
    const [item, number] = Object.entries(record.pending).sort(([, a], [, b]) => a - b)[0];
    const content = await postAnswer(item, number);
    if (record.pending[item] === number) delete record.pending[item];
    write(record);
    if (content.feedback) feedback.set(item, content.feedback);
    if (content.ended) end(content.ended);
  }
  if (!record.status || record.reply) return;
  end(await postTo(server.finish, { status: record.status, comments: record.comments }));
}

// Send what is pending; true when the server has all of it.
function flush() {
  flushing ||= postPending()
    .then(() => {
      delay = FIRST_WAIT;
      connection.textContent = "";
      return true;
    })
    .catch(() => {
      connection.textContent = words["saved.offline"];
      clearTimeout(timer);
      timer = setTimeout(flush, delay);
      delay = Math.min(2 * delay, SLOWEST_WAIT);
      if (record.status) showOutcome("offline");
      return false;
    })
    .finally(() => { flushing = null; });
  return flushing;
}

// A page that is left cannot wait for one reply to send the next answer. All stay pending: who comes
// back sends them again, and the server stores each once.
function leave() {
  stampTime(data.entries[record.at - FIRST_ENTRY]);
  postConsent().catch(() => {});
  for (const [item, number] of Object.entries(record.pending)) postAnswer(item, number).catch(() => {});
}

function end(reply) {
  record.reply = reply;
  record.status ||= "complete";
  erase(record);
  showOutcome("arrived");
}

// The answers that the server has from an earlier visit, or another browser.
function resume() {
  const at = now();
  for (const [item, { label, further, shown, took }] of Object.entries(server.stored)) {
    const given = { ...further, ...(label ? { label: [label] } : {}) };
    if (!(item in record.pending)) record.answers[item] = { given, at, shown, took };
  }
  if (!record.presented.consent && server.presented) Object.assign(record, { presented: server.presented, isAgreed: true });
  if (!record.at && Object.keys(record.answers).length) record.at = firstOpen();
}
