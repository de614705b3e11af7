// The address: `#/runs/ID?from=10&until=20`. Every state that can be shared is in it.

export type Query = Record<string, string>;

function read(): { path: string[]; query: Query } {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  return { path: parts.length ? parts : ["runs"], query: Object.fromEntries(new URLSearchParams(search ?? "")) };
}

export const route = $state(read());

function update() {
  const now = read();
  route.path = now.path;
  route.query = now.query;
}

addEventListener("hashchange", update);

export function href(path: string[], query: Query = {}): string {
  const search = new URLSearchParams(query).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

export function go(path: string[], query: Query = {}) {
  location.hash = href(path, query);
}

/** Goes there without a step for `Back`. */
export function replace(path: string[], query: Query = route.query) {
  history.replaceState(null, "", href(path, query));
  update();
}

/** Changes values of the address; those that are null leave it. Steps that `Back` should take are pushed. */
export function set(change: Record<string, string | number | null>, isStep = false) {
  const query: Query = { ...route.query };
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === "") delete query[name];
    else query[name] = String(value);
  }
  history[isStep ? "pushState" : "replaceState"](null, "", href(route.path, query));
  update();
}

addEventListener("popstate", update);

export const number = (name: string): number | null => {
  const value = Number(route.query[name]);
  return route.query[name] && Number.isFinite(value) ? value : null;
};

/** Takes what followed `#token=` out of the address and the history. `#token=T&run=ID` goes on to that run. */
export function takeToken(): string | null {
  if (!location.hash.startsWith("#token=")) return null;
  const given = new URLSearchParams(location.hash.slice(1));
  const run = given.get("run");
  history.replaceState(null, "", run ? href(["runs", run]) : given.get("go") ? `#${given.get("go")}` : "#/runs");
  update();
  return given.get("token");
}
