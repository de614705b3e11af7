// Values under the pointer in all pictures at once, zoom by dragging, lines switched by their names.
// Without this script everything can be read: values stand below each picture.
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const make = (name, of, set) => {
    const node = of.appendChild(document.createElementNS(NS, name));
    for (const key in set) node.setAttribute(key, set[key]);
    return node;
  };
  // A picture over time: its drawing, the edges of its inner rectangle, and the rows of its numbers.
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
    return { figure, drawings, row: Number(figure.dataset.row), rows: table ? [...table.tBodies[0].rows] : [], heads: table ? [...table.tHead.rows[0].cells].map((cell) => cell.textContent) : [] };
  }).filter((one) => one.drawings.length && one.rows.length);
  if (!pictures.length) return;
  const rows = Math.max(...pictures.map((one) => one.rows.length));
  // The part of the time axis that is shown, as shares of it.
  let view = [0, 1];
  const ends = pictures.map((one) => one.row * one.rows.length);
  const end = Math.max(...ends);
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
  const shown = (one) => one.drawings.find((d) => d.svg.getClientRects().length) || one.drawings[0];
  const clear = () => document.querySelectorAll(".cross, .tip, .band").forEach((node) => node.remove());
  const point = (from, at) => {
    clear();
    for (const one of pictures) {
      const d = shown(one);
      const x = d.left + (at - view[0]) / (view[1] - view[0]) * (d.right - d.left);
      make("path", d.svg, { class: "cross", d: `M${x} 20V${d.bottom}` });
      const place = Math.min(one.rows.length - 1, Math.floor(at * end / one.row));
      const row = one.rows[place];
      if (!row) continue;
      const tip = one.figure.appendChild(document.createElement("div"));
      tip.className = "tip";
      const off = new Set([...one.figure.querySelectorAll(".legend li.off")].map((li) => li.textContent));
      const lines = [...row.cells].map((cell, i) => i ? [one.heads[i], cell.textContent] : null).filter((l) => l && !off.has(l[0]));
      // Beside the pointer all values, elsewhere a few.
      const most = one === from ? 24 : 4;
      tip.append(clock(place * one.row));
      for (const [name, value] of lines.slice(0, most)) {
        tip.append(document.createElement("br"), `${name}  ${value}`);
      }
      const box = d.svg.getBoundingClientRect(), own = one.figure.getBoundingClientRect();
      const px = box.left - own.left + x / d.svg.viewBox.baseVal.width * box.width;
      tip.style.left = (px > own.width / 2 ? Math.max(0, px - tip.offsetWidth - 10) : px + 10) + "px";
      tip.style.top = box.top - own.top + 8 + "px";
    }
  };
  const zoom = (from, to) => {
    view = [from, to];
    for (const one of pictures) {
      for (const d of one.drawings) {
        const width = d.right - d.left;
        d.inner.setAttribute("viewBox", `${d.left + from * width} 0 ${(to - from) * width} ${d.bottom}`);
        d.svg.querySelectorAll(".zoom").forEach((node) => node.remove());
        const whole = from === 0 && to === 1;
        d.svg.querySelectorAll("text.x, path.tick, text.stage, path.hold").forEach((node) => node.classList.toggle("hidden", !whole));
        for (let i = 0; !whole && i <= 4; i++) {
          const x = d.left + i / 4 * width;
          make("text", d.svg, { class: "x zoom", x, y: d.bottom + 16 }).textContent = clock((from + (to - from) * i / 4) * end);
        }
      }
      one.figure.querySelectorAll(".back").forEach((node) => node.remove());
      if (to - from < 1) {
        const back = one.figure.appendChild(document.createElement("button"));
        back.className = "back";
        back.textContent = "whole run";
        back.onclick = () => zoom(0, 1);
      }
    }
    clear();
  };
  zoom(0, 1);
  let begun = null;
  for (const one of pictures) {
    for (const d of one.drawings) {
      d.svg.style.touchAction = "pan-y";
      d.svg.addEventListener("pointerdown", (event) => { begun = share(d, event); });
      d.svg.addEventListener("pointermove", (event) => {
        const at = share(d, event);
        point(one, at);
        if (begun === null || Math.abs(at - begun) < 0.01) return;
        const x = (s) => d.left + (s - view[0]) / (view[1] - view[0]) * (d.right - d.left);
        const [a, b] = [x(Math.min(at, begun)), x(Math.max(at, begun))];
        make("rect", d.svg, { class: "band", x: a, y: 20, width: b - a, height: d.bottom - 20 });
      });
      d.svg.addEventListener("pointerup", (event) => {
        const at = share(d, event), from = begun;
        begun = null;
        // Two rows at least, so that there is something to see.
        if (from !== null && Math.abs(at - from) * rows >= 2) zoom(Math.min(at, from), Math.max(at, from));
      });
      d.svg.addEventListener("pointerleave", () => { begun = null; clear(); });
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
