// Opens a page of a run in a new browser and prints the seconds until its charts are drawn.
//   node painted.mjs ADDRESS [CHROMIUM]
import { chromium } from "playwright-core";

const [address, executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  // Charts are drawn when canvases have pixels; a frame later they are on the screen.
  const painted = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const isDrawn = (canvas) => {
          const { width, height } = canvas;
          if (width === 0 || height === 0) return false;
          return canvas.getContext("2d").getImageData(0, 0, width, height).data.some((value) => value !== 0);
        };
        const look = () => {
          const canvases = [...document.querySelectorAll("canvas")];
          if (canvases.length >= 3 && canvases.slice(0, 3).every(isDrawn)) {
            requestAnimationFrame(() => resolve(performance.now() / 1000));
          } else {
            requestAnimationFrame(look);
          }
        };
        look();
      }),
  );
  console.log(painted.toFixed(3));
} finally {
  await browser.close();
}
