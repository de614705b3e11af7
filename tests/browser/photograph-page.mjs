// Photographs every page of `nmax serve` in light and dark, wide and narrow, and two of them for the README.
//
// node photograph-page.mjs CHROMIUM ADDRESS FOLDER README-FOLDER
//
// ADDRESS is the printed one, with its secret. A plan `shop.yaml` is started, looked at while it runs, and stopped.

import { chromium } from "playwright-core";

const [executablePath, address, folder, readme] = process.argv.slice(2);
const own = address.split("#")[0];
const WAYS = [1440, 375].flatMap((width) => ["light", "dark"].map((scheme) => [width, scheme]));
// The live page is looked at when half a minute can be seen.
const SECONDS = 30;

const browser = await chromium.launch({ executablePath, args: ["--disable-dev-shm-usage"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
await page.goto(address);
await page.waitForSelector("tr[data-run]");
const ask = (path, method = "GET", body = undefined) => page.evaluate(async ([path, method, body]) => {
  const { key } = await (await fetch("api/session")).json();
  return (await fetch(`api/${path}`, { method, headers: { "x-nmax-key": key }, body: body && JSON.stringify(body) })).json();
}, [path, method, body]);

async function look(name, path) {
  for (const [width, scheme] of WAYS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto("about:blank");
    await page.goto(`${own}#/${path}`);
    await page.waitForFunction(() => document.querySelector("main h1") && ![...document.querySelectorAll("main .note, main .waiting")].some((one) => one.matches(".waiting") || /…$/.test(one.textContent.trim())));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.screenshot({ path: `${folder}/page-${name}.${width}.${scheme}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
}

const { id } = await ask("runs", "POST", { plan: "shop.yaml", note: "live" });
const { runs } = await ask("runs");
const newest = (name) => runs.find((row) => row.name === name && row.state !== "running")?.id;
await look("runs", "runs");
await look("trend", "runs?name=short");
await look("run", `runs/${newest("shop checkout")}`);
await look("range", `runs/${newest("shop checkout")}?from=8&until=14`);
await look("requests", `runs/${newest("shop checkout")}?by=request`);
await look("compare", `compare?runs=${newest("shop before")},${newest("shop checkout")}`);
await look("scale", `scales/${runs.find((row) => row.kind === "scale").id}?alpha=0.1`);
await look("plans", "plans");
await look("plan", "plans/shop.yaml");
await look("record", "record");
await look("capacity", "capacity/capacity.yaml?growth=1");
await look("capacity-day", "capacity/capacity.yaml?view=day");

await page.goto(`${own}#/runs/${id}`);
await page.waitForFunction(async ([id, seconds]) => (await (await fetch(`api/runs/${id}`)).json()).duration_s > seconds, [id, SECONDS], { timeout: 120_000 });
await look("live", `runs/${id}`);

const clip = async (path, name, bottom) => {
  await page.setViewportSize({ width: 1180, height: 900 });
  await page.goto(`${own}#/${path}`);
  const chart = page.locator(bottom).first();
  await chart.locator("canvas").waitFor();
  await page.waitForTimeout(1500);
  const box = await chart.boundingBox();
  await page.screenshot({ path: `${readme}/${name}.png`, clip: { x: 0, y: 0, width: 1180, height: box.y + box.height + 8 }, fullPage: true });
};
await clip(`runs/${id}`, "live", '[data-chart="response"]');
await ask(`runs/${id}/steer`, "POST", { revision: (await ask(`runs/${id}`)).revision, action: "stop" });
await clip(`compare?runs=${newest("shop before")},${newest("shop checkout")}`, "compare", '[data-chart="p95"]');
await browser.close();
