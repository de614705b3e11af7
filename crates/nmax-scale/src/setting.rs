//! Settings of the system under test: a value for each of its knobs.

use crate::axis;

/// Names and values of the knobs, the first one first.
pub(crate) type Setting = Vec<(String, String)>;

/// Every setting: the values of the first knob in order, for each value of the second.
pub(crate) fn settings(knobs: &[axis::Knob]) -> Vec<Setting> {
    let Some(first) = knobs.first() else {
        return Vec::new();
    };
    let one = |knob: &axis::Knob, value: &String| (knob.name.clone(), value.clone());
    match knobs.get(1) {
        None => first.values.iter().map(|value| vec![one(first, value)]).collect(),
        Some(second) => {
            let pairs = second.values.iter().flat_map(|b| first.values.iter().map(move |a| (a, b)));
            pairs.map(|(a, b)| vec![one(first, a), one(second, b)]).collect()
        }
    }
}

/// A setting in words: `nodes=2 size=small`.
pub(crate) fn describe(setting: &Setting) -> String {
    let words: Vec<String> = setting.iter().map(|(name, value)| format!("{name}={value}")).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_every_pair_once() {
        let knob = |name: &str, values: &[&str]| axis::Knob {
            name: name.into(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        assert!(settings(&[]).is_empty());
        let one: Vec<String> = settings(&[knob("n", &["1", "2"])]).iter().map(describe).collect();
        assert_eq!(one, ["n=1", "n=2"]);
        let two: Vec<String> =
            settings(&[knob("n", &["1", "2"]), knob("size", &["s", "l"])]).iter().map(describe).collect();
        assert_eq!(two, ["n=1 size=s", "n=2 size=s", "n=1 size=l", "n=2 size=l"]);
    }
}
