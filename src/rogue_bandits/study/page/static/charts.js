// Draws every table that belongs to a .plot with uPlot. The table has the numbers; nothing else is sent.
"use strict";
(() => {
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const DASHES = [[], [8, 4], [2, 3], [12, 4, 2, 4], [6, 2], [1, 2]];
  const HEIGHT = 240;

  // Times are shown by their own clock: the offset from UTC is left out, and the axis counts in UTC.
  const seconds = (iso) => Date.parse(iso.length > 10 ? iso.slice(0, 19) + "Z" : iso + "T00:00:00Z") / 1000;

  function columnsOf(table, isTime) {
    const heads = [...table.querySelectorAll("thead th")].slice(1);
    const rows = [...table.querySelectorAll("tbody tr")];
    const x = rows.map((row) => {
      const raw = row.firstElementChild.dataset.x;
      return isTime ? seconds(raw) : Number(raw);
    });
    const columns = heads.map((head, k) => {
      const cells = rows.map((row) => row.children[k + 1]);
      return {
        name: head.textContent,
        kind: head.dataset.kind,
        colour: Number(head.dataset.colour),
        values: cells.map((cell) => (cell.dataset.v === undefined ? null : Number(cell.dataset.v))),
        marks: cells.map((cell) => (cell.dataset.mark === undefined ? null : Number(cell.dataset.v))),
      };
    });
    return { x, columns };
  }

  // A line must not bridge days without numbers: an empty point after each gap breaks it.
  function withGaps(x, values) {
    const steps = x.slice(1).map((now, k) => now - x[k]).filter((step) => step > 0).sort((a, b) => a - b);
    const usual = Math.max(DAY, steps.length ? steps[Math.floor(steps.length / 2)] : DAY);
    const xs = [], columns = values.map(() => []);
    x.forEach((now, k) => {
      if (k > 0 && now - x[k - 1] > 1.6 * usual) {
        xs.push((now + x[k - 1]) / 2);
        columns.forEach((column) => column.push(null));
      }
      xs.push(now);
      columns.forEach((column, i) => column.push(values[i][k]));
    });
    return [xs, ...columns];
  }

  // Points without a neighbour have no line: they are drawn as dots.
  const alone = (u, i) => {
    const y = u.data[i], has = (k) => y[k] !== null && y[k] !== undefined;
    return y.map((_, k) => k).filter((k) => has(k) && !has(k - 1) && !has(k + 1));
  };

  const dots = (label, colour, size) => ({
    label, paths: () => null, points: { show: true, size, fill: colour, stroke: colour },
  });

  function seriesOf(columns, bridged) {
    const series = [{}], values = [], bands = [];
    const add = (one, column) => { series.push(one); values.push(column); return series.length - 1; };
    for (const [k, column] of columns.entries()) {
      const colour = css(`--c${column.colour}`);
      if (column.kind === "points") add(dots(column.name, colour, 8), column.values);
      if (column.kind === "line") {
        add({ label: column.name, stroke: colour, width: 2, dash: DASHES[column.colour], spanGaps: bridged,
              points: { show: true, size: 5, fill: colour, filter: alone } }, column.values);
        if (column.marks.some((value) => value !== null)) add(dots(column.name, colour, 7), column.marks);
      }
      if (column.kind === "low" && columns[k + 1] && columns[k + 1].kind === "high") {
        const hidden = { stroke: "transparent", width: 0, points: { show: false } };
        const low = add(hidden, column.values), high = add(hidden, columns[k + 1].values);
        bands.push({ series: [high, low], fill: colour + "26" });
      }
    }
    return { series, values, bands };
  }

  function draw(plot) {
    const table = document.getElementById(plot.dataset.table);
    if (!table || plot.dataset.drawn) return;
    plot.dataset.drawn = "1";
    const isTime = plot.dataset.time !== undefined;
    const bridged = plot.dataset.bridged !== undefined;
    const { x, columns } = columnsOf(table, isTime);
    const { series, values, bands } = seriesOf(columns, bridged);
    const ticks = plot.dataset.ticks && plot.dataset.ticks.split(" ").map(Number);
    const end = (given, found) => (given === undefined ? found : Number(given));
    const axis = { stroke: css("--ink"), font: "13px system-ui, sans-serif", labelFont: "13px system-ui, sans-serif",
                   grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line"), width: 1 }, labelSize: 22 };
    const range = (u, least, most) => {
      const lo = end(plot.dataset.least, least), hi = end(plot.dataset.most, most), pad = 0.06 * (hi - lo || 1);
      return [lo - (plot.dataset.least === undefined ? pad : pad / 3), hi + (plot.dataset.most === undefined ? pad : pad / 3)];
    };
    const data = isTime && !bridged ? withGaps(x, values) : [x, ...values];
    const chart = new uPlot({
      width: plot.clientWidth, height: HEIGHT, series, bands,
      legend: { show: false }, cursor: { show: false }, select: { show: false },
      tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), "Etc/UTC"),
      scales: { x: { time: isTime }, y: { range } },
      axes: [
        isTime ? { ...axis, space: 70, values: (u, splits) => splits.map(dayOf) , incrs: DAYS }
               : { ...axis, label: plot.dataset.x, incrs: [1, 2, 5, 10, 20, 50, 100] },
        { ...axis, label: plot.dataset.y, size: 52, ...(ticks ? { splits: () => ticks, values: (u, all) => all.map(String) } : {}) },
      ],
    }, data, plot);
    plot.dataset.gaps = data[0].length - x.length;
    new ResizeObserver(() => {
      if (plot.clientWidth > 0) chart.setSize({ width: plot.clientWidth, height: HEIGHT });
    }).observe(plot);
  }

  const DAY = 86400;
  const DAYS = [1, 2, 3, 7, 14, 28, 56, 91, 182, 365].map((days) => days * DAY);
  const dayOf = (ts) => new Date(ts * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

  const drawAll = (root) => root.querySelectorAll(".plot").forEach(draw);
  document.addEventListener("DOMContentLoaded", () => drawAll(document));
  document.addEventListener("htmx:load", (event) => drawAll(event.detail.elt.parentElement || document));
})();
