//! What must not be stored or shown of a plan and a command line.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use nmax_engine::Known;
use nmax_plan::addresses::is_absolute;
use nmax_plan::document::write::to_yaml;
use nmax_plan::plan::{Action, Body, CallKind, FormPart, Observed, PartContent, Plan, Step, Test, Wanted};
use nmax_plan::template::{Part, Template};
use nmax_secrets::{
    MASK, Message, Redactor, Rules, TextKind, find, is_secret_header, is_secret_name, masked_url, origin_only,
};

use crate::plan::plan_of_manifest;

/// The first of the characters that stand for holes of a template while its text is searched: private ones, which no
/// text has a reason to hold.
const HOLE: u32 = 0xf_0000;
/// How many there are.
const HOLES_MAX: usize = 0xfffd;

/// The plan as it may be stored: the constant parts of secret headers, fields and queries are masked.
pub fn mask_plan(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    mask_headers(&mut plan.defaults.headers);
    if let Some(proxy) = &mut plan.defaults.proxy {
        *proxy = masked_url(proxy);
    }
    for observed in &mut plan.observe {
        if let Observed::Source(source) = observed {
            source.mask();
        }
    }
    let actions = plan.timeline.iter_mut().flat_map(|item| std::iter::once(&mut item.action).chain(&mut item.undo));
    actions.for_each(|action| mask_action(action, &plan.redactor));
    for scenario in plan.all_scenarios_mut() {
        let slots = scenario.slots.clone();
        scenario.change_steps(&mut |step| {
            if let Step::Set(values) = step {
                let is_secret = |slot: usize| slots.get(slot).is_some_and(|name| is_secret_name(name));
                let secrets = values.iter_mut().filter(|(slot, _)| is_secret(*slot));
                secrets.for_each(|(_, value)| mask(value));
            }
        });
        scenario.change_templates(&mut |template| {
            mask_keys(template);
            mask_secrets(template, TextKind::Text);
        });
        scenario.change_calls(&mut |request| {
            for check in &mut request.expect.checks {
                match &mut check.test {
                    Test::BodyContains(text) | Test::BodyLacks(text) => mask_secrets(text, TextKind::Data),
                    Test::HeaderContains(name, text) => mask_secrets(text, TextKind::Header(name)),
                    Test::Value(_, Wanted::Compared(_, text)) => mask_secrets(text, TextKind::Data),
                    Test::Finds(_) | Test::Value(..) | Test::MaxTime(_) => {}
                }
            }
            let CallKind::Http(http) = &mut request.what;
            let http = Arc::make_mut(http);
            mask_headers(&mut http.headers);
            mask_pairs(&mut http.query);
            mask_secrets(&mut http.url, TextKind::Url);
            match &mut http.body {
                Body::Form(fields) => mask_pairs(fields),
                Body::Text(text) | Body::Json(text) => mask_secrets(text, TextKind::Data),
                Body::Multipart(parts) => parts.iter_mut().for_each(mask_part),
                Body::Empty | Body::File(_) => {}
            }
        });
    }
    plan
}

/// The plan as YAML, as it may be stored.
pub fn plan_yaml(plan: &Plan) -> String {
    yaml_without(plan, &plan.redactor)
}

/// The plan as YAML without the values that `redactor` knows. A value may be a word of plans, such as `default`: then only
/// texts that are sent lose it, for a stored plan must be read again.
fn yaml_without(plan: &Plan, redactor: &Redactor) -> String {
    let mut masked = mask_plan(plan);
    let yaml = to_yaml(&masked);
    let everywhere = redactor.values(&yaml);
    if everywhere == yaml || plan_of_manifest(&everywhere).is_ok() {
        return everywhere;
    }
    // The scheme of a URL is such a word too.
    let hide = |template: &mut Template| {
        template.change_texts(&|text| {
            let scheme =
                ["http://", "https://"].into_iter().find(|scheme| text.starts_with(scheme)).unwrap_or_default();
            *text = scheme.to_owned() + &redactor.values(&text[scheme.len()..]);
        });
    };
    masked.defaults.headers.iter_mut().for_each(|(_, value)| hide(value));
    for scenario in masked.all_scenarios_mut() {
        scenario.change_templates(&mut |template| hide(template));
    }
    to_yaml(&masked)
}

fn mask_action(action: &mut Action, redactor: &Redactor) {
    match action {
        Action::Command(command) => *command = redactor.data(command),
        Action::Http { url, body, .. } => (*url, *body) = (redactor.url(url), redactor.data(body)),
        Action::Signal { .. } => {}
    }
}

fn mask_part(part: &mut FormPart) {
    if let PartContent::Text(text) = &mut part.content {
        match part.name.as_constant().is_some_and(is_secret_name) {
            true => mask(text),
            false => mask_secrets(text, TextKind::Text),
        }
    }
}

fn mask_headers(headers: &mut [(String, Template)]) {
    for (name, value) in headers {
        mask_secrets(value, TextKind::Header(name));
    }
}

fn mask_pairs(pairs: &mut [(Template, Template)]) {
    for (name, value) in pairs {
        match name.as_constant().is_some_and(is_secret_name) {
            true => mask(value),
            false => mask_secrets(value, TextKind::Text),
        }
    }
}

/// Masks what is written out; holes stay, for their values are not stored.
fn mask(template: &mut Template) {
    template.change_texts(&|text| {
        if !text.is_empty() {
            *text = MASK.to_owned();
        }
    });
}

/// Masks keys that are written out in calls of functions.
fn mask_keys(template: &mut Template) {
    for part in &mut template.parts {
        if let Part::Call(call) = part {
            let key = call.function.key();
            for (index, argument) in call.arguments.iter_mut().enumerate() {
                if key == Some(index) {
                    mask(argument);
                }
                mask_keys(argument);
            }
        }
    }
}

/// Masks what is written out of the secrets that a template holds, which may be in pieces between its holes.
fn mask_secrets(template: &mut Template, kind: TextKind<'_>) {
    let hole = |index: usize| char::from_u32(HOLE + u32::try_from(index).ok()?).filter(|_| index < HOLES_MAX);
    let mut parts = std::mem::take(&mut template.parts);
    let text: String = parts
        .iter()
        .enumerate()
        .map(|(index, part)| match part {
            Part::Text(text) => text.clone(),
            _ => hole(index).unwrap_or(char::REPLACEMENT_CHARACTER).to_string(),
        })
        .collect();
    let is_hole = |c: char| (HOLE..HOLE + HOLES_MAX as u32).contains(&u32::from(c));
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for spot in find(text.as_bytes(), kind, Rules { is_strict: true, ..Rules::default() }).spots {
        let (before, secret) = (&text[from..spot.range.start], &text[spot.range.clone()]);
        masked.push_str(before);
        match secret.contains(is_hole) && spot.quotes.is_empty() {
            true => secret.split_inclusive(is_hole).for_each(|piece| {
                let written = piece.trim_end_matches(is_hole);
                masked.push_str(if written.is_empty() { "" } else { MASK });
                masked.push_str(&piece[written.len()..]);
            }),
            false => masked.extend([spot.quotes.as_str(), MASK, spot.quotes.as_str()]),
        }
        from = spot.range.end;
    }
    masked.push_str(&text[from..]);
    let mut rest = masked.as_str();
    while let Some(at) = rest.find(is_hole) {
        let (before, after) = rest.split_at(at);
        template.parts.extend((!before.is_empty()).then(|| Part::Text(before.to_owned())));
        let mut chars = after.chars();
        let index = chars.next().map_or(0, |c| (u32::from(c) - HOLE) as usize);
        if let Some(part) = parts.get_mut(index) {
            template.parts.push(std::mem::replace(part, Part::Iteration));
        }
        rest = chars.as_str();
    }
    template.parts.extend((!rest.is_empty()).then(|| Part::Text(rest.to_owned())));
}

/// The command line as it may be stored, unquoted word by word.
pub fn mask_words(words: impl Iterator<Item = String>, redactor: &Redactor) -> Vec<String> {
    let mut masked = Vec::new();
    let mut before = String::new();
    for word in words {
        masked.push(match before.as_str() {
            flag if is_header(flag) => mask_header(&word, redactor),
            "--webhook" => origin_only(&word),
            "-e" | "--env" | "--set" => mask_pair(&word, redactor),
            // A value may follow a short flag without a space.
            _ if word.starts_with("-H") => format!("-H{}", mask_header(&word[2..], redactor)),
            _ if word.starts_with("-e") => format!("-e{}", mask_pair(&word[2..], redactor)),
            _ => match word.split_once('=') {
                Some((flag, value)) if is_header(flag) => format!("{flag}={}", mask_header(value, redactor)),
                Some((flag @ "--webhook", value)) => format!("{flag}={}", origin_only(value)),
                Some((flag @ ("--env" | "--set"), value)) => format!("{flag}={}", mask_pair(value, redactor)),
                _ => mask_word(&word, redactor),
            },
        });
        before = word;
    }
    masked
}

/// Whether a flag takes `Name: value`.
fn is_header(flag: &str) -> bool {
    matches!(flag, "-H" | "--header" | "--otlp-header" | "--remote-write-header" | "--webhook-header")
}

/// A word that no flag explains: a URL, a body, `kind=place`.
pub fn mask_word(word: &str, redactor: &Redactor) -> String {
    if is_absolute(word) { redactor.url(word) } else { redactor.data(word) }
}

fn mask_header(text: &str, redactor: &Redactor) -> String {
    match text.split_once(':') {
        Some((name, value)) => {
            let blank = &value[..value.len() - value.trim_start().len()];
            format!("{name}:{blank}{}", redactor.header(name, value.trim_start()))
        }
        None => redactor.data(text),
    }
}

fn mask_pair(text: &str, redactor: &Redactor) -> String {
    match text.split_once('=') {
        Some((name, _)) if is_secret_name(name) || name.rsplit('.').next().is_some_and(is_secret_header) => {
            format!("{name}={MASK}")
        }
        Some((name, value)) => format!("{name}={}", mask_word(value, redactor)),
        None => redactor.data(text),
    }
}

/// What a person gets to see: everything, or all but secrets.
#[derive(Clone, Debug)]
pub struct Shown {
    with_secrets: bool,
    known: Known,
}

impl Shown {
    /// Whether secrets are shown, and what takes them out.
    pub fn new(with_secrets: bool, redactor: &Redactor) -> Self {
        Self { with_secrets, known: Arc::new(Mutex::new(redactor.clone())) }
    }

    /// Whether secrets are shown.
    pub fn with_secrets(&self) -> bool {
        self.with_secrets
    }

    /// Where an engine tells the secrets that come up on the way.
    pub fn known(&self) -> Known {
        Arc::clone(&self.known)
    }

    /// Knows the cookies of a head from now on.
    fn learn<'f>(&self, fields: impl Iterator<Item = (Cow<'f, str>, &'f [u8])>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = known.knowing_cookies(fields);
    }

    /// What takes secrets out of what is shown, if they are to be.
    fn redactor(&self) -> Option<Redactor> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        (!self.with_secrets).then(|| known.clone())
    }

    /// A plan as YAML.
    pub fn plan(&self, plan: &Plan) -> String {
        self.redactor().map_or_else(|| to_yaml(plan), |redactor| yaml_without(plan, &redactor))
    }

    /// A text in which names and values are not told apart.
    pub fn text(&self, text: &str) -> String {
        self.redactor().map_or_else(|| text.to_owned(), |redactor| redactor.data(text))
    }

    /// The value of a header.
    pub fn header(&self, name: &str, value: &str) -> String {
        self.learn([(Cow::Borrowed(name), value.as_bytes())].into_iter());
        self.redactor().map_or_else(|| value.to_owned(), |redactor| redactor.header(name, value))
    }

    /// The first line of a request or reply.
    pub fn first_line(&self, line: &str) -> String {
        self.redactor().map_or_else(|| line.to_owned(), |redactor| redactor.first_line(line))
    }

    /// Where a body of this content type has secrets that are not shown.
    pub fn secrets_in(&self, body: &[u8], content_type: &str) -> Vec<Range<usize>> {
        let spots = self.redactor().map(|redactor| redactor.spots(body, content_type)).unwrap_or_default();
        spots.into_iter().map(|spot| spot.range).collect()
    }

    /// Head and body of a request or reply.
    pub fn message(&self, message: &Message<'_>) -> (String, String) {
        self.learn(message.fields());
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        match self.redactor() {
            Some(redactor) => (redactor.head(message), redactor.body(message)),
            None => (text(message.head()), text(message.body())),
        }
    }
}

#[cfg(test)]
mod tests {
    use nmax_plan::template::{Call, Function};

    use super::*;

    #[test]
    fn secrets_on_the_command_line_are_masked() {
        let line = "run http://h/x?token=abc&y=1 -H Authorization: Bearer-xyz -e API_TOKEN=s3cret -e RATE=5/s \
                    --set defaults.headers.x-api-key=k -b user=a&password=b";
        // The header is one word of a shell.
        let words = line.replace("Authorization: ", "Authorization:_");
        let words = words.split_whitespace().map(|word| word.replace(":_", ": "));
        assert_eq!(
            mask_words(words, &Redactor::default()),
            [
                "run",
                "http://h/x?token=REDACTED&y=1",
                "-H",
                "Authorization: REDACTED",
                "-e",
                "API_TOKEN=REDACTED",
                "-e",
                "RATE=5/s",
                "--set",
                "defaults.headers.x-api-key=REDACTED",
                "-b",
                "user=a&password=REDACTED"
            ]
        );
    }

    #[test]
    fn a_secret_right_behind_its_flag_is_masked() {
        let words = ["-HAuthorization: Bearer s3cret", "-eAPI_TOKEN=s3cret", "-H", "-eAccept: x"].map(str::to_owned);
        let masked = mask_words(words.into_iter(), &Redactor::default());
        assert!(!masked.join(" ").contains("s3cret"), "{masked:?}");
        assert_eq!((masked[2].as_str(), masked[3].as_str()), ("-H", "-eAccept: x"));
    }

    #[test]
    fn users_in_urls_are_masked() {
        let words = ["--set", "defaults.proxy=http://ann:s3cret@h:1"].map(str::to_owned);
        assert!(!mask_words(words.into_iter(), &Redactor::default()).join(" ").contains("s3cret"));
    }

    #[test]
    fn secret_parts_and_the_proxys_user_are_masked_in_a_plan() {
        let mut plan = Plan::for_url(&nmax_plan::planless::Planless::get("http://127.0.0.1:1/")).unwrap();
        plan.defaults.proxy = Some("http://ann:s3cret@proxy.test:3128".into());
        plan.scenarios[0].slots = vec!["password".into()];
        plan.scenarios[0].steps.push(Step::Set(vec![(0, Template::text("0pen"))]));
        let Some(Step::Call(request)) = plan.scenarios[0].steps.first_mut() else { panic!("a plan of one request") };
        let call = Part::Call(Box::new(Call {
            function: Function::Hmac,
            arguments: ["sha1", "k3y", "text"].map(Template::text).into(),
        }));
        std::sync::Arc::make_mut(request).http_mut().unwrap().url.parts.push(call);
        let part = |name: &str, value: &str| FormPart {
            name: Template::text(name),
            content: PartContent::Text(Template::text(value)),
            file_name: None,
            content_type: None,
        };
        std::sync::Arc::make_mut(request).http_mut().unwrap().body =
            Body::Multipart(vec![part("password", "hunter2"), part("note", "kept")]);
        let yaml = nmax_plan::document::write::to_yaml(&mask_plan(&plan));
        assert!(yaml.contains("hmac('sha1', 'REDACTED', 'text')"), "{yaml}");
        for secret in ["s3cret", "ann", "hunter2", "0pen", "k3y"] {
            assert!(!yaml.contains(secret), "{secret} in\n{yaml}");
        }
        assert!(yaml.contains("kept") && yaml.contains("proxy.test:3128"), "{yaml}");
    }

    /// Passwords and tokens of what is observed are neither stored nor in the command, and the plan can still be read.
    #[test]
    fn secrets_of_sources_are_masked() {
        let mut plan = Plan::for_url(&nmax_plan::planless::Planless::get("http://127.0.0.1:1/")).unwrap();
        let flags = [
            ("agent", "http://db1:9797"),
            ("prometheus", "http://ann:s3cret@h/metrics?token=s3cret"),
            ("postgres", "postgres://ann:s3cret@h/shop?password=s3cret"),
            ("redis", "redis://:s3cret@h"),
            ("nginx", "http://ann:s3cret@h/status"),
        ];
        let flags = flags.map(|(kind, place)| (kind.to_owned(), place.to_owned()));
        nmax_plan::document::observe_also(&mut plan, &flags, &|_| Some("s3cret".into())).unwrap();
        let yaml = nmax_plan::document::write::to_yaml(&mask_plan(&plan));
        assert!(!yaml.contains("s3cret") && !yaml.contains("ann"), "{yaml}");
        let back = crate::plan::plan_of_manifest(&yaml).unwrap();
        assert_eq!(back.observe.len(), flags.len());
        let words = flags.iter().flat_map(|(kind, place)| ["--observe".to_owned(), format!("{kind}={place}")]);
        let words = mask_words(words, &Redactor::default()).join(" ");
        assert!(!words.contains("s3cret"), "{words}");
    }

    #[test]
    fn secrets_of_a_plan_are_masked_and_the_rest_stays() {
        let mut run = nmax_plan::planless::Planless::get("http://127.0.0.1:1/x?token=t0psecret&page=2");
        run.headers = vec![("Authorization".into(), "Bearer h1dden".into()), ("accept".into(), "text/html".into())];
        run.body = Some("user=ann&password=hunter2".into());
        let yaml = nmax_plan::document::write::to_yaml(&mask_plan(&Plan::for_url(&run).unwrap()));
        for secret in ["t0psecret", "h1dden", "hunter2"] {
            assert!(!yaml.contains(secret), "{secret} in\n{yaml}");
        }
        for kept in ["page=2", "text/html", "user=ann"] {
            assert!(yaml.contains(kept), "{kept} not in\n{yaml}");
        }
    }

    /// Holes stay where they are, and what is written out beside them goes.
    #[test]
    fn secrets_between_holes_are_masked() {
        let hole = || Part::Slot(0);
        let text = |text: &str| Part::Text(text.to_owned());
        let cases = [
            (
                vec![text("{\"password\":\""), hole(), text("\",\"n\":1}")],
                vec![text("{\"password\":\""), hole(), text("\",\"n\":1}")],
            ),
            (
                vec![text("{\"password\":\"abc"), hole(), text("def\",\"n\":"), hole(), text("}")],
                vec![text("{\"password\":\"REDACTED"), hole(), text("REDACTED\",\"n\":"), hole(), text("}")],
            ),
            (vec![text("{\"tokens\":[\"abc\","), hole(), text("]}")], vec![text("{\"tokens\":\"REDACTED\"}")]),
        ];
        for (parts, want) in cases {
            let mut template = Template { parts };
            mask_secrets(&mut template, TextKind::Data);
            assert_eq!(template.parts, want);
        }
    }

    /// A body that is given on the command line goes as a whole where its name says so.
    #[test]
    fn bodies_on_the_command_line_are_masked() {
        let body = r#"{"password":{"value":"s3cret"},"tokens":["s3cret"],"user":"ann"}"#;
        for words in [vec!["-b", body], vec!["-b", "user=ann&password=s3cret"]] {
            let masked = mask_words(words.into_iter().map(str::to_owned), &Redactor::default()).join(" ");
            assert!(!masked.contains("s3cret") && masked.contains("ann"), "{masked}");
        }
    }
}
