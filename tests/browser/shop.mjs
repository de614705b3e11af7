// A real Chromium that goes through a proxy, signs up, logs in, searches, and orders in the shop of `nmax target --shop`.
//
// node shop.mjs PROXY SITE CHROMIUM
//
// Before each thing that a person would name it writes `next NAME` and waits for a line, so that whoever runs it can
// tell the recorder. It ends with `done` and the URL of the order.

import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [proxy, site, executablePath] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

// Longer than the gap that separates what a person did from what a page loads.
const PAUSE_MS = 1100;

// The browser asks its maker whatever it is told; tests talk to nobody outside.
const MAKER = ["*.google.com", "*.googleapis.com", "*.gvt1.com", "*.gstatic.com"];

const browser = await chromium.launch({
  executablePath,
  proxy: { server: proxy, bypass: MAKER.join(",") },
  args: [
    "--disable-quic",
    "--disable-dev-shm-usage",
    `--host-resolver-rules=${MAKER.map((host) => `MAP ${host} ~NOTFOUND`).join(", ")}`,
  ],
});
const page = await browser.newPage({ ignoreHTTPSErrors: true });

async function next(name, act) {
  await page.waitForTimeout(PAUSE_MS);
  console.log(`next ${name}`);
  await lines.next();
  await act();
  await page.waitForLoadState("load");
}

async function credentials(email) {
  await page.fill("main input[name=email]", email);
  await page.fill("main input[name=password]", "Correct-Horse-42");
}

const email = "ada.lovelace@example.com";
await next("arrive", () => page.goto(site));
await next("sign up", async () => {
  await page.click("text=Sign up");
  await page.fill("main input[name=name]", "Ada Lovelace");
  await credentials(email);
  await page.waitForTimeout(PAUSE_MS);
  await Promise.all([page.waitForNavigation(), page.click("main button")]);
});
await next("log in", async () => {
  await page.click("header >> text=Log in");
  await credentials(email);
  await page.waitForTimeout(PAUSE_MS);
  await Promise.all([page.waitForNavigation(), page.click("main button")]);
});
await next("search", async () => {
  await page.fill("header input[name=q]", "oak chair");
  await Promise.all([page.waitForNavigation(), page.click("header button")]);
});
await next("look at an item", () => page.click("main a.item >> nth=1"));
await next("put it into the basket", () => Promise.all([page.waitForNavigation(), page.click("main button")]));
await next("order", async () => {
  await Promise.all([page.waitForNavigation(), page.click("main button")]);
  await page.waitForSelector("text=Total");
});
console.log(`done ${page.url()}`);
await browser.close();
process.exit(0);
