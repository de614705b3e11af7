//! `timeline`: what is done to the system under test during the run.

use std::time::Duration;

use super::cursor::{Decoder, Fields};
use super::keys::{self, METHODS, SIGNALS, keywords};
use super::observe::{label, process, shown};
use super::tree::{Entry, Node, NodePosition};
use crate::addresses::{self, is_absolute};
use crate::plan::{Action, Intervention, Moment};
use crate::units::format_duration;
use nmax_secrets::masked_url;

/// Most items of a timeline.
const ITEMS_MAX: usize = 100;
/// Longest time that an action may take where the plan says nothing.
const LIMIT_DEFAULT: Duration = Duration::from_secs(30);

/// Every item, in order; the run ends after `end`, `None` when only a number of iterations ends it.
pub(super) fn decode(decoder: &mut Decoder, node: &Node, end: Option<Duration>) -> Vec<Intervention> {
    let items = decoder.list(node, "`timeline`");
    if items.len() > ITEMS_MAX {
        decoder.wrong(node.at, format!("more than {ITEMS_MAX} items in `timeline`"), "leave some out");
        return Vec::new();
    }
    let mut found: Vec<Intervention> = Vec::new();
    for item in items {
        if let Some(next) = intervention(decoder, item, end, &found) {
            found.push(next);
        }
    }
    found
}

fn intervention(
    decoder: &mut Decoder,
    node: &Node,
    end: Option<Duration>,
    before: &[Intervention],
) -> Option<Intervention> {
    let fields = decoder.fields(node, &keys::INTERVENTION)?;
    let name = fields.get("name").map(|node| (decoder.expanded(node), node.at));
    let at = moment(decoder, fields, end);
    let action = action(decoder, fields, "an item of `timeline`");
    let limit = fields.optional("limit", |node| decoder.duration_above_zero(node));
    let lasts = fields.optional("for", |node| decoder.duration_above_zero(node));
    let undo = fields.optional("undo", |node| {
        let fields = decoder.fields(node, &keys::UNDO)?;
        self::action(decoder, fields, "`undo`")
    });
    if let Some(entry) = fields.entry("for")
        && undo == Some(None)
    {
        let message = "`for` says when it is undone, but nothing undoes it";
        decoder.wrong(entry.key_at, message, "add `undo: { ... }`, or remove `for`");
    }
    let action = action?;
    let name = named(decoder, name, &action, before)?;
    Some(Intervention { name, at: at?, action, limit: limit?.unwrap_or(LIMIT_DEFAULT), lasts: lasts?, undo: undo? })
}

fn named(
    decoder: &mut Decoder,
    name: Option<(Option<String>, NodePosition)>,
    action: &Action,
    before: &[Intervention],
) -> Option<String> {
    let is_taken = |name: &str| before.iter().any(|other| other.name == name);
    let Some((name, at)) = name else {
        let plain: String = describe(action).chars().take(60).collect();
        let numbered = (2..).map(|number: u32| format!("{plain} {number}"));
        return std::iter::once(plain.clone()).chain(numbered).find(|name| !is_taken(name));
    };
    let name = name?;
    label(decoder, at, &name);
    if is_taken(&name) {
        decoder.wrong(at, format!("two items of `timeline` are named `{name}`"), "give one of them another name");
    }
    Some(name)
}

/// What is done, in few words and without control characters.
fn describe(action: &Action) -> String {
    let text = match action {
        Action::Command(line) => line.clone(),
        Action::Http { method, url, .. } => format!("{} {}", method.token(), masked_url(url)),
        Action::Signal { signal, process } => format!("{signal} {}", shown(process)),
    };
    text.replace(char::is_control, " ").trim().to_owned()
}

fn moment(decoder: &mut Decoder, fields: Fields, end: Option<Duration>) -> Option<Moment> {
    match (fields.get("at"), fields.entry("when")) {
        (Some(node), None) => {
            let at = decoder.duration(node)?;
            if let Some(end) = end
                && at >= end
            {
                let message = format!(
                    "this is to be done after {}, but the run ends after {}",
                    format_duration(at),
                    format_duration(end)
                );
                decoder.wrong(node.at, message, "write an earlier time; `--set timeline=null` leaves the timeline out");
            }
            Some(Moment::At(at))
        }
        (None, Some(when)) => decoder.choose(&when.value, &[("steady", Moment::Steady)]),
        (Some(_), Some(when)) => {
            decoder.wrong(when.key_at, "`at` and `when` both say when it is done", "keep one of them").none()
        }
        (None, None) => {
            if !["at", "when"].into_iter().any(|key| fields.is_misspelled(key)) {
                decoder.wrong(fields.at, "this action has no time", "add `at: 10m` or `when: steady`");
            }
            None
        }
    }
}

/// The one action of a map.
fn action(decoder: &mut Decoder, fields: Fields, what: &str) -> Option<Action> {
    let both = |_: &Entry, second: &Entry| {
        (format!("{what} does one thing, `{}` is the second", second.key), "write an item of its own for it")
    };
    let remedy = "add `command: ./backup.sh`, `http: { post: /path }` or `signal: { process: nginx, send: STOP }`";
    let none = format!("{what} does nothing");
    let only = decoder.only(fields, &["command", "http", "signal"], both, (&none, remedy))?;
    match only.key.as_str() {
        "command" => command(decoder, &only.value),
        "http" => call(decoder, &only.value),
        _ => signal(decoder, &only.value),
    }
}

fn command(decoder: &mut Decoder, node: &Node) -> Option<Action> {
    let line = decoder.expanded(node)?;
    if line.trim().is_empty() || line.contains('\0') {
        decoder.wrong(node.at, "this is not a command line", "write a command line such as `./backup.sh`");
    }
    Some(Action::Command(line))
}

fn call(decoder: &mut Decoder, node: &Node) -> Option<Action> {
    let fields = decoder.fields(node, &keys::CALL)?;
    let body = fields.optional("body", |node| decoder.expanded(node));
    let both = |_: &Entry, second: &Entry| {
        (format!("a call has one method, `{}` is the second", second.key), "keep one of them")
    };
    let none = ("the call has no method", "write one, such as `post: /admin/flush`");
    let only = decoder.only(fields, &keywords(METHODS), both, none)?;
    let (_, method) = METHODS.iter().find(|(key, _)| *key == only.key)?;
    let url = url(decoder, only)?;
    Some(Action::Http { method: *method, url, body: body?.unwrap_or_default() })
}

/// A path on the target, or a URL.
fn url(decoder: &mut Decoder, entry: &Entry) -> Option<String> {
    let node = &entry.value;
    let url = decoder.expanded(node)?;
    let shown = nmax_text::shown(&masked_url(&url)).into_owned();
    if url.contains(|c: char| c.is_control() || c == ' ') {
        decoder.wrong(node.at, format!("`{shown}` contains a space or a control character"), "write `%20` for a space");
    } else if is_absolute(&url) {
        if let Err(message) = addresses::origin(nmax_text::url::split(&url).origin) {
            decoder.wrong(node.at, message, "write it as `http://host:port/path`");
        }
    } else if !url.starts_with('/') {
        let message = format!("`{shown}` is neither a path nor a URL");
        decoder.wrong(node.at, message, "begin it with `/`, `http://` or `https://`");
    }
    Some(url)
}

fn signal(decoder: &mut Decoder, node: &Node) -> Option<Action> {
    let fields = decoder.fields(node, &keys::SIGNAL)?;
    let process = fields.get("process").and_then(|node| process(decoder, node));
    let signal = fields.get("send").and_then(|node| {
        let text = decoder.expanded(node)?;
        let name = text.strip_prefix("SIG").unwrap_or(&text);
        if SIGNALS.contains(&name) {
            return Some(name.to_owned());
        }
        decoder.not_a_choice(node.at, &text, &SIGNALS).none()
    });
    Some(Action::Signal { signal: signal?, process: process? })
}
