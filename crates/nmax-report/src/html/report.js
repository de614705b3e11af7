// Values under the pointer in all pictures at once, zoom by dragging, lines switched by their names; all of it by key too.
// Without this script everything can be read: values stand below each picture.
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const make = (name, of, set) => {
    const node = of.appendChild(document.createElementNS(NS, name));
    for (const key in set) node.setAttribute(key, set[key]);
    return node;
  };
  const add = (name, of, text, set) => Object.assign(of.appendChild(document.createElement(name)), { textContent: text }, set);
  // A picture over time: its drawings with the edges of their inner rectangles, and the rows of its numbers.
  const pictures = [...document.querySelectorAll("figure[data-row]")].map((figure) => {
    const table = figure.querySelector("details table");
    const drawings = [...figure.querySelectorAll(":scope > svg")].map((svg) => {
      const axis = svg.querySelector("path.axis");
      const at = axis && axis.getAttribute("d").match(/^M([\d.]+) ([\d.]+)H([\d.]+)/);
      if (!at) return null;
      const [left, bottom, right] = at.slice(1).map(Number);
      const inner = make("svg", svg, { x: left, y: 0, width: right - left, height: bottom, preserveAspectRatio: "none" });
      for (const node of svg.querySelectorAll(":scope > .line, :scope > .area, :scope > .load, :scope > .heat, :scope > .mark, :scope > .gap, :scope > .out"))
        inner.append(node);
      inner.querySelectorAll(".line").forEach((line) => line.setAttribute("vector-effect", "non-scaling-stroke"));
      // What is drawn stays behind the words.
      svg.insertBefore(inner, svg.querySelector(":scope > .tick, :scope > .axis"));
      return { svg, inner, left, right, bottom };
    }).filter(Boolean);
    return {
      figure, drawings, row: Number(figure.dataset.row), end: Number(figure.dataset.end),
      rows: table ? [...table.tBodies[0].rows] : [],
      heads: table ? [...table.tHead.rows[0].cells].map((cell) => cell.textContent) : [],
      names: new Map([...figure.querySelectorAll(".legend li")].map((li) => [li.textContent, li])),
    };
  }).filter((one) => one.drawings.length && one.rows.length);
  // The part of the time axis that is shown, as shares of it, and where the cross lines are.
  let view = [0, 1], cursor = null;
  const clock = (s) => {
    const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60, rest = Math.round(s % 60 * 10) / 10;
    return s < 60 ? rest + " s" : h ? h + "h" + String(m).padStart(2, "0") : m + ":" + String(Math.floor(rest)).padStart(2, "0");
  };
  const share = (d, event) => {
    const box = d.svg.getBoundingClientRect(), width = d.svg.viewBox.baseVal.width;
    const x = (event.clientX - box.left) / box.width * width;
    const within = Math.min(1, Math.max(0, (x - d.left) / (d.right - d.left)));
    return view[0] + within * (view[1] - view[0]);
  };
  const place = (d, at) => d.left + (at - view[0]) / (view[1] - view[0]) * (d.right - d.left);
  const clear = () => document.querySelectorAll(".cross, .tip, .drag").forEach((node) => node.remove());
  const point = (from, at) => {
    clear();
    cursor = at;
    for (const one of pictures) {
      const d = one.drawings.find((d) => d.svg.getClientRects().length);
      const row = one.rows[Math.min(one.rows.length - 1, Math.floor(at * one.end / one.row))];
      if (!d || !row) continue;
      const x = place(d, at);
      make("path", d.svg, { class: "cross", d: `M${x} 20V${d.bottom}` });
      const tip = add("div", one.figure, "", { className: "tip" });
      add("b", tip, clock(row.rowIndex * one.row - one.row));
      const lines = [...row.cells].map((cell, i) => [one.heads[i], cell.textContent]).slice(1);
      // Beside the pointer all values, elsewhere a few.
      const most = one === from ? 24 : 4;
      for (const [name, value] of lines.filter(([name]) => !one.names.get(name)?.matches(".off")).slice(0, most)) {
        const sample = one.names.get(name)?.querySelector("svg");
        tip.append(sample ? sample.cloneNode(true) : "");
        add("span", tip, name);
        add("span", tip, value);
      }
      if (one === from) tip.setAttribute("role", "status");
      const box = d.svg.getBoundingClientRect(), own = one.figure.getBoundingClientRect();
      const px = box.left - own.left + x / d.svg.viewBox.baseVal.width * box.width;
      const left = px > own.width / 2 ? px - tip.offsetWidth - 10 : px + 10;
      tip.style.left = Math.max(0, Math.min(left, own.width - tip.offsetWidth - 2)) + "px";
      tip.style.top = box.top - own.top + 8 + "px";
    }
  };
  const zoom = (from, to) => {
    view = [from, to];
    const whole = to - from >= 1;
    for (const one of pictures) {
      for (const d of one.drawings) {
        const width = d.right - d.left;
        d.inner.setAttribute("viewBox", `${d.left + from * width} 0 ${(to - from) * width} ${d.bottom}`);
        d.svg.querySelectorAll(".zoom").forEach((node) => node.remove());
        d.svg.classList.toggle("zoomed", !whole);
        for (let i = 0; !whole && i <= 4; i++) {
          const x = d.left + i / 4 * width;
          make("text", d.svg, { class: "x zoom", x, y: d.bottom + 16 }).textContent = clock((from + (to - from) * i / 4) * one.end);
        }
      }
      one.figure.querySelectorAll(".back").forEach((node) => node.remove());
      if (!whole) add("button", one.figure, "whole run", { className: "back", onclick: () => zoom(0, 1) });
    }
    clear();
  };
  zoom(0, 1);
  let begun = null;
  for (const one of pictures) {
    // Two rows at least, so that there is something to see.
    const least = 2 * one.row / one.end;
    for (const d of one.drawings) {
      d.svg.style.touchAction = "pan-y";
      d.svg.tabIndex = 0;
      d.svg.addEventListener("pointerdown", (event) => {
        begun = share(d, event);
        d.svg.setPointerCapture(event.pointerId);
      });
      d.svg.addEventListener("pointermove", (event) => {
        const at = share(d, event);
        point(one, at);
        if (begun === null || Math.abs(at - begun) < 0.01) return;
        const [a, b] = [place(d, Math.min(at, begun)), place(d, Math.max(at, begun))];
        make("rect", d.svg, { class: "drag", x: a, y: 20, width: b - a, height: d.bottom - 20 });
      });
      d.svg.addEventListener("pointerup", (event) => {
        const at = share(d, event), from = begun;
        begun = null;
        if (from !== null && Math.abs(at - from) >= least) zoom(Math.min(at, from), Math.max(at, from));
      });
      const leave = () => { begun = cursor = null; clear(); };
      d.svg.addEventListener("pointerleave", leave);
      d.svg.addEventListener("pointercancel", leave);
      d.svg.addEventListener("blur", leave);
      d.svg.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], width = view[1] - view[0];
        const middle = cursor ?? (view[0] + view[1]) / 2;
        if (step) {
          // From the middle of a row to the middle of the next one.
          const row = cursor === null ? Math.ceil(view[0] * one.end / one.row) - (step > 0) : Math.floor(cursor * one.end / one.row);
          point(one, Math.min(view[1], Math.max(view[0], (row + step + 0.5) * one.row / one.end)));
        } else if (event.key === "+" && width / 2 >= least) {
          const from = Math.min(view[1] - width / 2, Math.max(view[0], middle - width / 4));
          zoom(from, from + width / 2);
          point(one, middle);
        } else if (event.key === "Escape") {
          zoom(0, 1);
          cursor = null;
        } else return;
        event.preventDefault();
      });
    }
  }
  for (const one of pictures) {
    const legend = one.figure.querySelector(".legend");
    if (!legend || legend.children.length < 2) continue;
    legend.classList.add("on");
    for (const li of legend.children) {
      const sample = li.querySelector("path.line");
      if (!sample) continue;
      const look = sample.getAttribute("class").replace("line ", "");
      li.tabIndex = 0;
      li.setAttribute("role", "switch");
      li.setAttribute("aria-checked", "true");
      const flip = () => {
        const off = li.classList.toggle("off");
        li.setAttribute("aria-checked", String(!off));
        for (const d of one.drawings)
          for (const node of d.svg.querySelectorAll(".line, .area, .name")) {
            const own = node.getAttribute("class").replace(/^(line|area|name) /, "").replace(" dots", "").replace(" hidden", "");
            if (own === look) node.classList.toggle("hidden", off);
          }
      };
      li.addEventListener("click", flip);
      li.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); flip(); } });
    }
  }
})();
