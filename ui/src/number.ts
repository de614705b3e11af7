// Numbers for people, by the rules of the report (crates/nmax-report/src/number.rs): the same number has the same text.

export const UNKNOWN = "–";

type Maybe = number | null | undefined;

/** `value` with so many places. Ties go to the even digit, as in Rust, where toFixed takes the larger one. */
function fixed(value: number, places: number): string {
  const scaled = Math.abs(value) * 10 ** places;
  const floor = Math.floor(scaled);
  if (scaled - floor !== 0.5 || floor % 2 === 1) return value.toFixed(places);
  return ((Math.sign(value) * floor) / 10 ** places).toFixed(places);
}

const grouped = (whole: string) => whole.replace(/\B(?=(\d{3})+$)/g, ",");

export const count = (value: number) => grouped(fixed(value, 0));

/** Three significant digits without an exponent. */
export function digits(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95) return fixed(value, 0);
  if (size >= 9.995) return fixed(value, 1);
  if (size === 0) return "0";
  return fixed(value, size >= 0.0995 ? 2 : 3);
}

/** A time in milliseconds. */
export function time(ms: Maybe): string {
  if (ms == null || !Number.isFinite(ms)) return UNKNOWN;
  if (ms <= 0) return "0 µs";
  if (ms < 0.9995) return `${digits(ms * 1e3)} µs`;
  return ms < 999.5 ? `${digits(ms)} ms` : `${digits(ms / 1e3)} s`;
}

/** A length of time in seconds: `30 s`, `2 min`, `1 h 5 min`. */
export function span(seconds: Maybe): string {
  if (seconds == null || !Number.isFinite(seconds)) return UNKNOWN;
  const s = Math.max(0, seconds);
  if (s < 59.5) return (s >= 1 && s % 1 < 0.05) || s >= 10 ? `${fixed(s, 0)} s` : `${digits(s)} s`;
  const whole = Math.round(s);
  const hours = Math.floor(whole / 3600);
  const parts: [number, string][] = [[hours, "h"], [Math.floor(whole / 60) % 60, "min"], [hours ? 0 : whole % 60, "s"]];
  return parts.filter(([n]) => n > 0).map(([n, unit]) => `${n} ${unit}`).join(" ");
}

function scaled(value: Maybe, units: [string, number][]): string {
  if (value == null || !Number.isFinite(value)) return UNKNOWN;
  const [unit, scale] = units.find(([, scale]) => Math.abs(value) < 999.5 * scale) ?? units[units.length - 1];
  const text = scale === 1 && value % 1 === 0 ? fixed(value, 0) : digits(value / scale);
  return `${text} ${unit}`.trimEnd();
}

export const rate = (per_s: Maybe) => scaled(per_s, [["/s", 1], ["k/s", 1e3], ["M/s", 1e6], ["G/s", 1e9]]);
export const bytes = (n: Maybe) => scaled(n, [["B", 1], ["kB", 1e3], ["MB", 1e6], ["GB", 1e9], ["TB", 1e12]]);

/** A ratio as a percentage. What is not zero never prints as zero, what is not all never as 100 %. */
export function share(ratio: Maybe): string {
  if (ratio == null || !Number.isFinite(ratio)) return UNKNOWN;
  const percent = ratio * 100;
  if (percent === 0) return "0 %";
  if (percent > 0 && percent < 0.01) return "<0.01%";
  if (percent < 9.995) return `${fixed(percent, 2)} %`;
  if (percent < 99.95) return `${fixed(percent, 1)} %`;
  return percent < 100 ? ">99.9%" : `${fixed(percent, 0)} %`;
}

/** A value with its unit. */
export function withUnit(value: Maybe, unit: string): string {
  if (value == null || !Number.isFinite(value)) return UNKNOWN;
  switch (unit) {
    case "ms": return time(value);
    case "s": return span(value);
    case "/s": case "1/s": return rate(value);
    case "ratio": return share(value);
    case "bytes": return bytes(value);
    case "bytes/s": return `${bytes(value)}/s`;
    case "VUs": return `${value % 1 === 0 ? count(value) : digits(value)} VUs`;
    case "": case "count": return value % 1 === 0 ? count(value) : digits(value);
    case "cores": return value && Math.abs(value) < 0.0095 ? `${fixed(value, 5)} cores` : `${digits(value)} cores`;
    default: return `${digits(value)} ${unit}`;
  }
}

/** A value at a tick of an axis, without zeros that say nothing: `50 ms`. */
export const atTick = (value: Maybe, unit: string) => withUnit(value, unit).replace(/(\.\d*?)0+(?!\d)/, "$1").replace(/\.(?!\d)/, "");

/** An instant on an axis that ends at `end_s`. */
export function clock(seconds: number, end_s: number): string {
  if (end_s <= 120) return `${Number(seconds.toFixed(3))} s`;
  const whole = Math.round(seconds);
  const two = (n: number) => String(n).padStart(2, "0");
  if (end_s < 7200) return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
  const hours = `${Math.floor(whole / 3600)}h${two(Math.floor(whole / 60) % 60)}`;
  return seconds % 60 && end_s < 36_000 ? `${hours}:${two(whole % 60)}` : hours;
}

/** An instant of RFC 3339 in UTC, to the second. */
export function instant(text: string): string {
  const at = text.match(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/);
  return at ? `${at[1]} ${at[2]} UTC` : text;
}
