// What is said to everybody who looks or listens: short, polite, and not more often than it can be read.

export const tell = $state({ text: "" });
export const spoken = $state({ text: "" });

let hide = 0;
let speak = 0;

/** Shows and speaks what was done. */
export function say(text: string) {
  tell.text = text;
  clearTimeout(hide);
  hide = window.setTimeout(() => (tell.text = ""), 4_000);
  announce(text, 100);
}

/** Speaks a state; of several within `delay_ms` the last. */
export function announce(text: string, delay_ms = 1_500) {
  clearTimeout(speak);
  speak = window.setTimeout(() => (spoken.text = text), delay_ms);
}
