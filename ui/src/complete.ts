// What may stand at a place of a plan, by its JSON Schema. YAML is read only as far as its indentation tells.

type Schema = { [key: string]: unknown } | boolean | undefined;
export interface Choice { text: string; about: string; insert: string }
interface Place { path: string[]; word: string; isKey: boolean; key: string }

/** The path of keys (`-` for an item of a list) at the end of `text`, and the word that ends there. */
export function placeOf(text: string): Place {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const stack: { indent: number; key: string }[] = [];
  const enter = (line: string, isLast: boolean) => {
    const [, space, dashes, rest] = line.match(/^(\s*)((?:- +)*)(.*)$/) ?? ["", "", "", ""];
    let indent = space.length;
    const key = rest.match(/^("[^"]*"|'[^']*'|[^\s:#{}[\],&*!|>'"]+):(?:\s|$)/)?.[1]?.replace(/["']/g, "");
    if (!isLast && !rest.trim() && !dashes) return;
    while (stack.length && stack[stack.length - 1].indent >= indent) stack.pop();
    for (const dash of dashes.match(/- +/g) ?? []) {
      stack.push({ indent, key: "-" });
      indent += dash.length;
    }
    if (key !== undefined) stack.push({ indent, key });
  };
  for (const line of lines) if (!/^\s*#/.test(line)) enter(line, false);
  const word = last.match(/[\w.-]*$/)?.[0] ?? "";
  enter(last.slice(0, last.length - word.length).replace(/-$/, "- "), true);
  const path = stack.map((one) => one.key);
  // Maps within braces: what is open is part of the path.
  const flow = last.slice(last.search(/[{[]/) + 1 || last.length);
  const open = last.includes("{") || last.includes("[");
  if (open) {
    let keys: string[] = last[last.search(/[{[]/)] === "[" ? ["-"] : [];
    let key = "";
    for (const [token] of flow.matchAll(/[{}[\],]|[\w.-]+\s*:|[^\s{}[\],]+/g)) {
      if (token.endsWith(":")) key = token.slice(0, -1).trim();
      else if (token === "{" || token === "[") keys.push(...(key ? [key] : []), ...(token === "[" ? ["-"] : [])), (key = "");
      else if (token === "}" || token === "]") keys = keys.slice(0, -1);
      else if (token === ",") key = "";
    }
    const isKey = /[{,]\s*$/.test(last.slice(0, last.length - word.length)) && keys[keys.length - 1] !== "-";
    return { path: [...path, ...keys, ...(isKey || !key ? [] : [key])], word, isKey, key };
  }
  const isKey = /^\s*(- +)*$/.test(last.slice(0, last.length - word.length));
  return { path, word, isKey, key: path[path.length - 1] ?? "" };
}

function expand(schema: Schema, root: Schema, depth = 0): { [key: string]: unknown }[] {
  if (typeof schema !== "object" || depth > 8) return [];
  const parts = (["anyOf", "oneOf", "allOf"] as const).flatMap((kind) => (schema[kind] as Schema[] | undefined) ?? []);
  const reference = schema.$ref as string | undefined;
  const target = reference?.split("/").slice(1).reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], root) as Schema;
  return [schema, ...[target, ...parts].flatMap((part) => expand(part, root, depth + 1))];
}

export function choices(schema: Schema, { path, word, isKey }: Place): Choice[] {
  let at = expand(schema, schema);
  for (const key of path) {
    at = at.flatMap((one) => {
      const own = (one.properties as Record<string, Schema> | undefined)?.[key];
      return expand(key === "-" ? (one.items as Schema) : (own ?? (one.additionalProperties as Schema)), schema);
    });
  }
  const found = new Map<string, Choice>();
  const add = (text: string, about: unknown, insert = text) =>
    text.startsWith(word) && text !== word && !found.has(text) && found.set(text, { text, about: typeof about === "string" ? about : "", insert });
  for (const one of at) {
    if (isKey) for (const [key, value] of Object.entries((one.properties as Record<string, Schema> | undefined) ?? {})) add(key, (value as { description?: string })?.description, `${key}: `);
    else {
      for (const value of (one.enum as unknown[] | undefined) ?? []) add(String(value), one.description);
      for (const value of (one.examples as unknown[] | undefined) ?? []) add(String(value), "example");
      if (one.type === "boolean") for (const value of ["true", "false"]) add(value, one.description);
    }
  }
  return [...found.values()].slice(0, 40);
}
