// Texts that were changed and not saved, so that leaving the editor loses nothing.

export const drafts = new Map<string, string>();

addEventListener("beforeunload", (event) => {
  if (drafts.size) event.preventDefault();
});
