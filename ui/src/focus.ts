// The heading of a page, at which a new page begins.

import { tick } from "svelte";

/** Makes a change that puts another heading in the place of the one that may have the focus. */
export async function keepFocus(change: () => void) {
  const isThere = document.activeElement?.matches("main h1");
  change();
  await tick();
  if (isThere) document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
}
