// Uses the page of `nmax serve` in a real Chromium, as its user does: record, edit, run, watch, steer, stop, note, read,
// compare, scale, plan capacity; by pointer and by keys, in both themes, wide and narrow.
//
// node serve.mjs CHROMIUM ADDRESS SITE STEPS
//
// ADDRESS is the printed one, with its secret; SITE is what plans load; STEPS says which of the steps to take, with commas.
// Fails with the first thing that is not as it must be.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [executablePath, address, site, steps] = process.argv.slice(2);
const own = address.split("#")[0];
const AXE = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const LIMIT_MS = 120_000;

const browser = await chromium.launch({ executablePath, args: ["--disable-dev-shm-usage"] });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
context.setDefaultTimeout(LIMIT_MS);

// What pages say that they should not: messages, errors, and what the policy keeps out.
const said = [];
function listen(page) {
  // That an answer is a refusal is told by the browser itself.
  const isRefusal = (text) => /Failed to load resource: the server responded with a status of 4/.test(text);
  page.on("console", (message) => isRefusal(message.text()) || said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => request.url().startsWith(own) || request.url().startsWith("data:") || said.push(`asks ${request.url()}`));
  return page;
}
const page = listen(await context.newPage());
const at = (path) => `${own}#/${path}`;
const h1 = () => page.locator("main h1");
async function go(path, title) {
  await page.goto(at(path));
  await page.waitForFunction((title) => new RegExp(title).test(document.querySelector("main h1")?.textContent ?? ""), title);
}
/** What the API answers to this browser. */
const api = (path, body) => page.evaluate(async ([path, body]) => {
  const { key } = await (await fetch("api/session")).json();
  return (await fetch(`api/${path}`, { method: body ? "POST" : "GET", headers: { "x-nmax-key": key }, body: body && JSON.stringify(body) })).json();
}, [path, body]);
const rows = async () => (await api("runs")).runs;
const query = () => new URLSearchParams(page.url().split("?")[1] ?? "");
/** Waits until the page has drawn what it knows. */
async function drawn(count = 3) {
  await page.waitForFunction((count) => document.querySelectorAll("[data-chart] canvas").length >= count, count);
}
/** A figure as the page writes it, in the unit of the API: ms, or one of what is counted. */
function parsed(text) {
  const [, digits, unit] = text.replaceAll(",", "").match(/^([-\d.]+)\s*(\S*)/) ?? [];
  const factor = { "µs": 1e-3, ms: 1, s: 1e3, min: 6e4, "k/s": 1e3, "M/s": 1e6, "%": 0.01, kB: 1e3, MB: 1e6, GB: 1e9 };
  const plain = unit?.replace(/^([kMG])B\/s$/, "$1B");
  return Number(digits) * (factor[plain] ?? 1);
}

// ---- steps

async function enter() {
  await page.goto(address);
  await page.waitForSelector("tr[data-run]");
  assert.ok(!page.url().includes("token"), "the secret leaves the address");
  assert.equal((await api("session")).may_change, true);
}

async function list() {
  await go("runs", "Runs");
  await page.waitForSelector("tr[data-run]");
  const all = await rows();
  assert.equal(await page.locator("tr[data-run]").count(), all.length);
  const search = page.locator("input[type=search]");
  await search.fill(`${all[1].id}`);
  await page.waitForFunction((id) => { const rows = document.querySelectorAll("tr[data-run]"); return rows.length === 1 && rows[0].dataset.run === id; }, all[1].id);
  assert.equal(query().get("search"), all[1].id);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll("tr[data-run]").length === 1);
  assert.equal(await search.inputValue(), all[1].id);
  await go("runs?name=short", "Runs");
  await page.waitForSelector("main svg");
  await page.waitForFunction(() => document.querySelector("main").textContent.includes("Response time p95"));
}

async function record() {
  await go("record", "Record");
  await page.getByLabel("Address").fill(site);
  await page.getByLabel("Name", { exact: true }).fill("visit");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForFunction(() => /#\/record\/\w/.test(location.hash) && document.querySelector("main .meta"));
  const proxy = (await page.locator("main .meta").innerText()).match(/proxy\s*(\S+)/)[1];
  const visitor = await (await browser.newContext({ proxy: { server: `http://${proxy}`, bypass: "<-loopback>" } })).newPage();
  await visitor.goto(site, { timeout: LIMIT_MS });
  const name = page.getByRole("button", { name: /^Name of step 1/ });
  await name.click();
  await page.getByLabel("Name of step 1").fill("arrive");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Name of step 1: arrive" }).waitFor();
  await visitor.context().close();
  await page.getByRole("button", { name: /^Stop/ }).click();
  await page.waitForFunction(() => document.querySelector("main textarea")?.value.includes("arrive"));
  assert.match(page.url(), /plans\/visit\.yaml/);
}

async function edit() {
  await go("plans/shop.yaml", "shop.yaml");
  const text = page.locator("main textarea").first();
  await page.waitForFunction(() => document.querySelector("main textarea")?.value.length > 0);
  const good = await text.inputValue();
  const wrong = good.replace("rate:", "rat:");
  await text.fill(wrong);
  const problem = page.locator(".problems li button").first();
  await problem.waitFor();
  const want = wrong.split("\n").findIndex((line) => line.includes("rat:")) + 1;
  await page.waitForFunction((want) => [...document.querySelectorAll(".problems li")].some((one) => one.textContent.includes(`line ${want}`)), want);
  const told = (await api("check", { text: wrong })).problems;
  assert.equal(await page.locator(".problems li").count(), told.length);
  const index = told.findIndex((one) => one.line === want);
  await page.locator(".problems li button").nth(index).click();
  const caret = await text.evaluate((area) => area.value.slice(0, area.selectionStart));
  assert.equal(caret.split("\n").length, want, "the caret stands at the line");
  assert.equal(caret.length - caret.lastIndexOf("\n"), told[index].column, "and at the column");
  assert.ok(await page.getByRole("button", { name: "Start" }).isDisabled());
  await text.fill(`${good}# seen\n`);
  await page.waitForFunction(() => document.querySelector("#problems-title")?.parentElement.textContent.includes("none"));
  await text.press("Control+s");
  await page.waitForFunction(() => !document.querySelector("main .head .tag"));
  assert.equal((await api("plans/shop.yaml")).text, `${good}# seen\n`);
}

let run = "";
async function start() {
  await go("plans/shop.yaml", "shop.yaml");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByLabel("Note").fill("from the page");
  await page.getByLabel("Tags").fill("browser");
  await page.locator("dialog[open]").getByRole("button", { name: "Start" }).click();
  await page.waitForFunction(() => /#\/runs\/\w/.test(location.hash));
  run = page.url().match(/runs\/(\w+)/)[1];
  await page.waitForSelector(".live-keys");
  await page.waitForSelector(`[data-chart="response"] canvas`);
}

/** Values at a place of all charts are those that the API has for the window below it. */
async function values(path = `runs/${run}/course?points=600`) {
  const chart = page.locator('[data-chart="throughput"] .plot, [data-chart="response"] .plot').first();
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + 0.4 * box.width, box.y + box.height / 2);
  await page.waitForFunction(() => document.querySelectorAll(".cross-line").length > 1);
  const seen = await page.evaluate(() => ({
    cursor: Number(document.querySelector("[data-chart] .plot").getAttribute("aria-valuenow")),
    crosses: document.querySelectorAll(".cross-line").length,
    charts: document.querySelectorAll("[data-chart] canvas").length,
    lines: [...document.querySelectorAll("[data-chart]")].flatMap((chart) =>
      [...chart.querySelectorAll("ul.lines > li")].map((line) => [chart.dataset.chart, line.querySelector("button").textContent.trim(), line.querySelector("output")?.textContent ?? ""])),
  }));
  assert.equal(seen.crosses, seen.charts, "a line at the cursor in each chart");
  const course = await api(path);
  const index = course.starts_s.findLastIndex((start) => start <= seen.cursor);
  let compared = 0;
  for (const [panel, title, text] of seen.lines) {
    const line = course.lines.find((one) => one.panel === panel && one.title === title);
    // Readings of hosts are thinned by time; those of exchanges are exact.
    if (!line || panel.startsWith("host") || !/\d/.test(text)) continue;
    const want = line.values[index];
    const near = Math.abs(parsed(text) - want) <= 0.006 * Math.abs(want) + 0.006;
    assert.ok(near, `${panel}, ${title} at ${seen.cursor} s: the page says ${text}, the API ${want} ${line.unit}`);
    compared += 1;
  }
  assert.ok(compared >= 3, `${compared} values`);
  await page.mouse.move(2, 2);
}

async function watch() {
  const told = () => page.locator(".live-keys").innerText();
  const before = await told();
  await page.waitForFunction((before) => document.querySelector(".live-keys").innerText !== before, before);
  await page.waitForFunction(() => document.querySelector("[data-gates]"));
  await page.waitForFunction(() => document.querySelector("[data-next]").textContent.trim().length > 3);
  await page.waitForFunction(async (run) => (await (await fetch(`api/runs/${run}/course?points=600`)).json()).starts_s.length > 6, run);
  await page.reload();
  await drawn();
  await values();
}

async function steer() {
  // A second page that is not told of anything steers with what it knew.
  const other = await context.newPage();
  await other.route("**/api/stream*", (route) => route.abort());
  await other.goto(at(`runs/${run}`));
  await other.waitForSelector(".steer");
  await page.getByLabel(/^New level/).fill("37");
  await page.getByLabel(/^Ramp/).fill("1");
  await page.getByRole("button", { name: "Change load" }).click();
  await page.waitForFunction(() => document.querySelector(".steer .level").textContent.includes("37"));
  await page.waitForFunction(() => document.querySelector("main .head").textContent.includes("steered"));
  await other.getByLabel(/^New level/).fill("90");
  await other.getByRole("button", { name: "Change load" }).click();
  await other.locator(".steer .failure").waitFor();
  assert.match(await other.locator(".steer .failure").innerText(), /\w+/);
  await other.close();
  assert.equal((await api(`runs/${run}`)).level_now, 37, "the second has changed nothing");
}

async function stop() {
  await page.locator(".steer").getByRole("button", { name: "Stop" }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Stop the run" }).click();
  await ended();
}

async function ended() {
  await page.waitForFunction(() => !document.querySelector(".live-keys") && document.querySelector("#requests"));
  const { row } = await api(`runs/${run}`);
  assert.notEqual(row.state, "running");
  assert.ok((await page.locator("main .head .state").first().innerText()).toLowerCase().includes(row.state.replace("_", " ")));
}

async function note() {
  await go(`runs/${run}`, "shop");
  await page.getByRole("button", { name: /^Note/ }).click();
  await page.locator("input.inline").fill("what I saw <b>");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Note: what I saw <b>" }).waitFor();
  assert.equal((await api(`runs/${run}`)).row.note, "what I saw <b>");
  await page.reload();
  await page.getByRole("button", { name: "Note: what I saw <b>" }).waitFor();
}

const total = () => page.locator('#requests tr.total td[data-t="count"]').first();
async function read() {
  await go(`runs/${run}`, "shop");
  await total().waitFor();
  const whole = await total().innerText();
  const { duration_s } = await api(`runs/${run}`);
  await drawn();
  const chart = page.locator('[data-chart="response"] .plot');
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  const y = box.y + box.height / 2;
  const place = (share) => box.x + 70 + share * (box.width - 90);
  await page.mouse.move(place(0.3), y);
  await page.mouse.down();
  await page.mouse.move(place(0.5), y, { steps: 4 });
  await page.mouse.move(place(0.7), y, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((whole) => { const now = document.querySelector('#requests tr.total td[data-t="count"]')?.textContent; return now && now !== whole; }, whole);
  const [from, until] = ["from", "until"].map((name) => Number(query().get(name)));
  assert.ok(from > 0.15 * duration_s && until < 0.85 * duration_s && until > from, page.url());
  const part = await total().innerText();
  const report = await api(`runs/${run}/report?from=${from}&until=${until}`);
  const html = report.sections.find((one) => one.id === "requests").html;
  assert.ok(html.includes(`<td data-t="count">${part}</td>`), "the table is that of the range");
  const axes = await page.locator("[data-chart] .plot").evaluateAll((all) => all.map((one) => [one.getAttribute("aria-valuemin"), one.getAttribute("aria-valuemax")].join()));
  assert.equal(new Set(axes).size, 1, "all charts have one axis");
  const link = page.url();
  await page.reload();
  await page.waitForFunction((part) => document.querySelector('#requests tr.total td[data-t="count"]')?.textContent === part, part);
  assert.equal(page.url(), link);
  await page.goBack();
  await page.waitForFunction((whole) => document.querySelector('#requests tr.total td[data-t="count"]')?.textContent === whole, whole);
  assert.equal(query().get("from"), null);
}

async function facets() {
  await go(`runs/${run}`, "shop");
  await drawn();
  const choice = page.getByLabel("Show", { exact: true });
  await choice.selectOption("request:home");
  await page.waitForFunction(() => !document.querySelector('[data-chart="in_flight"]') && document.querySelector('[data-chart="throughput"] canvas'));
  assert.deepEqual([query().get("by"), query().get("value")], ["request", "home"]);
  await values(`runs/${run}/course?points=600&by=request&value=home`);
  await choice.selectOption("status:");
  await page.waitForSelector('[data-chart="split_rate"] canvas');
  await page.reload();
  await page.waitForSelector('[data-chart="split_rate"] canvas');
  assert.equal(query().get("by"), "status");
}

async function compare() {
  await go("runs", "Runs");
  await page.waitForSelector("tr[data-run]");
  const ids = (await rows()).filter((row) => row.name === "short").slice(0, 2).map((row) => row.id);
  for (const id of ids) await page.locator(`tr[data-run="${id}"] input[type=checkbox]`).check();
  assert.equal(query().get("runs"), ids.join(","));
  await page.getByRole("link", { name: /^Compare/ }).or(page.getByRole("button", { name: /^Compare/ })).first().click();
  await page.waitForFunction(() => location.hash.startsWith("#/compare") && document.querySelectorAll("[data-chart] canvas").length >= 2);
  assert.equal(query().get("runs"), ids.toReversed().join(","), "the older one is the one before");
  assert.equal(await page.locator('[data-chart="p95"] ul.lines > li').count(), 2);
  await page.getByRole("button", { name: "p99", exact: true }).click();
  await page.waitForSelector('[data-chart="p99"]');
  await page.reload();
  await page.waitForSelector('[data-chart="p99"] canvas');
  await page.getByRole("button", { name: "Make first" }).click();
  await page.waitForFunction((ids) => location.hash.includes(encodeURIComponent(ids.join(","))), ids);
}

async function scale() {
  const id = (await rows()).find((row) => row.kind === "scale").id;
  await go(`scales/${id}`, ".");
  const predicted = page.locator("[data-predicted] b");
  await predicted.waitFor();
  const measured = await predicted.innerText();
  const { law } = await api(`scales/${id}`);
  const alpha = page.getByLabel(/^Contention/);
  await alpha.focus();
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
  await page.waitForFunction((measured) => document.querySelector("[data-predicted] b").textContent !== measured, measured);
  const now = Number(query().get("alpha"));
  assert.ok(now > law.alpha, page.url());
  // A handle of the curve does what its slider does.
  const handle = page.getByRole("slider", { name: /N: where/ });
  await handle.scrollIntoViewIfNeeded();
  const box = await handle.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 120, box.y + box.height / 2, { steps: 6 });
  await page.mouse.up();
  await page.waitForFunction(() => new URLSearchParams(location.hash.split("?")[1]).get("n"));
  const n = query().get("n");
  const what = await api(`scales/${id}/what-if?alpha=${now}&beta=${law.beta}&gamma=${law.gamma}&n=${n}`);
  /** The page predicts what the API does. */
  async function told() {
    for (let i = 0; Math.abs(parsed(await predicted.innerText()) - what.x_at) > 0.01 * what.x_at; i++) {
      assert.ok(i < 1000, `${await predicted.innerText()} is not ${what.x_at}`);
      await page.waitForTimeout(20);
    }
  }
  await told();
  const beyond = await page.evaluate(() => [...document.querySelectorAll("main figure svg .handle, main figure svg .line")].filter((node) => {
    const edge = node.closest("svg").getBoundingClientRect();
    return node.getBoundingClientRect().right > edge.right + 1;
  }).length);
  assert.equal(beyond, 0, "the curves end in their picture");
  const link = page.url();
  await page.reload();
  await predicted.waitFor();
  await told();
  assert.equal(page.url(), link);
  await page.getByRole("button", { name: "As measured" }).click();
  await page.waitForFunction(() => !location.hash.includes("alpha"));
}

/** A question of capacity is begun from its template, answered, and asked again with another growth. */
async function capacity() {
  await go("plans", "Plans");
  await page.getByLabel("New plan").fill("question");
  await page.getByRole("combobox", { name: /^of/ }).selectOption("capacity");
  await page.getByRole("button", { name: "Write it" }).click();
  await page.waitForFunction(() => document.querySelector("main textarea")?.value.includes("capacity: 1"));
  await page.waitForFunction(() => document.querySelector("#problems-title")?.parentElement.textContent.includes("none"));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Show the answer" }).click();
  await page.waitForSelector("[data-answer]");

  await page.getByRole("link", { name: "All plans" }).click();
  await page.getByRole("link", { name: "capacity.yaml", exact: true }).click();
  await page.waitForSelector("[data-answer]");
  const told = () => page.locator("section.banner").innerText();
  const answered = async (before) => {
    await page.waitForFunction((before) => document.querySelector("section.banner")?.innerText !== before, before);
    await page.waitForFunction(() => !document.querySelector(".what-if[aria-busy=true]"));
  };
  const stated = await told();
  const growth = page.getByLabel(/^More growth/);
  await growth.focus();
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
  await answered(stated);
  const moved = await told();
  assert.equal(query().get("growth"), "2");
  const { report, sliders } = await api("capacity/capacity.yaml?growth=2");
  assert.ok(moved.includes(report.word) && moved.includes(report.meaning), moved);
  assert.equal(sliders[0].value, 2);
  const link = page.url();
  await page.reload();
  await page.waitForSelector("[data-answer]");
  assert.deepEqual([await told(), page.url(), await growth.inputValue()], [moved, link, "2"]);
  await page.getByRole("button", { name: "As stated" }).click();
  await answered(moved);
  assert.deepEqual([await told(), query().get("growth")], [stated, null]);
  await page.getByRole("button", { name: "Day", exact: true }).click();
  await answered(stated);
  assert.equal(query().get("view"), "day");
  await page.getByRole("button", { name: "Simulate all of them" }).click();
  await page.waitForFunction(() => ![...document.querySelectorAll("main button")].some((one) => /^Simulate/.test(one.textContent)));
  await page.goBack();
  await page.waitForFunction((stated) => document.querySelector("section.banner")?.innerText === stated, stated);
  await go("capacity/wrong-capacity.yaml", "wrong-capacity");
  await page.getByRole("link", { name: "Correct the document" }).click();
  await page.waitForFunction(() => document.querySelector(".problems li")?.textContent.includes("line 2"));
}

/** Goes on by Tab to what is wanted; the focus is seen all the way. */
async function tabs(wanted) {
  for (let i = 0; i < 80; i++) {
    const found = await page.evaluate((wanted) => {
      const now = document.activeElement;
      const { width, height } = now.getBoundingClientRect();
      const css = getComputedStyle(now);
      const isSeen = width > 0 && height > 0;
      const isMarked = css.outlineStyle !== "none" || css.boxShadow !== "none";
      return { is: now.matches(wanted), what: now.outerHTML.slice(0, 120), isSeen, isMarked };
    }, wanted);
    assert.ok(found.isSeen && found.isMarked, `the focus cannot be seen: ${found.what}`);
    if (found.is) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`no way to ${wanted}`);
}

/** Nothing but keys: from the list into a run, through its charts, to a range and back. */
async function keys() {
  await go("runs", "Runs");
  await page.waitForSelector("tr[data-run]");
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" }).catch(() => {});
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.type), "search");
  await page.keyboard.press("Tab");
  await tabs(`tr[data-run="${run}"] a`);
  await page.keyboard.press("Enter");
  await page.waitForFunction((run) => location.hash.includes(run), run);
  await drawn();
  await page.waitForFunction(() => document.activeElement?.localName === "h1");
  await page.keyboard.press("Tab");
  await tabs("[data-chart] .plot");
  const told = () => page.evaluate(() => document.activeElement.getAttribute("aria-valuetext"));
  await page.keyboard.press("ArrowRight");
  const first = await told();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await told(), first);
  for (let i = 0; i < 4; i++) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("from="));
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !location.hash.includes("from="));
}

/** Each page in each theme, wide and narrow: nothing is too wide, and axe finds nothing. */
async function looks() {
  const all = await rows();
  const [scaled] = all.filter((row) => row.kind === "scale");
  const short = all.filter((row) => row.name === "short").slice(0, 2).map((row) => row.id);
  const pages = ["runs", "runs?name=short", `runs/${run}`, `runs/${run}?by=request`, `runs/${run}?from=1&until=2`, "plans", "plans/shop.yaml", "plans/wrong.yaml", "record",
    `compare?runs=${short.join(",")}`, "compare", `scales/${scaled.id}?alpha=0.1`, "capacity/capacity.yaml", "capacity/capacity.yaml?growth=2&view=day", "capacity/wrong-capacity.yaml", "nothing", "runs/none"];
  const running = all.find((row) => row.state === "running");
  if (running) pages.push(`runs/${running.id}`);
  await looksAt(pages);
}

async function looksAt(pages) {
  const found = [];
  for (const path of pages) {
    for (const [width, scheme] of [[1440, "light"], [1440, "dark"], [375, "dark"], [375, "light"]]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      await page.goto("about:blank");
      await page.goto(at(path));
      await page.waitForFunction(() => document.querySelector("main h1") && ![...document.querySelectorAll("main .note, main .waiting")].some((one) => one.matches(".waiting") || /…$/.test(one.textContent.trim())));
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const wide = await page.evaluate(() => {
        const beyond = [...document.querySelectorAll("body *")].filter((node) => {
          const box = node.getBoundingClientRect();
          return box.right > innerWidth + 1 && box.width > 0 && !node.closest(".scroll, .sr, pre, textarea, .editor, svg");
        });
        return { scroll: document.documentElement.scrollWidth, inner: innerWidth, beyond: beyond.slice(0, 3).map((node) => node.outerHTML.slice(0, 100)) };
      });
      if (wide.scroll > wide.inner) found.push(`${path} ${width} ${scheme}: ${wide.scroll} pixels wide: ${wide.beyond.join(" | ")}`);
      if (width === 375 && scheme === "light") continue;
      await page.evaluate(AXE);
      const violations = await page.evaluate(async (rules) => (await axe.run(document, { runOnly: { type: "tag", values: rules }, resultTypes: ["violations"] })).violations
        .map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 2).map((node) => `${node.html.slice(0, 160)} (${node.any[0]?.message ?? node.all[0]?.message ?? ""})`).join(" | ")}`), RULES);
      found.push(...violations.map((text) => `${path} ${width} ${scheme}: ${text}`));
    }
  }
  assert.deepEqual(found, []);
}

/** Two injectors of two regions share a run: as they are, as it goes on, and once it was stopped. */
async function fleet() {
  await page.keyboard.press("Tab");
  await tabs('nav a[href="#/fleet"]');
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "Fleet");
  const tile = "[data-map] .injector";
  await page.waitForFunction((tile) => document.querySelectorAll(tile).length === 2 && [...document.querySelectorAll(tile)].every((one) => one.textContent.includes("LOADS")), tile);
  const { injectors, runs: [own] } = await api("fleet");
  assert.deepEqual((await page.locator(".region-box h3").allInnerTexts()).map((text) => text.split(" ")[0]), ["eu", "us"]);
  for (const one of injectors) {
    const row = await page.locator(`tr[data-injector="${one.id}"]`).innerText();
    for (const text of [one.id, one.region, one.host, one.version, `run ${own.run}`]) assert.ok(row.includes(text), `${text} in ${row}`);
  }
  await page.waitForSelector(`tr[data-run="${own.run}"] a`);
  await looksAt(["fleet"]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.locator(`tr[data-run="${own.run}"] a`).click();
  await page.waitForSelector(".live-keys");
  await page.waitForFunction((tile) => document.querySelectorAll(tile).length === 2 && document.querySelector(tile).textContent.includes("send lag p99"), tile);
  assert.equal(await page.getByLabel(/^New level/).count(), 0, "its load cannot be changed");
  assert.equal(await page.locator(".steer").getByRole("button", { name: "Stop" }).count(), 1);
  await looksAt([`runs/${own.run}`]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await go("fleet", "Fleet");
  await page.waitForSelector(`tr[data-run="${own.run}"] button`);
  await page.locator("main h1").focus();
  await page.keyboard.press("Tab");
  await tabs(`tr[data-run="${own.run}"] button`);
  await page.keyboard.press("Enter");
  await page.locator("dialog[open]").getByRole("button", { name: "Stop the run" }).press("Enter");
  await page.waitForFunction((run) => document.querySelector(`tr[data-run="${run}"] .state`)?.textContent.includes("ended"), own.run);
  run = own.run;
  await go(`runs/${run}`, ".");
  await ended();
  assert.deepEqual(await page.locator("#injectors svg.w1040 .tile, #regions svg.w1040 .region").count(), 4, "a tile for each injector, a box for each region");
  await looksAt([`runs/${run}`]);
}

const ALL = { enter, list, record, edit, start, watch, steer, stop, ended, note, read, facets, compare, scale, capacity, keys, looks, fleet };
for (const step of steps.split(",")) {
  const [name, id] = step.split("=");
  if (name === "run") {
    run = id;
    continue;
  }
  try {
    await ALL[name]();
    assert.deepEqual(said, [], "the page says nothing to the console");
  } catch (error) {
    console.error(`${name}: at ${page.url().split("#token")[0]}\n${(await page.locator("main").innerText().catch(() => "")).slice(0, 1500)}\nsaid: ${said.join("\n")}`);
    throw error;
  }
  console.log(name);
}
await browser.close();
