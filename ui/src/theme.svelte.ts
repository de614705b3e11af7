// Colors: those of the system, or the reader's choice. Canvases ask here, since they know no style sheet.

export type Theme = "auto" | "light" | "dark";

const stored = localStorage.getItem("nmax-theme");
export const theme = $state({ chosen: (stored === "light" || stored === "dark" ? stored : "auto") as Theme, version: 0 });

let colors = new Map<string, string>();

export function choose(next: Theme) {
  theme.chosen = next;
  if (next === "auto") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem("nmax-theme");
  } else {
    document.documentElement.dataset.theme = next;
    localStorage.setItem("nmax-theme", next);
  }
  forget();
}

function forget() {
  colors = new Map();
  theme.version += 1;
}

/** The value of a variable of the style sheet, such as `c1`. */
export function color(name: string): string {
  let value = colors.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colors.set(name, value);
  }
  return value;
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", forget);
choose(theme.chosen);

/** Whether single keys such as `/` are shortcuts (WCAG 2.1.4 asks for a way to turn them off). */
export const keys = $state({ isOn: localStorage.getItem("nmax-keys") !== "off" });
export function setKeys(isOn: boolean) {
  keys.isOn = isOn;
  localStorage.setItem("nmax-keys", isOn ? "on" : "off");
}
