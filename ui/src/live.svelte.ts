// Server-sent events: one connection for each tab, all kinds of events in it.

import { query } from "./api.svelte";
import type { Event as RunEvent, Frame, RunRow, Standing } from "./api-types";

export interface Handlers {
  runs?: (row: RunRow) => void;
  frame?: (frame: Frame) => void;
  gates?: (standing: Standing) => void;
  event?: (event: RunEvent) => void;
  resync?: () => void;
  end?: () => void;
  gone?: () => void;
}

const KINDS = ["runs", "frame", "gates", "event", "resync", "end", "gone"] as const;
/** Frames come every second; after this long without one the connection is taken for dead (a sleep may break it). */
const SILENCE_MS = 12_000;
const RETRY_MS = 3_000;

export const connection = $state({ state: "off" as "off" | "open" | "lost" });

let source: EventSource | null = null;

/** Follows `run` from `after_s` on, or the list of runs. Returns what ends it. */
export function listen(run: string | null, after_s: number, handlers: Handlers): () => void {
  let heard = Date.now();
  let isRunning = run !== null;
  let retry = 0;
  const open = (isAgain: boolean) => {
    source?.close();
    heard = Date.now();
    const asked = run === null ? "" : query({ run, after: isAgain ? null : Math.round(after_s * 1e3) });
    const own = new EventSource(`api/stream${asked}`);
    source = own;
    own.onopen = () => {
      connection.state = "open";
      if (isAgain) handlers.resync?.();
    };
    own.onerror = () => {
      connection.state = "lost";
      // The browser tries again by itself, unless it was refused.
      if (own.readyState === EventSource.CLOSED && source === own) retry = window.setTimeout(() => open(true), RETRY_MS);
    };
    for (const kind of KINDS) {
      own.addEventListener(kind, (event) => {
        heard = Date.now();
        if (kind === "end" || kind === "gone") isRunning = false;
        const data = (event as MessageEvent<string>).data;
        (handlers[kind] as ((data: unknown) => void) | undefined)?.(data ? JSON.parse(data) : null);
      });
    }
  };
  const watch = window.setInterval(() => {
    if (isRunning && Date.now() - heard > SILENCE_MS) open(true);
  }, 2_000);
  open(false);
  return () => {
    clearInterval(watch);
    clearTimeout(retry);
    source?.close();
    source = null;
    connection.state = "off";
  };
}
