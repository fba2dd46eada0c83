// Pictures: each comes whole and has been seen before its item can be answered. In: an entry. Out: its
// questions, to be answered; in the record, for how long it was seen, or that it was left out.
//
// Pictures are fetched before their turn. One that does not come whole, or cannot be decoded, is asked
// for three times, past caches and with more patience each time; then its item is left out, for nobody
// can say what they think of what they do not see. Who comes back to it has another chance.

const TRIES = 3;
const FIRST_PATIENCE = 20000;  // milliseconds of the first try: 400 kB over a slow telephone line
const UNNOTICED = 500;  // milliseconds of loading that nobody need read about
const addresses = new Map();  // by picture, the promise of what an img shows it by
const onScreen = new Map();  // by item, for how many milliseconds its picture was seen
const open = new Map();  // by item, for how many milliseconds its screen was open
const readAnswers = new Map();  // by item, the answers to choose from that were on the screen
const clock = { entry: null, since: 0, isInWindow: false };  // of the picture on this screen
const turn = { item: "", since: 0 };  // of the item on this screen
let isFetchingAhead = false;

function pause(milliseconds) {
  return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}

// A picture that was cut off is shown by browsers as if it was whole: only its size tells.
async function fetchPicture(key, patience, cache) {
  if (page.pictures[key].startsWith("data:")) return page.pictures[key];
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), patience);
  try {
    const reply = await fetch(page.pictures[key], { cache, signal: stop.signal });
    const content = await reply.blob();
    if (!reply.ok || content.size !== data.sizes[key]) throw new Error(`status ${reply.status}`);
    return URL.createObjectURL(content);
  } finally { clearTimeout(timer); }
}

function addressOf(key, patience = FIRST_PATIENCE, cache = "default") {
  if (!addresses.has(key)) {
    const coming = fetchPicture(key, patience, cache);
    addresses.set(key, coming);
    coming.catch(() => { if (addresses.get(key) === coming) addresses.delete(key); });
  }
  return addresses.get(key);
}

async function fetchAhead(entries) {
  if (!server || isFetchingAhead) return;
  isFetchingAhead = true;
  for (const { picture } of entries) if (picture) await addressOf(picture).catch(() => {});
}

function isLeftOut({ item }) {
  return record.answers[item]?.shown === 0;
}

// Who has answered an item has seen it, on another visit perhaps.
function isSeen({ item, picture }) {
  const { given = {}, shown = 0 } = record.answers[item] || {};
  return !picture || onScreen.has(item) || shown > 0 || Object.keys(given).length > 0;
}

function countTime() {
  if (!clock.since) return;
  const at = performance.now();
  onScreen.set(clock.entry.item, onScreen.get(clock.entry.item) + at - clock.since);
  clock.since = at;
}

// Milliseconds that an item's picture was seen; 0 if it was left out, undefined of an item without.
function shownFor(item) {
  countTime();
  return onScreen.has(item) ? Math.max(1, Math.round(onScreen.get(item))) : record.answers[item]?.shown;
}

function countTurn(item = turn.item) {
  const at = performance.now();
  if (turn.since) open.set(turn.item, (open.get(turn.item) ?? record.answers[turn.item]?.took ?? 0) + at - turn.since);
  Object.assign(turn, { item, since: item && document.visibilityState === "visible" ? at : 0 });
}

// Milliseconds that an item's screen was open, also on visits before.
function tookFor(item) {
  countTurn();
  if (!open.has(item)) return record.answers[item]?.took;
  return Math.round(open.get(item));
}

function runClock() {
  countTime();
  clock.since = clock.isInWindow && document.visibilityState === "visible" ? performance.now() : 0;
  if (!clock.since || onScreen.has(clock.entry.item)) return;
  const { item } = clock.entry;
  onScreen.set(item, record.answers[item]?.shown || 0);
  if (isLeftOut(clock.entry)) {
    delete record.answers[item];
    delete record.pending[item];
  }
  showAsked(clock.entry);
}

let observer = null;
let answersObserver = null;

// What the bar with the buttons covers is not seen; of a window that it fills, half counts in any case,
// so that nobody waits for what cannot be.
function watch(image) {
  const covered = Math.min(nav.offsetHeight, innerHeight / 2);
  observer = new IntersectionObserver((changes) => {
    clock.isInWindow = changes[changes.length - 1].intersectionRatio >= .5;
    runClock();
  }, { threshold: .5, rootMargin: `0px 0px -${covered}px` });
  observer.observe(image);
}
document.addEventListener("visibilitychange", () => { runClock(); countTurn(); });

// Note which answers were on the screen: whoever chooses has to have had all of them in view.
function watchAnswers({ item }) {
  if (!readAnswers.has(item)) readAnswers.set(item, new Set());
  const covered = Math.min(nav.offsetHeight, innerHeight / 2);
  answersObserver = new IntersectionObserver((changes) => {
    for (const { isIntersecting, target } of changes) if (isIntersecting) readAnswers.get(item).add(target.dataset.answer);
  }, { threshold: .9, rootMargin: `0px 0px -${covered}px` });
  for (const label of main.querySelectorAll("label.choice")) answersObserver.observe(label);
}

// The first answer that was not on the screen yet, of the questions that are asked.
function unreadAnswer({ item }) {
  return shownBoxes().flatMap((box) => [...box.querySelectorAll("label.choice")])
    .find((label) => !readAnswers.get(item).has(label.dataset.answer));
}

// Make the picture as small as it has to be for all answers to fit below it, or beside it for itself to
// fit above the buttons, but no smaller than a third of the window: below that the captions of memes
// cannot be read on a phone.
function fitPicture() {
  const image = main.querySelector(".entry figure img");
  const box = main.querySelector("fieldset:not([hidden])");
  if (!image?.naturalWidth || !box) return;
  image.style.maxHeight = "";
  const side = image.getBoundingClientRect();
  const answers = box.getBoundingClientRect();
  const lowest = answers.top < side.bottom ? side.bottom : answers.bottom;
  const below = lowest + scrollY + nav.offsetHeight - innerHeight;
  if (below > 0) image.style.maxHeight = `${Math.max(side.height - below, innerHeight / 3)}px`;
}
addEventListener("resize", fitPicture);
new ResizeObserver(fitPicture).observe(nav);  // it has a line more without a connection

function stopClock() {
  observer?.disconnect();
  answersObserver?.disconnect();
  clock.isInWindow = false;
  runClock();
  countTurn("");
}

// Show the picture of the entry on this screen, and its questions once it was seen.
async function showPicture(entry) {
  const figure = main.querySelector("figure");
  if (!figure) return;
  const image = figure.querySelector("img");
  const state = make("p", { className: "hint", role: "status" });
  const line = (key) => make("span", { className: key.replace(".", "-") }, words[key]);
  const say = (...keys) => state.replaceChildren(...keys.map(line));
  figure.append(state);
  figure.classList.add("waiting");
  setTimeout(() => { if (!state.childNodes.length) say("image.loading"); }, UNNOTICED);
  for (let count = 1; count <= TRIES; count += 1) {
    try {
      image.src = await addressOf(entry.picture, count * FIRST_PATIENCE, count > 1 ? "reload" : "default");
      await image.decode();
      if (!figure.isConnected) return;
      state.remove();
      figure.classList.remove("waiting");
      clock.entry = entry;
      fitPicture();
      watch(image);
      fetchAhead(data.entries.slice(data.entries.indexOf(entry)));
      return;
    } catch {
      addresses.delete(entry.picture);
      if (!figure.isConnected) return;
      if (count < TRIES) say("image.missing", "image.again");
      if (server && count < TRIES) await pause(count * 1000);
      if (server && !navigator.onLine) count = 0;  // it is no fault of the picture's
      while (server && !navigator.onLine && figure.isConnected) await pause(1000);
    }
  }
  if (isSeen(entry) || !figure.isConnected) return;
  say("image.missing", "image.left-out");
  record.answers[entry.item] = { given: {}, at: now(), shown: 0 };
  if (server) note(entry.item);
  keep(record);
  showAsked(entry);
}
