//! Axes: where values stand and which ones are marked.

/// A vertical axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// From 0 to a round number.
    Linear {
        /// Top.
        max: f64,
    },
    /// Equal factors take equal space.
    Log {
        /// Bottom, above 0.
        low: f64,
        /// Top, above `low`.
        high: f64,
    },
}

impl Scale {
    /// From 0 to a round number above every value, so that no line runs along the border.
    pub fn linear(values: impl Iterator<Item = f64>) -> Self {
        let max = 1.04 * values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        let step = nice_step(max / 5.0);
        Self::Linear { max: (max / step).ceil().max(1.0) * step }
    }

    /// From the 1, 2 or 5 below the least value to the one above the largest; zeros are left out.
    pub fn log(values: impl Iterator<Item = f64> + Clone) -> Self {
        let values = values.filter(|value| value.is_finite() && *value > 0.0);
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(0.0, f64::max);
        if low > high {
            return Self::Log { low: 1.0, high: 10.0 };
        }
        let (low, high) = (round_down(low), nice_step(high));
        Self::Log { low, high: if high > low { high } else { low * 10.0 } }
    }

    /// Place of a value on the axis, 0 at the bottom, 1 at the top; values beyond stand at the border.
    pub fn place(self, value: f64) -> f64 {
        let share = match self {
            Self::Linear { max } => value / max,
            Self::Log { low, high } => (value.max(low) / low).ln() / (high / low).ln(),
        };
        share.clamp(0.0, 1.0)
    }

    /// Values to mark, ascending.
    pub fn ticks(self) -> Vec<f64> {
        match self {
            Self::Linear { max } => {
                let step = nice_step(max / 6.0);
                (0..=10).map(|index| f64::from(index) * step).filter(|value| *value <= max * 1.000_001).collect()
            }
            Self::Log { low, high } => {
                let decades = (high / low).log10();
                let factors: &[f64] = if decades > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
                let first = low.log10().floor() as i32;
                let last = high.log10().ceil() as i32;
                let all = (first..=last).flat_map(|exponent| factors.iter().map(move |f| f * 10f64.powi(exponent)));
                all.filter(|value| (low * 0.999..=high * 1.001).contains(value)).collect()
            }
        }
    }
}

/// The least of 1, 2, 5 times a power of ten that is not below `least`.
fn nice_step(least: f64) -> f64 {
    if !least.is_finite() || least <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= least * 0.999_999);
    factor.unwrap_or(10.0) * power
}

/// The largest of 1, 2, 5 times a power of ten that is not above `value`.
fn round_down(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let factor = [5.0, 2.0, 1.0].into_iter().find(|factor| factor * power <= value * 1.000_001);
    factor.unwrap_or(1.0) * power
}

/// Steps of a time axis, s.
const TIME_STEPS_S: [f64; 26] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0,
    900.0, 1800.0, 3600.0, 7200.0, 14_400.0, 43_200.0, 86_400.0,
];

/// Round instants from 0 to `end_s`, about `count` of them, never more than twice as many.
pub fn time_ticks(end_s: f64, count: usize) -> Vec<f64> {
    if !end_s.is_finite() || end_s <= 0.0 {
        return vec![0.0];
    }
    let least = end_s / count.max(1) as f64;
    let step =
        TIME_STEPS_S.into_iter().find(|step| *step >= least).unwrap_or_else(|| (least / 86_400.0).ceil() * 86_400.0);
    let last = (end_s / step + 1e-9).floor() as usize;
    (0..=last).map(|index| index as f64 * step).collect()
}

/// Text of an instant on an axis that ends at `end_s`.
pub fn time_label(seconds: f64, end_s: f64) -> String {
    if end_s <= 120.0 {
        return format!("{} s", nmax_text::number::trimmed(seconds, 3));
    }
    let whole = seconds.round() as u64;
    if end_s < 7200.0 {
        format!("{}:{:02}", whole / 60, whole % 60)
    } else {
        format!("{}h{:02}", whole / 3600, whole / 60 % 60)
    }
}
