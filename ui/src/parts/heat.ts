// The heat map: an image of a pixel for each cell, scaled to where its windows are.

import type uPlot from "uplot";
import { color } from "../theme.svelte";
import type { Timeline } from "../timeline.svelte";

/** Shades as in the report, lighter, since lines lie over them. */
const SHADES = [0.1, 0.2, 0.32, 0.46, 0.6, 0.75];

function rgb(text: string): [number, number, number] {
  const hex = text.replace("#", "");
  const full = hex.length === 3 ? [...hex].map((c) => c + c).join("") : hex;
  return [0, 2, 4].map((i) => Number.parseInt(full.slice(i, i + 2), 16)) as [number, number, number];
}

export class HeatMap {
  #canvas = document.createElement("canvas");
  #drawn = "";

  constructor(readonly timeline: Timeline) {}

  /** Least and greatest time of the cells in sight that are not empty, ms. */
  range(from: number, until: number): [number, number] | null {
    const { heat, starts } = this.timeline;
    let [low, high] = [heat.rows, -1];
    for (let i = Math.max(0, this.timeline.at(from)); i < starts.length && starts[i] < until; i++) {
      (heat.columns[i] ?? []).forEach((count, row) => {
        if (!count) return;
        if (row < low) low = row;
        if (row > high) high = row;
      });
    }
    return high < 0 ? null : [heat.edge(low), heat.edge(high + 1)];
  }

  #paint() {
    const { heat, starts, ends, width } = this.timeline;
    const ink = color("heat");
    const drawn = `${this.timeline.version} ${ink}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#canvas.width = starts.length;
    this.#canvas.height = heat.rows;
    // Windows of another width are made comparable: exchanges in the time of one of the course.
    const weight = starts.map((start, i) => width / (ends[i] - start));
    const most = Math.log1p(Math.max(1, ...heat.columns.map((column, i) => Math.max(0, ...column) * weight[i])));
    const context = this.#canvas.getContext("2d");
    if (!context) return;
    const image = context.createImageData(starts.length, heat.rows);
    const [r, g, b] = rgb(ink);
    heat.columns.forEach((column, x) => column.forEach((count, row) => {
      if (!count) return;
      const level = Math.ceil((Math.log1p(count * weight[x]) / most) * SHADES.length);
      const alpha = SHADES[Math.min(SHADES.length, Math.max(1, level)) - 1];
      image.data.set([r, g, b, Math.round(alpha * 255)], ((heat.rows - 1 - row) * starts.length + x) * 4);
    }));
    context.putImageData(image, 0, 0);
  }

  draw(u: uPlot) {
    const { heat, starts, ends } = this.timeline;
    if (!starts.length || !heat.rows) return;
    this.#paint();
    const { ctx } = u;
    const top = u.valToPos(heat.edge(heat.rows), "y", true);
    const bottom = u.valToPos(heat.low, "y", true);
    ctx.imageSmoothingEnabled = false;
    // Neighbours of one width are one image.
    for (let first = 0, next = 1; first < starts.length; first = next++) {
      const width = ends[first] - starts[first];
      while (next < starts.length && Math.abs(ends[next] - starts[next] - width) < 1e-6 && Math.abs(starts[next] - ends[next - 1]) < 1e-6) next++;
      const left = u.valToPos(starts[first], "x", true);
      const right = u.valToPos(ends[next - 1], "x", true);
      ctx.drawImage(this.#canvas, first, 0, next - first, heat.rows, left, top, right - left, bottom - top);
    }
  }
}
