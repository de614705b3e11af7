//! The nearest known name, for "did you mean ...?".

/// The candidate with the fewest edits, if at most a third of the name (at least one edit) differs; else the only
/// candidate of which the name is the beginning, three characters or more.
///
/// Edits are insertions, deletions, substitutions and swaps of neighbours; case does not count.
/// O(candidates * length²); names longer than 64 characters have no neighbour.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    // Something of the name must be right.
    let edits_max = (name.len() / 3).max(1).min(name.len().saturating_sub(1));
    if name.len() > 64 {
        return None;
    }
    let candidates: Vec<&str> = candidates.into_iter().filter(|candidate| candidate.len() <= 256).collect();
    let near = candidates
        .iter()
        .map(|candidate| (edits(&name, &candidate.to_lowercase().chars().collect::<Vec<_>>()), *candidate))
        .filter(|(edits, _)| *edits <= edits_max)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate);
    near.or_else(|| abbreviated(&name, &candidates))
}

/// "did you mean ...?" where a known name is near; else all of them behind `list`, such as `write one of`.
pub fn meant(name: &str, known: &[&str], list: &str) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("{list}: {}", known.join(", ")),
    }
}

/// The only candidate that begins with the name.
fn abbreviated<'a>(name: &[char], candidates: &[&'a str]) -> Option<&'a str> {
    let begins = |candidate: &&&str| {
        let mut letters = candidate.chars().flat_map(char::to_lowercase);
        name.iter().all(|c| letters.next() == Some(*c))
    };
    let mut matches = candidates.iter().filter(begins);
    match (matches.next(), matches.next()) {
        (Some(only), None) if name.len() >= 3 => Some(only),
        _ => None,
    }
}

/// Optimal string alignment distance.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substitution = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substitution.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_worked_by_hand() {
        let distance = |a: &str, b: &str| edits(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        let cases = [
            ("", "", 0),
            ("abc", "", 3),
            ("", "ab", 2),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
            ("same", "same", 0),
        ];
        for (a, b, want) in cases {
            assert_eq!(distance(a, b), want, "{a} to {b}");
            assert_eq!(distance(b, a), want, "symmetric");
        }
    }

    #[test]
    fn only_near_names_are_suggested() {
        let known = ["scenarios", "stages", "seed", "data"];
        assert_eq!(nearest("scenarois", known), Some("scenarios"));
        assert_eq!(nearest("Stage", known), Some("stages"));
        assert_eq!(nearest("dat", known), Some("data"));
        assert_eq!(nearest("zebra", known), None);
        assert_eq!(nearest("x", known), None);
        assert_eq!(nearest("7", ["n", "x"]), None, "another letter is another name");
        assert_eq!(nearest("N", ["n", "x"]), Some("n"));
    }

    #[test]
    fn abbreviations_of_one_name_are_understood() {
        let known = ["certificate", "key", "insecure", "insets"];
        assert_eq!(nearest("cert", known), Some("certificate"));
        assert_eq!(nearest("CERT", known), Some("certificate"));
        assert_eq!(nearest("ins", known), None, "two begin with it");
        assert_eq!(nearest("ce", known), None, "two letters may be anything");
    }
}
