const sheet = document.getElementById("graph");
const elements = JSON.parse(sheet.dataset.elements);
const ink = getComputedStyle(document.body).color;
const rows = Math.max(1, ...elements.map(({ data }) => (data.row ?? -1) + 1));
sheet.style.height = `${rows * 58 + 20}px`;
const box = (width, lines) => ({
  shape: "round-rectangle", width, height: 46, label: "data(text)", "font-size": 12, "text-wrap": "wrap",
  "text-max-width": width - 12, "text-valign": "center", color: "#111", "border-width": 1,
  "background-color": (node) => `hsl(${node.data("hue")}, 60%, 92%)`,
  "border-color": (node) => `hsl(${node.data("hue")}, 50%, 50%)`,
});
const row = (node) => node.data("row");
const arc = (side, colour) => ({
  "curve-style": "unbundled-bezier", "edge-distances": "endpoints", "target-arrow-shape": "triangle",
  "control-point-distances": (edge) => (row(edge.source()) > row(edge.target()) ? 55 : -55) * side,
  "source-endpoint": `${50 * side}% 0%`, "target-endpoint": `${50 * side}% 0%`, label: "data(text)",
  "line-color": colour, "target-arrow-color": colour, "font-size": 11, color: ink,
});
const graph = cytoscape({
  container: sheet, elements, userZoomingEnabled: false, userPanningEnabled: false,
  layout: {
    name: "preset", padding: 30,
    positions: (node) => ({ x: node.data("kind") === "entity" ? 640 : 0, y: row(node) * 56 }),
  },
  style: [
    { selector: "node[kind = 'statement']", style: box(400) },
    { selector: "node[kind = 'entity']", style: box(210) },
    { selector: "edge", style: { width: 1.2, "line-color": "#8888", "curve-style": "straight" } },
    { selector: "edge[kind = 'about']", style: { "source-endpoint": "50% 0%", "target-endpoint": "-50% 0%" } },
    { selector: "edge[kind = 'rests']", style: arc(-1, "#c2410c") },
    { selector: "edge[kind = 'relation']", style: arc(1, "#3b5bdb") },
  ],
});
graph.on("tap", "node[kind = 'statement']", ({ target }) => { location.hash = target.id(); });
