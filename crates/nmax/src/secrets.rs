//! What must not be stored: secrets in the plan and on the command line are masked in the manifest and the report.

use std::collections::BTreeSet;

use nmax_engine::{redact, redact_fields, redact_users};
use nmax_import::redact::Needles;
use nmax_metrics::FailureExample;
use nmax_plan::document::write::to_yaml;
use nmax_plan::plan::{Body, FormPart, Observed, PartContent, Plan, Rows, SourceKind, Step};
use nmax_plan::secret::{is_secret_header, is_secret_name};
use nmax_plan::template::{Part, Template};

use crate::load::Variables;

/// What stands in the place of a secret.
const MASK: &str = "[redacted]";
/// The same where it may stand in YAML without quotes.
const MASK_BARE: &str = "REDACTED";
/// What the names of files end in whose cells are secrets, as imports write them.
const SECRETS_FILE: &str = ".secrets.csv";
/// What a source of data is called whose cells are secrets, as imports call it.
const SECRETS_SOURCE: &str = "secrets";
/// Shorter values are too likely to occur by chance.
const VALUE_CHARS_MIN: usize = 4;
/// The same for one line of several.
const LINE_CHARS_MIN: usize = 8;
/// The same for what follows a word.
const KEY_CHARS_MIN: usize = 12;

/// The plan as it may be stored: the constant parts of secret headers, fields and queries are masked.
pub fn mask_plan(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    mask_headers(&mut plan.defaults.headers);
    if let Some(proxy) = &mut plan.defaults.proxy {
        *proxy = redact_users(proxy);
    }
    plan.observe.iter_mut().for_each(mask_observed);
    for scenario in plan.all_scenarios_mut() {
        let slots = scenario.slots.clone();
        scenario.change_steps(&mut |step| {
            if let Step::Set(values) = step {
                let is_secret = |slot: usize| slots.get(slot).is_some_and(|name| is_secret_name(name));
                let secrets = values.iter_mut().filter(|(slot, _)| is_secret(*slot));
                secrets.for_each(|(_, value)| mask(value));
            }
        });
        scenario.change_templates(&mut mask_keys);
        scenario.change_requests(&mut |request| {
            mask_headers(&mut request.headers);
            mask_pairs(&mut request.query);
            mask_texts(&mut request.url);
            match &mut request.body {
                Body::Form(fields) => mask_pairs(fields),
                Body::Text(text) | Body::Json(text) => mask_texts(text),
                Body::Multipart(parts) => parts.iter_mut().for_each(mask_part),
                Body::Empty | Body::File(_) => {}
            }
        });
    }
    plan
}

fn mask_observed(observed: &mut Observed) {
    let Observed::Source(source) = observed else {
        return;
    };
    let mask_url = |url: &mut String| *url = redact_fields(&redact_users(url));
    match &mut source.kind {
        SourceKind::Agent { token, .. } => *token = token.take().map(|_| MASK_BARE.to_owned()),
        SourceKind::Prometheus { url, token, .. } => {
            mask_url(url);
            *token = token.take().map(|_| MASK_BARE.to_owned());
        }
        SourceKind::Postgres { url } | SourceKind::Redis { url } | SourceKind::Nginx { url } => mask_url(url),
        SourceKind::Memcached { .. } | SourceKind::Log { .. } => {}
    }
}

fn mask_part(part: &mut FormPart) {
    if let PartContent::Text(text) = &mut part.content
        && part.name.as_constant().is_some_and(is_secret_name)
    {
        mask(text);
    }
}

fn mask_headers(headers: &mut [(String, Template)]) {
    for (_, value) in headers.iter_mut().filter(|(name, _)| is_secret_header(name)) {
        mask(value);
    }
}

fn mask_pairs(pairs: &mut [(Template, Template)]) {
    for (name, value) in pairs {
        if name.as_constant().is_some_and(is_secret_name) {
            mask(value);
        }
    }
}

/// Masks what is written out; holes stay, for their values are not stored.
fn mask(template: &mut Template) {
    for part in &mut template.parts {
        if let Part::Text(text) = part
            && !text.is_empty()
        {
            *text = MASK.to_owned();
        }
    }
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

fn mask_texts(template: &mut Template) {
    for part in &mut template.parts {
        if let Part::Text(text) = part {
            *text = redact_fields(text);
        }
    }
}

/// The command line as it may be stored, unquoted word by word.
pub fn mask_words(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut masked = Vec::new();
    let mut before = String::new();
    for word in words {
        let shown = match before.as_str() {
            "-H" | "--header" => mask_header(&word),
            "-e" | "--env" | "--set" => mask_pair(&word),
            // A value may follow a short flag without a space.
            _ if word.starts_with("-H") => format!("-H{}", mask_header(&word[2..])),
            _ if word.starts_with("-e") => format!("-e{}", mask_pair(&word[2..])),
            _ => match word.split_once('=') {
                Some((flag @ "--header", value)) => format!("{flag}={}", mask_header(value)),
                Some((flag @ ("--env" | "--set"), value)) => format!("{flag}={}", mask_pair(value)),
                _ => redact_fields(&word),
            },
        };
        masked.push(redact_users(&shown));
        before = word;
    }
    masked
}

fn mask_header(text: &str) -> String {
    match text.split_once(':') {
        Some((name, _)) if is_secret_header(name) => format!("{name}: {MASK}"),
        _ => text.to_owned(),
    }
}

fn mask_pair(text: &str) -> String {
    match text.split_once('=') {
        Some((name, _)) if is_secret_name(name) || name.rsplit('.').next().is_some_and(is_secret_header) => {
            format!("{name}={MASK}")
        }
        _ => text.to_owned(),
    }
}

/// Masks the values of secret variables wherever they stand in a text: `${env.TOKEN}` may be part of anything.
pub fn mask_values(text: &str, values: &[(String, String)]) -> String {
    Hidden::new(values).mask(text)
}

/// Values that are taken out of what is shown and stored, however they are spelled there: as in JSON, in HTML, in URLs
/// and in forms, and inside of base64.
#[derive(Clone, Debug)]
pub struct Hidden(Option<Needles>);

impl Hidden {
    /// The values of variables with secret names. O(length of the values).
    pub fn new(variables: &[(String, String)]) -> Self {
        let secret = variables.iter().filter(|(name, _)| is_secret_name(name));
        let values: BTreeSet<&str> = secret.flat_map(|(_, value)| pieces(value)).collect();
        Self((!values.is_empty()).then(|| Needles::anywhere(values)))
    }

    /// A text without them. O(length).
    pub fn mask(&self, text: &str) -> String {
        match &self.0 {
            Some(needles) => needles.masked(text, MASK_BARE),
            None => text.to_owned(),
        }
    }

    /// A failed exchange as it may be stored.
    pub fn mask_failure(&self, failure: &FailureExample) -> FailureExample {
        FailureExample {
            text: self.mask(&failure.text),
            request: self.mask(&failure.request),
            reply: self.mask(&failure.reply),
            ..failure.clone()
        }
    }
}

/// What is looked for of a value: all of it, its lines, and the key after a scheme, as in `Bearer KEY`.
fn pieces(value: &str) -> impl Iterator<Item = &str> {
    let is_long = |chars: usize| move |piece: &&str| piece.chars().count() >= chars;
    let lines = value.lines().filter(is_long(LINE_CHARS_MIN));
    let key = value.split_once(' ').map(|(_, key)| key).filter(is_long(KEY_CHARS_MIN));
    let whole = Some(value).filter(is_long(VALUE_CHARS_MIN));
    whole.into_iter().chain(lines).chain(key)
}

/// Values of data that are secrets, as variables with a secret name: the cells of sources called `secrets` and of files
/// called `NAME.secrets.csv`.
pub fn of_data(plan: &Plan) -> Variables {
    let cells = plan.feeders.iter().filter_map(|feeder| match &feeder.rows {
        Rows::File { file, cells } if feeder.name == SECRETS_SOURCE || file.ends_with(SECRETS_FILE) => Some(cells),
        _ => None,
    });
    let variable = |cell: &str| ("secret".to_owned(), cell.to_owned());
    cells.flat_map(|cells| cells.iter()).map(variable).collect()
}

/// What a person gets to see: everything, or all but secrets.
#[derive(Clone, Debug)]
pub struct Shown {
    with_secrets: bool,
    hidden: Hidden,
}

impl Shown {
    /// Whether secrets are shown, and the variables that the plan used.
    pub fn new(with_secrets: bool, variables: Variables) -> Self {
        Self { with_secrets, hidden: Hidden::new(&variables) }
    }

    /// Whether secrets are shown.
    pub fn with_secrets(&self) -> bool {
        self.with_secrets
    }

    /// A plan as YAML.
    pub fn plan(&self, plan: &Plan) -> String {
        if self.with_secrets {
            return to_yaml(plan);
        }
        self.hidden.mask(&to_yaml(&mask_plan(plan)))
    }

    /// A text in which names and values are not told apart.
    pub fn text(&self, text: &str) -> String {
        if self.with_secrets {
            return text.to_owned();
        }
        redact_fields(&self.hidden.mask(text))
    }

    /// A request or reply, head and body.
    pub fn message(&self, message: &[u8]) -> String {
        if self.with_secrets {
            return String::from_utf8_lossy(message).into_owned();
        }
        self.hidden.mask(&redact(message))
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
            mask_words(words),
            [
                "run",
                "http://h/x?token=[redacted]&y=1",
                "-H",
                "Authorization: [redacted]",
                "-e",
                "API_TOKEN=[redacted]",
                "-e",
                "RATE=5/s",
                "--set",
                "defaults.headers.x-api-key=[redacted]",
                "-b",
                "user=a&password=[redacted]"
            ]
        );
    }

    #[test]
    fn a_secret_right_behind_its_flag_is_masked() {
        let words = ["-HAuthorization: Bearer s3cret", "-eAPI_TOKEN=s3cret", "-H", "-eAccept: x"].map(str::to_owned);
        let masked = mask_words(words.into_iter());
        assert!(!masked.join(" ").contains("s3cret"), "{masked:?}");
        assert_eq!((masked[2].as_str(), masked[3].as_str()), ("-H", "-eAccept: x"));
    }

    #[test]
    fn users_in_urls_are_masked() {
        let words = ["--set", "defaults.proxy=http://ann:s3cret@h:1"].map(str::to_owned);
        assert!(!mask_words(words.into_iter()).join(" ").contains("s3cret"));
    }

    #[test]
    fn secret_parts_and_the_proxys_user_are_masked_in_a_plan() {
        let mut plan = Plan::for_url(&nmax_plan::planless::Planless::get("http://127.0.0.1:1/")).unwrap();
        plan.defaults.proxy = Some("http://ann:s3cret@proxy.test:3128".into());
        plan.scenarios[0].slots = vec!["password".into()];
        plan.scenarios[0].steps.push(Step::Set(vec![(0, Template::text("0pen"))]));
        let Some(Step::Request(request)) = plan.scenarios[0].steps.first_mut() else { panic!("a plan of one request") };
        let call = Part::Call(Box::new(Call {
            function: Function::Hmac,
            arguments: ["sha1", "k3y", "text"].map(Template::text).into(),
        }));
        std::sync::Arc::make_mut(request).url.parts.push(call);
        let part = |name: &str, value: &str| FormPart {
            name: Template::text(name),
            content: PartContent::Text(Template::text(value)),
            file_name: None,
            content_type: None,
        };
        std::sync::Arc::make_mut(request).body =
            Body::Multipart(vec![part("password", "hunter2"), part("note", "kept")]);
        let yaml = nmax_plan::document::write::to_yaml(&mask_plan(&plan));
        assert!(yaml.contains("hmac('sha1', '[redacted]', 'text')"), "{yaml}");
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
        let back = crate::load::plan_of_manifest(&yaml).unwrap();
        assert_eq!(back.observe.len(), flags.len());
        let words = flags.iter().flat_map(|(kind, place)| ["--observe".to_owned(), format!("{kind}={place}")]);
        let words = mask_words(words).join(" ");
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

    #[test]
    fn values_of_secret_variables_are_masked_anywhere() {
        let values = [("TOKEN".to_owned(), "s3cret".to_owned()), ("RATE".to_owned(), "5000".to_owned())];
        assert_eq!(mask_values("a: s3cret, rate: 5000", &values), "a: REDACTED, rate: 5000");
        // As it stands in JSON and in a query.
        let values = [("TOKEN".to_owned(), "a\"b&c d".to_owned())];
        let text = "{\"x\": \"a\\\"b&c d\"} ?x=a%22b%26c%20d";
        assert_eq!(mask_values(text, &values), "{\"x\": \"REDACTED\"} ?x=REDACTED");
    }
}
