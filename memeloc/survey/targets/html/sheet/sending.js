// Answers of a page without a server of ours. In: a record. Out: a request, or a file.
//
// An answer of the receiver that the page may read (it has Access-Control-Allow-Origin, or comes
// from where the page does) confirms that the answers arrived. A receiver without that header still
// gets them, but the page cannot see whether it took them: then the person saves a file as well.

const SHORTEST_WAIT = 5000;
const LONGEST_WAIT = 300000;

function contentOf(kept) {
  const isComplete = kept.status === "complete";
  const answers = data.entries.map(({ item, questions }) => ({ item, at: kept.answers[item]?.at,
    ...answerOf(questions, kept.answers[item] || { given: {} }) }));
  return {
    memeloc: "survey-answers", version: 3, survey: data.survey, sheet: data.sheet,
    submission: kept.submission, participant: kept.participant, status: kept.status,
    started: kept.started, submitted: kept.submitted, code: isComplete ? data.codes.done : "",
    comments: kept.comments, presented: kept.presented,
    answers: answers.filter(({ label, further, shown }) => label || Object.keys(further).length || shown === 0),
  };
}

// "arrived", "refused", "unconfirmed" (somebody answered, and the page may not read what), "offline".
async function post(body) {
  const request = {
    method: "POST", body, headers: { "Content-Type": "text/plain" }, credentials: "omit", cache: "no-store",
  };
  try {
    const reply = await fetch(data.send_to, request);
    return reply.ok ? "arrived" : "refused";
  } catch { /* nobody is there, or the reply may not be read */ }
  try {
    await fetch(data.send_to, { ...request, mode: "no-cors" });
    return "unconfirmed";
  } catch { return "offline"; }
}

const sending = new Set();
const waits = new Map();

// Who does not agree sends nothing.
async function send(kept) {
  if (!data.send_to || kept.status === "no consent" || kept.sent || sending.has(kept.submission)) return;
  sending.add(kept.submission);
  if (kept === record) showOutcome("sending");
  const outcome = await post(JSON.stringify(contentOf(kept)));
  sending.delete(kept.submission);
  if (outcome === "arrived") clear(kept);
  else if (outcome !== "unconfirmed") sendLater(kept);
  if (kept === record) showOutcome(outcome);
}

function sendLater(kept) {
  const wait = Math.min(2 * (waits.get(kept.submission) || SHORTEST_WAIT / 2), LONGEST_WAIT);
  waits.set(kept.submission, wait);
  setTimeout(() => send(kept), wait);
}

// What others who sat here have finished, and what could not be sent then.
async function sendAll() {
  for (const kept of await allStored()) {
    if (kept.submission === record.submission) learn(record, kept);
    else if (kept.status) send(kept);
  }
  if (record.status) send(record);
}

function saveFile() {
  const text = `${JSON.stringify(contentOf(record), null, 1)}\n`;
  const file = new Blob([text], { type: "application/json" });
  const name = `${data.sheet}-${record.submission.slice(0, 8)}.json`;
  const link = make("a", { href: URL.createObjectURL(file), download: name });
  document.body.append(link);
  link.click();
  link.remove();
}
