"use strict";
// How far a survey is. In: the numbers that the server gives. Out: what the owner sees, kept fresh.
(() => {
  const EVERY = 5000;
  const address = document.body.dataset.numbers;
  const byId = (id) => document.getElementById(id);
  const written = (number) => (number === null ? "–" : number.toLocaleString("en"));

  function make(tag, text = "", properties = {}) {
    const element = Object.assign(document.createElement(tag), properties);
    element.textContent = text;
    return element;
  }

  function bar(share, className) {
    const element = make("i", "", { className });
    element.style.inlineSize = `${100 * Math.min(1, share)}%`;
    return element;
  }

  function card(culture) {
    const element = make("article", "", { className: "card" });
    const meter = make("div", "", { className: "meter" });
    const of = Math.max(1, culture.wanted);
    meter.append(bar(culture.answered / of, "in"), bar(culture.kept / of, "kept"));
    const kept = `${written(culture.kept)} answers kept of ${written(culture.wanted)} wanted`;
    const more = `${written(culture.answered)} in, ${written(culture.at_it)} at it now`;
    element.append(make("h2", culture.culture), meter, make("p", kept), make("p", more));
    return element;
  }

  const COLUMNS = ["kept", "answered", "wanted", "at_it", "sent", "retained", "annotators", "minutes",
    "stopped", "screened_out", "declined", "left"];

  function row(culture) {
    const element = make("tr");
    element.append(make("th", culture.culture, { scope: "row" }));
    for (const name of COLUMNS) element.append(make("td", written(culture[name])));
    return element;
  }

  function stopBars(live) {
    const most = Math.max(1, ...Object.values(live.stops));
    return Array.from({ length: live.items }, (_, index) => {
      const people = live.stops[index + 1] || 0;
      const element = make("li", "", { className: people ? "some" : "none" });
      element.title = `item ${index + 1}: ${people}`;
      const column = make("i");
      column.style.blockSize = `${70 * people / most}%`;
      element.append(make("b", people ? written(people) : ""), column, make("span", String(index + 1)));
      return element;
    });
  }

  function show(live) {
    byId("cultures").replaceChildren(...live.cultures.map(card));
    byId("rows").replaceChildren(...live.cultures.map(row));
    const anybody = Object.keys(live.stops).length > 0;
    byId("stops").replaceChildren(...(anybody ? stopBars(live) : []));
    byId("stops").hidden = !anybody;
    byId("nobody").hidden = anybody;
    byId("state").textContent = `As of ${new Date(live.at).toLocaleTimeString("en-GB")}`;
    byId("state").className = "";
  }

  async function refresh() {
    try {
      const reply = await fetch(address, { cache: "no-store" });
      if (!reply.ok) throw new Error(String(reply.status));
      show(await reply.json());
    } catch {
      byId("state").textContent = "The server cannot be reached; trying again.";
      byId("state").className = "lost";
    }
    setTimeout(refresh, document.hidden ? 4 * EVERY : EVERY);
  }
  refresh();
})();
