// Photographs the pages of a folder in light, dark, 375 pixels wide and on paper, and the pages of its PDFs; and three of
// them for the README.
//
// node photograph.mjs CHROMIUM FOLDER README-FOLDER

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { chromium } from "playwright-core";

const [executablePath, folder, readme] = process.argv.slice(2);
const WAYS = { light: [1280, "light"], dark: [1280, "dark"], narrow: [375, "light"] };
// Dots per inch of the pages of PDFs: 1000 pixels high.
const DPI = "86";

const pages = (pdf, name, ...flags) => execFileSync("pdftoppm", ["-png", "-r", DPI, ...flags, pdf, name]);
const files = (end) => readdirSync(folder).filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length));

const browser = await chromium.launch({ executablePath, args: ["--disable-dev-shm-usage"] });
const open = async (name, width, colorScheme) => {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  await page.goto(`file://${folder}/${name}.html`);
  return page;
};
files(".pdf").filter((name) => !name.endsWith(".paper")).forEach((name) => pages(`${folder}/${name}.pdf`, `${folder}/${name}.pdf`));
for (const name of files(".html")) {
  for (const [way, [width, scheme]] of Object.entries(WAYS)) {
    const page = await open(name, width, scheme);
    await page.screenshot({ path: `${folder}/${name}.${way}.png`, fullPage: true });
    await page.close();
  }
  const page = await open(name, 1280, "light");
  await page.pdf({ path: `${folder}/${name}.paper.pdf`, preferCSSPageSize: true, format: "A4" });
  await page.close();
  pages(`${folder}/${name}.paper.pdf`, `${folder}/${name}.paper`);
}

// From the verdict to the requests; p95 of each request with the load, and a cross line; the first page to hand on.
mkdirSync(readme, { recursive: true });
const page = await open("run-fail", 1180, "light");
const bottom = await page.locator("#requests").evaluate((section) => section.querySelector(".scroll").getBoundingClientRect().bottom);
await page.screenshot({ path: `${readme}/report.png`, clip: { x: 0, y: 0, width: 1180, height: bottom + 16 }, fullPage: true });
const picture = page.locator("figure[data-row]").first();
await picture.scrollIntoViewIfNeeded();
const box = await picture.locator(":scope > svg:visible").first().boundingBox();
await page.mouse.move(box.x + 0.62 * box.width, box.y + box.height / 2);
await picture.screenshot({ path: `${readme}/over-time.png` });
pages(`${folder}/run-fail.pdf`, `${readme}/pdf`, "-f", "1", "-l", "1", "-singlefile");
await browser.close();
