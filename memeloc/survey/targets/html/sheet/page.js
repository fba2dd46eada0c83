// What the page knows and is made of. In: the data in the page. Out: its texts and elements.
//
// The data are encoded, so that nobody who glances at the source reads a code in it. They are not
// secret: who wants to can decode them. Only a server keeps codes to itself.

const page = JSON.parse(document.getElementById("sheet").textContent);
const data = JSON.parse(
  new TextDecoder().decode(Uint8Array.from(atob(page.sheet), (byte) => byte.charCodeAt(0))));
const words = data.words;
const server = data.serve;
const main = document.querySelector("main");
const nav = document.querySelector("nav");

function written(value) {
  return String(value).replace(/[0-9]/g, (digit) => [...data.digits][digit]);
}

function filled(key, values) {
  return words[key].replace(/\{([a-z_]+)\}/g, (whole, name) => {
    if (!(name in values)) return whole;
    return typeof values[name] === "number" ? written(values[name]) : values[name];
  });
}

function now() {
  return new Date().toISOString();
}

// Texts of a language that has no translation yet are read in their own direction.
const TEXTS = ["p", "h1", "h2", "legend", "figcaption", "dt", "dd", "li", "button", "summary"];

function make(tag, properties = {}, ...inside) {
  const element = document.createElement(tag);
  if (TEXTS.includes(tag)) element.dir = "auto";
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value; else element.setAttribute(name, value);
  }
  element.append(...inside.filter((part) => part !== null));
  return element;
}

function button(text, onClick, properties = {}) {
  const element = make("button", { type: "button", ...properties }, text);
  element.addEventListener("click", onClick);
  return element;
}

function picture(shown, number) {
  if (!shown.picture) return null;
  const alt = filled("image.alt", { number, caption: shown.caption });
  const image = make("img", { alt, decoding: "async" });
  if (!shown.item) image.src = page.pictures[shown.picture];  // an item's is shown by `showPicture`
  return make("figure", {}, image);
}
