"use strict";
const drawings = JSON.parse(document.getElementById("drawings").textContent);
const rows = [...document.querySelectorAll("section.people tbody tr")];
const cells = rows.map(row => [...row.children].map(cell => cell.textContent.trim()));
const search = document.getElementById("search"), found = document.getElementById("found");
const MOST = 200;  // rows shown at once
function show() {
  const words = search.value.toLowerCase().trim();
  let n = 0;
  rows.forEach((row, i) => {
    const hit = !words || (cells[i][0] + " " + cells[i][1]).toLowerCase().includes(words);
    row.hidden = !hit || n >= MOST;
    n += hit;
  });
  found.textContent = n > MOST ? `${MOST} of ${n} rows are shown` : n === 1 ? "1 row" : `${n} rows`;
}
function draw(person, arm) {
  const data = drawings[person] && drawings[person][arm];
  const place = document.getElementById("drawing");
  place.replaceChildren();
  if (!data) return;
  const [at, reward, mean] = data, width = 760, height = 200, left = 60, below = 24;
  const low = Math.min(...reward, ...mean), high = Math.max(...reward, ...mean), first = at[0], last = at[at.length - 1];
  const x = t => left + (width - left - 10) * (t - first) / Math.max(last - first, 1);
  const y = r => 8 + (height - below - 12) * (1 - (r - low) / ((high - low) || 1));
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const add = (name, values, text) => {
    const part = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in values) part.setAttribute(key, values[key]);
    if (text !== undefined) part.textContent = text;
    svg.append(part);
  };
  add("polyline", {points: at.map((t, i) => `${x(t)},${y(mean[i])}`).join(" "), fill: "none", stroke: "#0072B2", "stroke-width": 1.5});
  at.forEach((t, i) => add("circle", {cx: x(t), cy: y(reward[i]), r: 3, fill: "none", stroke: "#222"}));
  const label = value => Number(value.toPrecision(4)).toLocaleString("en");
  const grey = {"font-size": 11, fill: "#5a5a60"};
  for (const value of high > low ? [low, high] : [low]) {
    add("line", {x1: left, x2: width - 10, y1: y(value), y2: y(value), stroke: "#e3e3e6"});
    add("text", {...grey, x: left - 6, y: y(value) + 4, "text-anchor": "end"}, label(value));
  }
  add("text", {...grey, x: left, y: height - 6}, `decision ${first}`);
  if (last > first) add("text", {...grey, x: width - 10, y: height - 6, "text-anchor": "end"}, `decision ${last}`);
  const title = document.createElement("h3");
  title.textContent = `Person ${person}, arm ${arm}: ${place.dataset.reward}`;
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Rewards of person ${person} after ${arm} (circles), and what the model expects (line)`);
  place.append(title, svg);
}
search.addEventListener("input", show);
rows.forEach((row, i) => {
  const open = () => draw(cells[i][0], cells[i][1]);
  row.tabIndex = 0;
  row.addEventListener("click", open);
  row.addEventListener("keydown", event => { if (event.key === "Enter") open(); });
});
show();
