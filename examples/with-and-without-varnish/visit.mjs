// A visit in a real browser: the front page, the gallery, two searches, the page to log in.
//
// node visit.mjs DRIVER PROXY SITE CHROMIUM; DRIVER is a folder with playwright-core in its node_modules.
//
// Before each thing that a person would name it writes `next NAME`, and waits for a line.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [driver, proxy, site, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(`${driver}/`)("playwright-core");
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

// How long the visitor looks at a page.
const PAUSE_MS = 1500;

// The browser asks its maker whatever it is told; this story talks to nobody outside.
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
const page = await browser.newPage();

async function next(name, act) {
  console.log(`next ${name}`);
  await lines.next();
  await act();
  await page.waitForLoadState("load");
  await page.waitForTimeout(PAUSE_MS);
}

async function search(words) {
  await page.fill("header input[name=q]", words);
  await Promise.all([page.waitForNavigation(), page.click("header button")]);
}

await next("arrive", () => page.goto(site));
await next("gallery", () => page.goto(`${site}gallery`));
await next("search", () => search("oak chair"));
await next("search again", () => search("lamp"));
await next("log in", () => page.click("header >> text=Log in"));
console.log("done");
await browser.close();
process.exit(0);
