//! The command that sets a knob of the system under test.

use std::time::Duration;

use nmax_run::signals::Interrupts;

/// Runs it for a setting. The error says what it said, and how it ended.
///
/// - `setting`: names and values of the knobs, the first one first
pub(crate) fn apply(
    line: &str,
    setting: &[(String, String)],
    limit: Duration,
    interrupts: &Interrupts,
) -> Result<(), String> {
    nmax_run::command(&filled(line, setting), limit, &|| interrupts.count() > 0)
}

/// The line with its values: `{n}` is that of the first knob, `{NAME}` that of each.
pub(crate) fn filled(line: &str, setting: &[(String, String)]) -> String {
    let mut filled = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        filled.push_str(before);
        let value = from.find('}').and_then(|end| {
            let value = value(&from[1..end], setting)?;
            Some((value, end))
        });
        match value {
            Some((value, end)) => {
                filled.push_str(&quoted(value));
                rest = &from[end + 1..];
            }
            None => {
                filled.push('{');
                rest = &from[1..];
            }
        }
    }
    filled + rest
}

/// What a name in braces stands for.
fn value<'a>(name: &str, setting: &'a [(String, String)]) -> Option<&'a str> {
    let known = setting.iter().find(|(known, _)| known == name);
    let first = setting.first().filter(|_| name == "n");
    known.or(first).map(|(_, value)| value.as_str())
}

/// A value as one word of a shell.
fn quoted(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&byte));
    if is_plain { value.to_owned() } else { format!("'{}'", value.replace('\'', "'\\''")) }
}

/// Complains about knobs that the command does not set, and about a command without knobs.
pub(crate) fn check(line: Option<&str>, names: &[&str]) -> Vec<String> {
    let Some(line) = line else {
        return match names {
            [] => Vec::new(),
            names => vec![format!(
                "--axis {}: nothing sets it\n  help: give the command that does, as in --apply './set-{} {{n}}'",
                names.join(", "),
                names[0]
            )],
        };
    };
    if names.is_empty() {
        let help = "give the values of a knob, as in --axis nodes=1,2,4";
        return vec![format!("--apply: there is no knob to set\n  help: {help}")];
    }
    let unset = |place: usize, name: &str| {
        let is_set = line.contains(&format!("{{{name}}}")) || (place == 0 && line.contains("{n}"));
        (!is_set).then(|| {
            let hint = if place == 0 && name != "n" { " or {n}" } else { "" };
            format!("--apply: the command does not use {{{name}}}{hint}\n  help: put it where the value belongs")
        })
    };
    names.iter().enumerate().filter_map(|(place, name)| unset(place, name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_their_places_as_one_word() {
        let setting = [("nodes".to_owned(), "4".to_owned()), ("size".to_owned(), "very large; rm".to_owned())];
        assert_eq!(filled("./set {n} {nodes} {size}", &setting), "./set 4 4 'very large; rm'");
        assert_eq!(filled("awk '{print $1}' {n", &setting), "awk '{print $1}' {n", "other braces stay");
        assert_eq!(filled("", &setting), "");
    }

    #[test]
    fn knobs_and_command_belong_together() {
        assert!(check(Some("x {n}"), &["nodes"]).is_empty());
        assert!(check(None, &[]).is_empty());
        assert!(check(None, &["nodes"])[0].contains("nothing sets it"));
        assert!(check(Some("x"), &[])[0].contains("no knob"));
        let both = check(Some("x"), &["nodes", "size"]);
        assert!(both.len() == 2 && both[1].contains("{size}"), "{both:?}");
    }
}
