// Round values of axes, by the rules of the report's charts.

const TIME_STEPS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];

/** Multiples of a round step from `low` to `high`, about `most` of them. */
export function linear(low: number, high: number, most: number): number[] {
  const least = (high - low) / most;
  if (!(least > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(least));
  return multiples(low, high, ([1, 2, 5, 10].find((f) => f * power >= least * 0.999_999) ?? 10) * power);
}

export function times(low: number, high: number, most: number): number[] {
  const least = (high - low) / most;
  return multiples(low, high, TIME_STEPS_S.find((step) => step >= least) ?? Math.ceil(least / 86_400) * 86_400);
}

function multiples(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** 1, 2, 5 times powers of ten, or powers alone when those would be too many. */
export function logarithmic(low: number, high: number, most: number): number[] {
  const of = (factors: number[]) => {
    const all: number[] = [];
    for (let exponent = Math.floor(Math.log10(low)); exponent <= Math.ceil(Math.log10(high)); exponent++)
      for (const factor of factors) all.push(factor * 10 ** exponent);
    return all.filter((value) => value >= low * 0.999 && value <= high * 1.001);
  };
  return [[1, 2, 5], [1, 3], [1]].map(of).find((all) => all.length <= most) ?? of([1]);
}

/** The nearest of 1, 2, 5 times a power of ten at or below (`up`: above) `value`. */
export function round(value: number, isUp: boolean): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = isUp
    ? ([1, 2, 5, 10].find((f) => f * power >= value * 0.999_999) ?? 10)
    : ([5, 2, 1].find((f) => f * power <= value * 1.000_001) ?? 1);
  return factor * power;
}
