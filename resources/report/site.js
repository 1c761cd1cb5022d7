// Sorts tables and shows the values of curves under the pointer. All pages are complete without it.
"use strict";

// Tables: a button in each header; the first click sorts numbers from high to low, texts from A to Z.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const original = [...body.rows];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", "Sort by " + head.textContent.trim());
    button.addEventListener("click", () => {
      const numeric = head.classList.contains("num");
      const before = head.getAttribute("aria-sort");
      const next = before === null ? (numeric ? "descending" : "ascending")
        : before === (numeric ? "descending" : "ascending") ? (numeric ? "ascending" : "descending") : null;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      if (next) head.setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1;
      const sorted = next ? original.slice().sort((a, b) => sign * compare(a.cells[column], b.cells[column], numeric, sign)) : original;
      body.append(...sorted);
    });
    head.append(" ", button);
  });
}

function compare(a, b, numeric, sign) {
  if (!numeric) return a.textContent.trim().localeCompare(b.textContent.trim(), undefined, {numeric: true});
  const x = numberOf(a), y = numberOf(b);
  if (Number.isNaN(x) || Number.isNaN(y)) return sign * (Number.isNaN(x) - Number.isNaN(y)); // undefined ones last
  return x - y;
}

function numberOf(cell) {
  const exact = cell.dataset.value ? cell : cell.querySelector("[data-value]");
  return parseFloat(exact ? exact.dataset.value : cell.textContent.replace(/,/g, ""));
}

// Full precision of a score under the pointer.
document.addEventListener("pointerover", (event) => {
  const exact = event.target.closest("[data-value]");
  if (exact) exact.title = exact.dataset.value;
});

// Charts: values of all runs at the abscissa next to the pointer; arrow keys move it.
for (const svg of document.querySelectorAll(".chart > svg")) {
  const figure = svg.parentElement;
  const [LEFT, RIGHT, TOP, BOTTOM] = numbers(svg.dataset.axes);
  const [low, high] = numbers(svg.dataset.range);
  const shared = numbers(svg.dataset.x), width = svg.viewBox.baseVal.width;
  const abscissa = svg.dataset.xTicks === "halves" ? (x) => "1/" + number(2 ** x) : number;
  const runs = [...svg.querySelectorAll("g.run")].map((group) => ({
    group, name: group.dataset.run, x: group.dataset.x ? numbers(group.dataset.x) : shared, y: numbers(group.dataset.y),
  }));
  const cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
  cursor.setAttribute("class", "cursor");
  const box = document.createElement("div");
  box.className = "values";
  box.setAttribute("aria-live", "polite");
  box.hidden = true;
  figure.append(box);
  svg.tabIndex = 0;
  let at = null;

  function show(x) {
    at = Math.min(high, Math.max(low, x));
    const rows = runs.map((run) => {
      const index = nearest(run.x, at);
      return {run, x: run.x[index], y: run.y[index]};
    }).filter((row) => Number.isFinite(row.y)).sort((a, b) => b.y - a.y);
    if (!rows.length) return hide();
    at = shared.length ? rows[0].x : at;
    const place = LEFT + (at - low) / (high - low) * (RIGHT - LEFT);
    cursor.setAttribute("d", `M${place},${TOP}V${BOTTOM}`);
    svg.append(cursor);
    const title = document.createElement("b");
    title.textContent = abscissa(at);
    box.replaceChildren(title, ...rows.map(line));
    box.hidden = false;
    const scale = svg.clientWidth / width, right = place > (LEFT + RIGHT) / 2;
    box.style.top = svg.offsetTop + TOP * scale + "px";
    box.style.left = right ? "" : svg.offsetLeft + (place + 6) * scale + "px";
    box.style.right = right ? figure.clientWidth - svg.offsetLeft - (place - 6) * scale + "px" : "";
  }

  function hide() {
    box.hidden = true;
    cursor.remove();
    at = null;
  }

  function line(row) {
    const entry = document.createElement("div"), name = document.createElement("bdi"), value = document.createElement("span");
    name.textContent = row.run.name;
    value.textContent = number(row.y);
    entry.append(name, value);
    return entry;
  }

  svg.addEventListener("pointermove", (event) => {
    const bounds = svg.getBoundingClientRect();
    show(low + ((event.clientX - bounds.left) / bounds.width * width - LEFT) / (RIGHT - LEFT) * (high - low));
  });
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", (event) => {
    const steps = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (event.key === "Escape") return hide();
    if (!steps) return;
    event.preventDefault();
    const index = shared.length ? (at === null ? 0 : nearest(shared, at) + steps) : null;
    show(index === null ? (at === null ? low : at + steps * (high - low) / 50) : shared[Math.min(shared.length - 1, Math.max(0, index))]);
  });
}

function numbers(text) {
  return text ? text.split(" ").map(Number) : [];
}

function nearest(values, x) {
  let best = 0;
  values.forEach((value, index) => { if (Math.abs(value - x) < Math.abs(values[best] - x)) best = index; });
  return best;
}

function number(value) {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}

// The pointer on a run of a legend emphasises its lines in all charts of the page.
for (const entry of document.querySelectorAll(".legend li")) {
  const mark = (on) => {
    for (const group of document.querySelectorAll("g.run")) {
      const own = group.dataset.run === entry.dataset.run;
      group.classList.toggle("strong", on && own);
      group.classList.toggle("quiet", on && !own);
    }
  };
  entry.addEventListener("pointerenter", () => mark(true));
  entry.addEventListener("pointerleave", () => mark(false));
  entry.addEventListener("focusin", () => mark(true));
  entry.addEventListener("focusout", () => mark(false));
}
