// Reads pages in a real Chromium: on wide and narrow screens, in light and dark, on paper, with and without their script.
//
// node look.mjs CHROMIUM PAGE..
//
// Writes what it sees as JSON, an object for each page. It judges nothing.

import { chromium } from "playwright-core";

const [executablePath, ...pages] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--disable-dev-shm-usage"] });

const SCREENS = [1280, 375].flatMap((width) => ["light", "dark"].map((scheme) => ({ width, scheme })));
// A4 without its margins of 12 mm, in CSS pixels.
const PAPER = { width: 703, height: 1032 };

// What is too wide or covers another thing; `fold` opens what is folded first.
function measure({ fold, scrolls }) {
  const seen = (node) => node.getClientRects().length > 0;
  if (fold) document.querySelectorAll("details").forEach((details) => { details.open = true; });
  const name = (node) => `${node.localName}.${node.getAttribute("class") ?? ""} ${node.textContent.slice(0, 40)}`;
  const inside = (a, b) => a.right <= b.right + 1.5 && a.left >= b.left - 1.5;
  // What is in an area of its own may be wider than it, where one can scroll.
  const free = (node) => (scrolls && node.parentElement.closest(".scroll, pre")) || node.parentElement.closest("svg");
  const beyond = [...document.body.querySelectorAll("*")].filter((node) => seen(node) && !free(node))
    .filter((node) => node.getBoundingClientRect().right > innerWidth + 0.5);
  const pictures = [...document.querySelectorAll("svg[role=img]")].filter(seen);
  const words = (svg) => [...svg.querySelectorAll("text")].filter((word) => seen(word) && word.textContent);
  const cut = pictures.flatMap((svg) => words(svg).filter((word) => !inside(word.getBoundingClientRect(), svg.getBoundingClientRect())));
  // The box of a word is higher than its letters by a fifth at each end.
  const box = (word) => {
    const { left, right, top, bottom, height } = word.getBoundingClientRect();
    return { word, left, right, top: top + height / 5, bottom: bottom - height / 5 };
  };
  const cover = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const covered = pictures.flatMap((svg) => {
    const boxes = words(svg).map(box);
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => cover(a, b)).map((b) => `${name(a.word)} on ${name(b.word)}`));
  });
  // Lines of a picture over time that look the same.
  const alike = [...document.querySelectorAll("figure[data-row]")].flatMap((figure) => {
    const lines = [...figure.querySelectorAll("svg[role=img]")].filter(seen).flatMap((svg) => [...svg.querySelectorAll(".line")]);
    const looks = lines.map((line) => getComputedStyle(line)).map((css) => `${css.stroke} ${css.strokeDasharray}`);
    return looks.length === new Set(looks).size ? [] : [`${figure.id}: ${looks.join("; ")}`];
  });
  // Samples of a legend that look like nothing, or like what no style knows.
  const samples = [...document.querySelectorAll(".legend svg > *")].filter(seen);
  const blank = samples.map((node) => [node, getComputedStyle(node)]).filter(([node, css]) =>
    node.matches(".line") ? css.stroke === "none" : node.localName === "rect" && css.fill === "rgb(0, 0, 0)");
  // Text in a color that is too near to what is behind it: the contrast of WCAG.
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const parts = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = parts(color).map((part) => channel(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((parts(color)[3] ?? 1) > 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const own = (node) => [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim());
  const faint = [...document.body.querySelectorAll("*")].filter((node) => seen(node) && own(node) && node.localName !== "script").filter((node) => {
    const css = getComputedStyle(node);
    const [a, b] = [light(node instanceof SVGElement ? css.fill : css.color), light(behind(node))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
  });
  const root = document.documentElement;
  return {
    height: root.scrollHeight, scrollWidth: root.scrollWidth, innerWidth,
    beyond: beyond.map(name), cut: cut.map(name), covered, alike, faint: faint.map(name), blank: blank.map(([node]) => name(node.closest("li"))),
    open: document.querySelectorAll("details[open]").length,
    folds: [...document.querySelectorAll("details")].filter(seen).length,
    // Typed marks that should have become markup.
    raw: document.body.innerText.match(/`|\*\*|\bundefined\b|\bNaN\b/g) ?? [],
  };
}

// What can be read without a script, and whether what is folded opens.
async function plain(page) {
  const read = () => page.evaluate(() => ({
    sections: [...document.querySelectorAll("section, #appendix > details")].filter((node) => !node.getClientRects().length).map((node) => node.id),
    tables: [...document.querySelectorAll("table")].filter((table) => !table.getClientRects().length).length,
    folds: document.querySelectorAll("details:not([open])").length,
    doors: [...document.querySelectorAll("button, [tabindex][role]")].length,
  }));
  const closed = await read();
  // From the outside to the inside: an outer one shows the inner ones.
  for (let at; (at = page.locator("details:not([open]) > summary:visible").first()) && (await at.count()); ) await at.click();
  return { closed, opened: await read() };
}

// Every link of the contents is followed.
async function links(page) {
  const wrong = [];
  for (const link of await page.locator("nav a").all()) {
    await link.click();
    const there = await page.evaluate(() => {
      const section = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const top = section?.getBoundingClientRect().top ?? -1;
      return top >= -1 && top < innerHeight && section.textContent.trim().length > 0;
    });
    if (!there) wrong.push(await link.textContent());
  }
  return { all: await page.locator("nav a").count(), wrong };
}

const FIRST = "figure[data-row] > svg:visible";
// Pictures over time that can be seen, and what stands beside the pointer.
const tips = (page) => page.evaluate(() => [...document.querySelectorAll("figure[data-row]")].filter((figure) => figure.getClientRects().length).map((figure) => {
  const svg = [...figure.querySelectorAll("svg[role=img]")].find((one) => one.getClientRects().length);
  const table = figure.querySelector("details table");
  const cross = svg.querySelector(".cross"), tip = figure.querySelector(".tip");
  const [edge, own] = [figure.getBoundingClientRect(), tip?.getBoundingClientRect()];
  return {
    id: figure.id,
    cross: cross && cross.getBoundingClientRect().left - svg.getBoundingClientRect().left,
    tip: tip ? [...tip.querySelectorAll("span")].map((span) => span.textContent) : [],
    inside: !tip || (own.left >= edge.left - 1 && own.right <= edge.right + 1),
    heads: [...table.tHead.rows[0].cells].map((cell) => cell.textContent),
    rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
    ticks: [...svg.querySelectorAll("text.x")].filter((one) => one.getClientRects().length).map((one) => one.textContent),
    shown: [...svg.querySelectorAll(".line")].filter((line) => line.getClientRects().length).length,
    back: figure.querySelectorAll("button.back").length,
    // Where the axis is, and how long the run was.
    axis: svg.querySelector("path.axis").getBoundingClientRect().toJSON(),
    left: svg.querySelector("path.axis").getBoundingClientRect().left - svg.getBoundingClientRect().left,
    end: Number(figure.dataset.end),
    row: Number(figure.dataset.row),
  };
}));

// Hover, zoom, and the names of lines, by pointer and by key.
async function acts(page) {
  const first = page.locator(FIRST).first();
  if (!(await first.count())) return null;
  await first.scrollIntoViewIfNeeded();
  const { axis } = (await tips(page))[0];
  const y = axis.top - 60, at = (share) => axis.left + share * axis.width;
  const told = {};
  await page.mouse.move(at(0.55), y);
  told.hover = await tips(page);
  await page.mouse.move(at(0.25), y);
  await page.mouse.down();
  await page.mouse.move(at(0.5), y, { steps: 3 });
  await page.mouse.move(at(0.75), y, { steps: 3 });
  await page.mouse.up();
  told.zoomed = await tips(page);
  await page.mouse.move(at(0.5), y);
  told.zoomedHover = await tips(page);
  await page.getByText("whole run").first().click();
  told.back = await tips(page);
  const name = page.locator("figure[data-row] .legend li[role=switch]").first();
  await name.click();
  told.off = await tips(page);
  await name.press("Enter");
  told.on = await tips(page);
  await name.press("Space");
  told.offByKey = await tips(page);
  await name.press("Space");
  await first.focus();
  await first.press("ArrowRight");
  await first.press("ArrowRight");
  told.arrows = await tips(page);
  await first.press("+");
  told.zoomedByKey = await tips(page);
  await first.press("Escape");
  told.escaped = await tips(page);
  return told;
}

// Whether the page forbids what it does not bring along: scripts, pictures and addresses of others.
const policy = (page) => page.evaluate(() => new Promise((done) => {
  const forbidden = new Set();
  document.addEventListener("securitypolicyviolation", (event) => {
    forbidden.add(event.effectiveDirective);
    if (forbidden.size === 3) done([...forbidden].sort());
  });
  const script = document.createElement("script");
  script.textContent = "window.ran = true";
  document.body.append(script);
  new Image().src = "http://127.0.0.1:9/x.png";
  fetch("http://127.0.0.1:9/").catch(() => {});
}));

async function look(file) {
  const url = `file://${file}`;
  const told = { page: file, screens: [], said: [], asked: [] };
  const open = async (options, media) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on("console", (message) => told.said.push(message.text()));
    page.on("pageerror", (error) => told.said.push(String(error)));
    page.on("request", (request) => told.asked.push(request.url()));
    if (media) await page.emulateMedia({ media });
    await page.goto(url);
    return page;
  };
  for (const { width, scheme } of SCREENS) {
    const page = await open({ viewport: { width, height: 900 }, colorScheme: scheme });
    const closed = await page.evaluate(measure, { fold: false, scrolls: true });
    const opened = await page.evaluate(measure, { fold: true, scrolls: true });
    told.screens.push({ width, scheme, closed, opened });
    await page.context().close();
  }
  const paper = await open({ viewport: PAPER, colorScheme: "dark" }, "print");
  told.paper = await paper.evaluate(measure, { fold: false, scrolls: false });
  await paper.context().close();
  const still = await open({ viewport: { width: 1280, height: 900 }, javaScriptEnabled: false });
  told.plain = await plain(still);
  await still.context().close();
  const page = await open({ viewport: { width: 1280, height: 900 } });
  told.links = await links(page);
  told.acts = await acts(page);
  told.asked = told.asked.filter((asked) => asked !== url);
  told.said = [...told.said];
  const quiet = { said: [...told.said], asked: [...told.asked] };
  told.policy = await policy(page);
  await page.context().close();
  return { ...told, ...quiet };
}

const told = [];
for (const page of pages) told.push(await look(page));
console.log(JSON.stringify(told));
await browser.close();
