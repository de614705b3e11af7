//! Values within a line of JSON, by place, so that a line can be written again with only them replaced.

use std::ops::Range;

use serde_json::Value;

/// A value that holds no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Names from the outside in, with dots between. Elements of a list have the list's name.
    pub(super) path: String,
    /// Where it stands in the line.
    pub(super) place: Range<usize>,
    /// What it is.
    pub(super) kind: LeafKind,
    /// Text without quotes and escapes; digits as they are written; empty for null.
    pub(super) text: String,
}

/// What a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafKind {
    Text,
    Number,
    /// true, false, null.
    Word,
}

/// The leaves of a line, which must hold one object.
pub(super) fn leaves(line: &str) -> Result<Vec<Leaf>, String> {
    match serde_json::from_str::<Value>(line) {
        Err(error) => Err(format!("no JSON: {error}")),
        Ok(Value::Object(_)) => {
            let mut scanner = Scanner { line, at: 0, leaves: Vec::new() };
            scanner.value(&mut String::new());
            Ok(scanner.leaves)
        }
        Ok(_) => Err("an object is expected, as in {\"name\": \"value\"}".into()),
    }
}

/// Goes through text that is known to be JSON.
struct Scanner<'a> {
    line: &'a str,
    at: usize,
    leaves: Vec<Leaf>,
}

impl Scanner<'_> {
    fn byte(&self) -> u8 {
        self.line.as_bytes().get(self.at).copied().unwrap_or(b'}')
    }

    fn skip(&mut self, signs: &[u8]) {
        while self.at < self.line.len() && signs.contains(&self.byte()) {
            self.at += 1;
        }
    }

    fn value(&mut self, path: &mut String) {
        self.skip(b" \t\r\n");
        match self.byte() {
            b'{' => self.members(path),
            b'[' => {
                self.at += 1;
                self.skip(b" \t\r\n,");
                while self.byte() != b']' && self.at < self.line.len() {
                    self.value(path);
                    self.skip(b" \t\r\n,");
                }
                self.at += 1;
            }
            b'"' => {
                let place = self.string();
                let text = unescaped(&self.line[place.clone()]);
                self.leaf(path, place, LeafKind::Text, text);
            }
            first => {
                let rest = &self.line[self.at..];
                let length = rest.find([',', '}', ']', ' ', '\t', '\r', '\n']).unwrap_or(rest.len());
                let place = self.at..self.at + length;
                self.at = place.end;
                let kind = if first == b'-' || first.is_ascii_digit() { LeafKind::Number } else { LeafKind::Word };
                let text = if first == b'n' { String::new() } else { self.line[place.clone()].to_owned() };
                self.leaf(path, place, kind, text);
            }
        }
    }

    fn members(&mut self, path: &mut String) {
        self.at += 1;
        self.skip(b" \t\r\n,");
        while self.byte() == b'"' {
            let name = self.string();
            let before = path.len();
            if before > 0 {
                path.push('.');
            }
            path.push_str(&unescaped(&self.line[name]));
            self.skip(b" \t\r\n:");
            self.value(path);
            path.truncate(before);
            self.skip(b" \t\r\n,");
        }
        self.at += 1;
    }

    /// The place of a string with its quotes.
    fn string(&mut self) -> Range<usize> {
        let (from, bytes) = (self.at, self.line.as_bytes());
        self.at += 1;
        while self.at < bytes.len() && bytes[self.at] != b'"' {
            self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at = (self.at + 1).min(bytes.len());
        from..self.at
    }

    fn leaf(&mut self, path: &str, place: Range<usize>, kind: LeafKind, text: String) {
        self.leaves.push(Leaf { path: path.to_owned(), place, kind, text });
    }
}

fn unescaped(string: &str) -> String {
    serde_json::from_str(string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn found(line: &str) -> Vec<(String, String, LeafKind)> {
        leaves(line).unwrap().into_iter().map(|leaf| (leaf.path, leaf.text, leaf.kind)).collect()
    }

    #[test]
    fn leaves_have_paths() {
        let line = r#" {"a": "x\"\u00e9", "b": {"c.d": -1.50, "e": [ "p", {"f": null}, []]}, "g": true, "h": {} } "#;
        let want = [
            ("a", "x\"é", LeafKind::Text),
            ("b.c.d", "-1.50", LeafKind::Number),
            ("b.e", "p", LeafKind::Text),
            ("b.e.f", "", LeafKind::Word),
            ("g", "true", LeafKind::Word),
        ];
        assert_eq!(found(line), want.map(|(path, text, kind)| (path.to_owned(), text.to_owned(), kind)));
        assert!(leaves("[1]").unwrap_err().contains("an object"));
        assert!(leaves("{").unwrap_err().contains("no JSON"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Law: each leaf's place holds its text, whatever is in it.
        #[test]
        fn places_hold_their_text(name in ".{0,6}", texts in prop::collection::vec(".{0,8}", 0..4), pretty: bool) {
            let value = json!({ name.clone(): texts, "n": [1, 2.5] });
            let line = if pretty { format!("{value:#}") } else { value.to_string() };
            let leaves = leaves(&line).unwrap();
            let of_kind = |kind| leaves.iter().filter(move |leaf| leaf.kind == kind);
            prop_assert!(of_kind(LeafKind::Text).map(|leaf| &leaf.text).eq(texts.iter()) || name == "n");
            for leaf in of_kind(LeafKind::Text) {
                prop_assert_eq!(serde_json::from_str::<String>(&line[leaf.place.clone()]).unwrap(), leaf.text.clone());
            }
            prop_assert_eq!(of_kind(LeafKind::Number).count(), 2);
        }
    }
}
