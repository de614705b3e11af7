//! `--observe KIND=WHERE`: an item of `observe` from the command line.

use super::super::cursor::Decoder;
use super::super::error::{DocumentError, Location};
use super::super::tree::{Entry, Node, NodePosition, Scalar, Value};
use super::super::{Options, observe};
use crate::plan::Plan;
use nmax_secrets::masked_url;
use nmax_sources::kind::{Form, SourceKind};
use nmax_sources::kinds;
use nmax_text::meant;

/// The variable with the token of agents, on either side.
const TOKEN_VARIABLE: &str = "NMAX_AGENT_TOKEN";

/// Adds what the command line observes to a plan. Messages repeat no password. Agents get the token that `env` has under
/// `NMAX_AGENT_TOKEN`, if it has one.
pub fn observe_also(
    plan: &mut Plan,
    flags: &[(String, String)],
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<(), Vec<DocumentError>> {
    let options = Options {
        read: &|_| Err("no data is read here".to_owned()),
        exists: &|_| Ok(0),
        env,
        ..Options::standalone("--observe")
    };
    let mut decoder = Decoder { options: &options, problems: Vec::new(), metrics: Vec::new() };
    for (flag, (kind, text)) in (0..).zip(flags) {
        let at = NodePosition { flag: Some(flag), line: 1, column: 1 };
        let Some(known) = kinds::named(kind) else {
            let remedy = meant(kind, &kinds::keywords(|_| true), "write one of");
            decoder.wrong(at, format!("`{}` is nothing that can be observed", nmax_text::shown(kind)), remedy);
            continue;
        };
        let item = item(at, known, text, env(TOKEN_VARIABLE).is_some());
        observe::add(&mut decoder, &item, &mut plan.observe);
    }
    let problems = decoder.problems;
    if problems.is_empty() {
        return Ok(());
    }
    let bound = problems.into_iter().map(|problem| {
        let flag = problem.at.flag.and_then(|flag| flags.get(flag as usize));
        let shown = flag.map_or_else(String::new, |(kind, text)| format!(" {kind}={}", masked_url(text)));
        DocumentError {
            at: Location::Flag(format!("--observe{shown}")),
            message: problem.message,
            remedy: problem.remedy,
        }
    });
    Err(bound.collect())
}

fn item(at: NodePosition, kind: &SourceKind, text: &str, has_token: bool) -> Node {
    let entry = |key: &str, text: &str| Entry {
        key: key.to_owned(),
        key_at: at,
        value: Node { at, value: Value::Scalar(Scalar { text: text.to_owned(), plain: false, shift: None }) },
    };
    let mut entries = vec![entry(kind.word, text)];
    if matches!(kind.form, Form::Agent) && has_token {
        entries.push(entry(kinds::TOKEN.name, &format!("${{env.{TOKEN_VARIABLE}}}")));
    }
    Node { at, value: Value::Map(entries) }
}
