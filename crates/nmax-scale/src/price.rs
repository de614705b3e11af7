//! What the system under test costs, and a usable completion of it.

use crate::axis::Knob;

/// Prices per hour, in whatever money.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Price {
    /// Of one unit of the first knob, or of the system where there is none.
    PerUnit(f64),
    /// Of each value of a knob; the first knob multiplies it when it counts, and the prices are of the second.
    PerValue(Vec<(String, f64)>),
}

/// Reads `PRICE/h` or `VALUE=PRICE/h,..`.
pub(crate) fn parse(text: &str, knobs: &[Knob]) -> Result<Price, String> {
    let wrong = |why: String| {
        format!(
            "--price {text}: {why}\n  help: write a price per hour as in 0.34/h, or one for each value as in small=0.10/h,large=0.40/h"
        )
    };
    let money = |text: &str| {
        let number = text.trim().strip_suffix("/h").and_then(|number| number.trim().parse::<f64>().ok());
        number
            .filter(|price| price.is_finite() && *price >= 0.0)
            .ok_or_else(|| wrong(format!("`{}` is not a price per hour", text.trim())))
    };
    if !text.contains('=') {
        let countable = knobs.first().is_none_or(|knob| knob.numbers().is_some());
        return match countable {
            true => money(text).map(Price::PerUnit),
            false => Err(wrong("the values of the first knob are not numbers, so each needs its own price".into())),
        };
    }
    let mut prices = Vec::new();
    for one in text.split(',') {
        let (value, price) = one.split_once('=').ok_or_else(|| wrong(format!("`{one}` names no value")))?;
        let value = value.trim();
        if !knobs.iter().any(|knob| knob.values.iter().any(|known| known == value)) {
            return Err(wrong(format!("no axis has the value `{value}`")));
        }
        prices.push((value.to_owned(), money(price)?));
    }
    Ok(Price::PerValue(prices))
}

impl Price {
    /// Price per hour of a setting: names and values of its knobs, the first one first. `None` where none is given.
    pub(crate) fn per_h(&self, setting: &[(String, String)]) -> Option<f64> {
        let count = setting.first().and_then(|(_, value)| value.parse::<f64>().ok());
        match self {
            Self::PerUnit(price) => Some(price * count.unwrap_or(1.0)),
            Self::PerValue(prices) => {
                let of = |value: &String| prices.iter().find(|(known, _)| known == value).map(|(_, price)| *price);
                let place = setting.iter().position(|(_, value)| of(value).is_some())?;
                let price = of(&setting[place].1)?;
                // Four of a size cost four times as much as one.
                Some(if place > 0 { price * count.unwrap_or(1.0) } else { price })
            }
        }
    }
}

/// Price of a million usable completions at `x` per second.
pub(crate) fn per_million(per_h: f64, x: f64) -> Option<f64> {
    (x > 0.0).then(|| per_h / (x * 3_600.0) * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knob(name: &str, values: &[&str]) -> Knob {
        Knob { name: name.into(), values: values.iter().map(|value| (*value).to_owned()).collect() }
    }

    fn set(values: &[(&str, &str)]) -> Vec<(String, String)> {
        values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_count_multiplies_a_price() {
        let knobs = [knob("nodes", &["1", "4"]), knob("size", &["small", "large"])];
        let unit = parse("0.5/h", &knobs).unwrap();
        assert_eq!(unit.per_h(&set(&[("nodes", "4"), ("size", "small")])), Some(2.0));
        let sizes = parse("small=0.1/h, large=0.4/h", &knobs).unwrap();
        assert_eq!(sizes.per_h(&set(&[("nodes", "4"), ("size", "large")])), Some(1.6));
        let one = parse("small=0.1/h", &knobs[1..]).unwrap();
        assert_eq!(one.per_h(&set(&[("size", "small")])), Some(0.1));
        assert_eq!(one.per_h(&set(&[("size", "large")])), None, "not given is not free");
        assert_eq!(parse("1/h", &[]).unwrap().per_h(&[]), Some(1.0));
        // 1,000 per second are 3.6 million an hour.
        assert!((per_million(3.6, 1_000.0).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(per_million(1.0, 0.0), None);
    }

    #[test]
    fn what_is_no_price_is_said() {
        let knobs = [knob("size", &["small", "large"])];
        for wrong in ["", "3", "x/h", "-1/h", "inf/h", "tiny=1/h", "small=1", "small=1/h,2/h", "0.3/h"] {
            let error = parse(wrong, &knobs).unwrap_err();
            assert!(error.contains("help:"), "{wrong}: {error}");
        }
    }
}
