// The HTTP API: one function, the session, and what an error says.

import type { Session } from "./api-types";

export class ApiError extends Error {
  constructor(readonly status: number, message: string, readonly help: string) {
    super(message);
  }
}

export const session = $state({ now: null as Session | null, needsToken: false });

type Options = { method?: string; body?: unknown; signal?: AbortSignal };

export async function api<T>(path: string, options: Options = {}): Promise<T> {
  const headers: Record<string, string> = {};
  if (options.body !== undefined) headers["content-type"] = "application/json";
  if (session.now?.key) headers["x-nmax-key"] = session.now.key;
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  let reply: Response;
  try {
    reply = await fetch(`api/${path}`, { method: options.method, headers, body, signal: options.signal });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, "nmax serve does not answer", "Start it again with `nmax serve`, then reload this page.");
  }
  const text = await reply.text();
  if (reply.ok) return (text ? JSON.parse(text) : null) as T;
  if (reply.status === 401) session.needsToken = true;
  let said: { error?: string; help?: string } = {};
  try {
    said = JSON.parse(text);
  } catch {
    // Not from nmax: the status is all there is to say.
  }
  throw new ApiError(reply.status, said.error ?? `the server replied with status ${reply.status}`, said.help ?? "");
}

/** `values` as the query of an address, without those that are absent or empty. */
export function query(values: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value != null && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

export const isAbort = (error: unknown) => error instanceof DOMException && error.name === "AbortError";

/** Trades the token of the printed address for a session. */
export async function enter(token: string | null) {
  session.now = token ? await api<Session>("session", { method: "POST", body: { token } }) : await api<Session>("session");
  session.needsToken = false;
}
