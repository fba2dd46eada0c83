// A passage of the caption. In: the caption, "12-20". Out: its words, which can be chosen.
//
// A first word is chosen by mouse, touch or keyboard, then a last one; choosing the only chosen
// word again takes it back. Offsets are code points of the caption, the end exclusive.

// A browser that knows no words lets people choose letters.
function segmentsOf(caption) {
  if (!Intl.Segmenter) return [...caption];
  const segmenter = new Intl.Segmenter(document.documentElement.lang, { granularity: "word" });
  return [...segmenter.segment(caption)].map(({ segment }) => segment);
}

function wordsOf(caption) {
  let offset = 0;
  return segmentsOf(caption).map((segment) => {
    const start = offset;
    offset += [...segment].length;
    // White space, the mark between two parts of a caption and punctuation are not chosen alone.
    return { text: segment, start, end: offset, isWord: /[^\s\p{P}]/u.test(segment) };
  });
}

function passage(caption, values, onChange) {
  const parts = wordsOf(caption);
  const tokens = parts.filter(({ isWord }) => isWord);
  const points = [...caption];
  const chosen = make("output", { className: "hint", dir: "auto" });
  let [first, last] = rangeOf(values[0]);
  let pressed = -1;

  function rangeOf(value) {
    const [start, end] = value ? value.split("-").map(Number) : [-1, -1];
    return [tokens.findIndex((token) => token.start === start), tokens.findIndex((token) => token.end === end)];
  }
  function isChosen(index) {
    return first >= 0 && index >= first && index <= last;
  }
  function show() {
    elements.forEach((element, index) => element.setAttribute("aria-pressed", String(isChosen(index))));
    const text = first < 0 ? "" : points.slice(tokens[first].start, tokens[last].end).join("");
    chosen.value = first < 0 ? "" : filled("page.chosen", { text });
    remove.hidden = first < 0;
  }
  function set(from, to) {
    if (line.closest("fieldset:disabled")) return;
    [first, last] = [Math.min(from, to), Math.max(from, to)];
    show();
    onChange(first < 0 ? [] : [`${tokens[first].start}-${tokens[last].end}`]);
  }
  function choosePoint(index) {
    if (first < 0 || first !== last) set(index, index);
    else if (first === index) set(-1, -1);
    else set(first, index);
  }
  function focus(index) {
    if (!elements[index]) return;
    elements.forEach((element, place) => { element.tabIndex = place === index ? 0 : -1; });
    elements[index].focus();
  }
  function onKey(event, index) {
    const isBackward = getComputedStyle(elements[index]).direction === "rtl";
    const step = { ArrowRight: isBackward ? -1 : 1, ArrowLeft: isBackward ? 1 : -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) focus(index + step);
    else if (event.key === " " || event.key === "Enter") choosePoint(index);
    else return;
    event.preventDefault();
  }
  // Elements that are inline, not buttons: a line of them is ordered as the text that it is.
  const elements = tokens.map((token, index) => {
    const element = make("span", { role: "button", tabIndex: index ? -1 : 0, className: "word" }, token.text);
    element.addEventListener("keydown", (event) => onKey(event, index));
    element.addEventListener("pointerdown", () => { pressed = index; });
    element.addEventListener("pointerup", () => {
      if (pressed >= 0 && pressed !== index) set(pressed, index);
    });
    element.addEventListener("click", () => { focus(index); choosePoint(index); });
    return element;
  });
  const line = make("p", { className: "caption" });
  let between = "";
  const endBetween = () => {
    line.append(/^\s*\/\/\s*$/.test(between) ? make("br") : between);
    between = "";
  };
  for (const part of parts) {
    if (!part.isWord) { between += part.text; continue; }
    endBetween();
    line.append(elements[tokens.indexOf(part)]);
  }
  endBetween();
  const remove = button(words["page.remove"], () => set(-1, -1), { className: "quiet" });
  show();
  return [make("p", { className: "hint" }, words["page.passage"]), line, chosen, remove];
}
