// Values of a run over time: what the server sent at first, then a frame for each window that ends.

import type { Course, Event, Frame, Line, Stage } from "./api-types";

/** Colors of the style sheet with dashes, so that no two lines differ by color alone. */
export interface Look { color: string; dash: "" | "dash" | "dot" | "far"; width: number }

const look = (color: string, dash: Look["dash"] = "", width = 1.75): Look => ({ color, dash, width });
const DASHES = ["", "dash", "dot", "far"] as const;
const KNOWN: Record<string, Look> = {
  intended: look("c5", "dash"),
  started: look("c1"),
  ok: look("c1"),
  failed: look("c2", "dash"),
  errors: look("c8", "dot", 2),
  p50: look("ink", "", 1.5),
  p95: look("c4", "dash"),
  p99: look("c2"),
  max: look("c5", "dot"),
};

/** The look of the line at `index` of its chart. */
export const lookOf = (id: string, index: number): Look => KNOWN[id] ?? look(`c${(index % 8) + 1}`, DASHES[Math.floor(index / 8) % 4]);

/** Frames beyond the course that was asked for, before it is asked for again, in fewer points. */
const TAIL_MAX = 240;

/** Counts by time and response time; the edges of its rows grow by one factor. */
export class Heat {
  low: number;
  factor: number;
  rows: number;
  columns: number[][];

  constructor({ edges_ms, columns }: Course["heat"]) {
    this.low = edges_ms[0] ?? 0;
    this.factor = edges_ms.length > 1 ? edges_ms[1] / edges_ms[0] : 0;
    this.rows = Math.max(0, edges_ms.length - 1);
    this.columns = columns;
  }

  /** Lower edge of a row, ms. */
  edge(row: number): number {
    return this.low * this.factor ** row;
  }

  push(counts: number[], edges: number[]) {
    if (edges.length < 2) return void this.columns.push([]);
    if (!this.rows) {
      this.low = edges[0];
      this.factor = edges[1] / edges[0];
    }
    let first = Math.round(Math.log(edges[0] / this.low) / Math.log(this.factor));
    if (first < 0) {
      const below = new Array<number>(-first).fill(0);
      this.columns = this.columns.map((column) => (column.length ? [...below, ...column] : column));
      this.low = edges[0];
      this.rows -= first;
      first = 0;
    }
    this.columns.push([...new Array<number>(first).fill(0), ...counts]);
    this.rows = Math.max(this.rows, first + counts.length);
  }
}

export class Timeline {
  starts: number[];
  ends: number[];
  /** Width of the windows of the course, s; those of frames are as they come. */
  width: number;
  lines: Line[];
  heat: Heat;
  stages: Stage[];
  events = $state<Event[]>([]);
  /** Counts changes of values. */
  version = $state(0);
  /** Counts changes of which lines there are. */
  shape = $state(0);
  #tail = 0;

  constructor(course: Course) {
    const { starts_s, width_s, until_s } = course;
    this.starts = starts_s;
    this.ends = starts_s.map((start, i) => starts_s[i + 1] ?? Math.max(start + 1e-3, Math.min(start + width_s, until_s)));
    this.width = width_s;
    this.lines = course.lines;
    this.heat = new Heat(course.heat);
    this.stages = course.stages;
    this.events = course.events;
  }

  get end(): number {
    return this.ends[this.ends.length - 1] ?? 0;
  }

  get isLong(): boolean {
    return this.#tail > TAIL_MAX;
  }

  line(id: string): Line | undefined {
    return this.lines.find((line) => line.id === id);
  }

  /** Index of the window at `seconds`, or of the nearest one; -1 without windows. */
  at(seconds: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= seconds) low = middle;
      else high = middle - 1;
    }
    return high < 0 ? -1 : low;
  }

  /** Adds an event in the order of time: a change of the load is told before it takes effect. */
  tell(event: Event) {
    const later = this.events.findIndex((other) => other.at_s > event.at_s);
    this.events.splice(later < 0 ? this.events.length : later, 0, event);
  }

  push(frame: Frame) {
    if (frame.start_s < this.end - 1e-6) return;
    const before = this.starts.length;
    this.starts.push(frame.start_s);
    this.ends.push(frame.start_s + frame.width_s);
    for (const id of Object.keys(frame.values)) {
      if (this.line(id)) continue;
      const found = described(id);
      if (!found) continue;
      this.lines.push({ ...found, id, values: new Array<number | null>(before).fill(0) });
      this.shape += 1;
    }
    for (const line of this.lines) line.values.push(frame.values[line.id] ?? (line.panel === "errors" ? 0 : null));
    this.heat.push(frame.heat, frame.heat_edges_ms);
    this.#tail += 1;
    this.version += 1;
  }
}

/** A line that began after the course was read: a kind of error. Others come with the next course. */
function described(id: string): Omit<Line, "id" | "values"> | null {
  return id.startsWith("error ") ? { panel: "errors", panel_title: "No reply, by kind", title: id.slice(6), unit: "1/s" } : null;
}

/** The time axis that all charts of a page share. */
export class Axis {
  /** What is shown, s. */
  from = $state(0);
  until = $state(1);
  cursor = $state<number | null>(null);
  /** The range that is being marked. */
  brush = $state<[number, number] | null>(null);
  /** Called with a marked range, or with null for the range before. */
  zoom: (range: [number, number] | null) => void = () => {};

  show(from: number, until: number) {
    this.from = from;
    this.until = Math.max(until, from + 1e-3);
  }
}

export interface Shown { line: Line; title: string; look: Look }
export interface Source { timeline: Timeline; shown: Shown[] }
export interface Panel {
  id: string;
  title: string;
  about: string;
  unit: string;
  height: number;
  isWide: boolean;
  /** Logarithmic, with the heat map below the lines. */
  hasHeat: boolean;
  /** Whose resources it shows; empty for none. */
  host: string;
}

const ABOUT: Record<string, Partial<Panel>> = {
  rate: { about: "intended and started", isWide: true, height: 160 },
  split_rate: { isWide: true, height: 200 },
  split_p95: { isWide: true, height: 200 },
  response: { about: "percentiles over all exchanges; darker is more; logarithmic", isWide: true, hasHeat: true, height: 270 },
};
const ORDER = ["rate", "split_rate", "split_p95", "response", "throughput", "in_flight", "errors", "lag", "bytes"];

/** The charts of a run. */
export function panelsOf(timeline: Timeline): { panel: Panel; source: Source }[] {
  const ids = [...new Set(timeline.lines.map((line) => line.panel))];
  const rank = (id: string) => (ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length);
  return ids.sort((a, b) => rank(a) - rank(b)).map((id) => {
    const lines = timeline.lines.filter((line) => line.panel === id);
    const [host, title] = id.startsWith("host ") ? lines[0].panel_title.split(/: (.*)/) : ["", lines[0].panel_title];
    const panel = { id, title, host, about: "", unit: lines[0].unit, height: host ? 130 : 150, isWide: false, hasHeat: false, ...ABOUT[id] };
    return { panel, source: { timeline, shown: lines.map((line, i) => ({ line, title: line.title, look: lookOf(line.id, i) })) } };
  });
}
