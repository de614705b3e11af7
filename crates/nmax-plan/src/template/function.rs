//! Functions of templates. Names and arguments are known here; whoever renders computes them.

use nmax_text::nearest;

use super::Template;

/// Longest text of `random_text` and `random_hex`, in characters.
pub(super) const RANDOM_TEXT_MAX: u64 = 65_536;

const HASHES: &[&str] = &["sha1", "sha256", "sha384", "sha512"];
const SIGNATURES: &[&str] = &["HS256", "HS384", "HS512"];
const TIMES: &[&str] = &["iso", "ms", "s"];

/// An argument that a function does not take.
pub(super) struct Fault {
    /// Its index.
    pub argument: usize,
    pub message: String,
    pub remedy: String,
}

nmax_text::named! {
    /// A function of templates.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Function {
        /// `uuid()`: a random UUID (RFC 9562, version 4).
        Uuid = "uuid",
        /// `now()`, `now('iso')`, `now('ms')`: wall time; `now('s')`, seconds since 1970, without an argument.
        Now = "now",
        /// `random(LOW, HIGH)`: a whole number, both ends included.
        Random = "random",
        /// `random_text(LENGTH)`: letters and digits.
        RandomText = "random_text",
        /// `random_hex(LENGTH)`: hexadecimal digits, lower case.
        RandomHex = "random_hex",
        /// `base64(TEXT)`
        Base64 = "base64",
        /// `base64url(TEXT)`: without padding (RFC 4648, section 5).
        Base64Url = "base64url",
        /// `base64_decode(TEXT)`: both alphabets.
        Base64Decode = "base64_decode",
        /// `url(TEXT)`: percent-encoded.
        Url = "url",
        /// `url_decode(TEXT)`: percent-encoding undone.
        UrlDecode = "url_decode",
        /// `html(TEXT)`: character references for `& < > " '`.
        Html = "html",
        /// `json_decode(TEXT)`: what stands between the quotes of a JSON string, its escapes undone.
        JsonDecode = "json_decode",
        /// `number(TEXT)`: the text, which is a number as JSON writes it; anything else fails the iteration. As the whole value
        /// in a JSON body it has no quotes.
        Number = "number",
        /// `hash(ALGORITHM, TEXT)`: hexadecimal; `sha1`, `sha256`, `sha384`, `sha512`.
        Hash = "hash",
        /// `hmac(ALGORITHM, KEY, TEXT)`: hexadecimal.
        Hmac = "hmac",
        /// `jwt_sign(ALGORITHM, KEY, CLAIMS)`: a JSON Web Token (RFC 7519) of a JSON text.
        JwtSign = "jwt_sign",
        /// `jwt_verify(ALGORITHM, KEY, TOKEN)`: the claims as JSON; a token that does not verify fails the iteration.
        JwtVerify = "jwt_verify",
        /// `jwt_claim(TOKEN, NAME)`: one claim, whoever signed.
        JwtClaim = "jwt_claim",
        /// `encrypt(KEY, TEXT)`: AES-256-GCM under SHA-256 of the key, nonce first, base64url.
        Encrypt = "encrypt",
        /// `decrypt(KEY, TEXT)`: what `encrypt` made; anything else fails the iteration.
        Decrypt = "decrypt",
    }
    /// Its name in templates.
    name
}

impl Function {
    /// Fewest and most arguments, and how it is called.
    const fn call(self) -> ((usize, usize), &'static str) {
        match self {
            Self::Uuid => ((0, 0), "uuid()"),
            Self::Now => ((0, 1), "now()` or `now('iso')"),
            Self::Random => ((2, 2), "random(LOW, HIGH)"),
            Self::RandomText => ((1, 1), "random_text(LENGTH)"),
            Self::RandomHex => ((1, 1), "random_hex(LENGTH)"),
            Self::Base64 => ((1, 1), "base64(TEXT)"),
            Self::Base64Url => ((1, 1), "base64url(TEXT)"),
            Self::Base64Decode => ((1, 1), "base64_decode(TEXT)"),
            Self::Url => ((1, 1), "url(TEXT)"),
            Self::UrlDecode => ((1, 1), "url_decode(TEXT)"),
            Self::Html => ((1, 1), "html(TEXT)"),
            Self::JsonDecode => ((1, 1), "json_decode(TEXT)"),
            Self::Number => ((1, 1), "number(TEXT)"),
            Self::Hash => ((2, 2), "hash('sha256', TEXT)"),
            Self::Hmac => ((3, 3), "hmac('sha256', KEY, TEXT)"),
            Self::JwtSign => ((3, 3), "jwt_sign('HS256', KEY, CLAIMS)"),
            Self::JwtVerify => ((3, 3), "jwt_verify('HS256', KEY, TOKEN)"),
            Self::JwtClaim => ((2, 2), "jwt_claim(TOKEN, 'sub')"),
            Self::Encrypt => ((2, 2), "encrypt(KEY, TEXT)"),
            Self::Decrypt => ((2, 2), "decrypt(KEY, TEXT)"),
        }
    }

    /// Fewest and most arguments.
    pub const fn arguments(self) -> (usize, usize) {
        self.call().0
    }

    /// How it is called.
    pub const fn usage(self) -> &'static str {
        self.call().1
    }

    /// The argument that is a secret key.
    pub const fn key(self) -> Option<usize> {
        match self {
            Self::Encrypt | Self::Decrypt => Some(0),
            Self::Hmac | Self::JwtSign | Self::JwtVerify => Some(1),
            _ => None,
        }
    }

    /// What is wrong with the arguments that are known before the run. They are as many as it takes.
    pub(super) fn check(self, arguments: &[Template]) -> Vec<Fault> {
        let constant = |index: usize| arguments.get(index).and_then(Template::as_constant);
        let mut faults = Vec::new();
        match self {
            Self::Now => faults.extend(word(constant(0), TIMES, "a form of the time")),
            Self::Hash | Self::Hmac => faults.extend(word(constant(0), HASHES, "an algorithm")),
            Self::JwtSign | Self::JwtVerify => faults.extend(word(constant(0), SIGNATURES, "an algorithm")),
            Self::Random => {
                let ends = [0, 1].map(|index| constant(index).map(|text| (text, text.parse::<i64>())));
                for (argument, end) in ends.iter().enumerate() {
                    if let Some((text, Err(_))) = end {
                        faults.push(Fault {
                            argument,
                            message: format!("`{text}` is not a whole number"),
                            remedy: format!(
                                "write digits, such as `{}`",
                                Self::Random.usage().replace("LOW, HIGH", "1, 10")
                            ),
                        });
                    }
                }
                if let [Some((_, Ok(low))), Some((_, Ok(high)))] = ends
                    && low > high
                {
                    faults.push(Fault {
                        argument: 1,
                        message: format!("the high end {high} is below the low end {low}"),
                        remedy: format!("write `random({high}, {low})`"),
                    });
                }
            }
            Self::Number => {
                if let Some(text) = constant(0).filter(|text| !is_json_number(text)) {
                    faults.push(Fault {
                        argument: 0,
                        message: format!("`{text}` is not a number"),
                        remedy: "write digits without quotes, or a name".into(),
                    });
                }
            }
            Self::RandomText | Self::RandomHex => {
                let is_length = |text: &str| text.parse().is_ok_and(|length: u64| length <= RANDOM_TEXT_MAX);
                if let Some(text) = constant(0).filter(|text| !is_length(text)) {
                    faults.push(Fault {
                        argument: 0,
                        message: format!("`{text}` is not a length from 0 to {RANDOM_TEXT_MAX}"),
                        remedy: "write the number of characters".into(),
                    });
                }
            }
            _ => {}
        }
        faults
    }
}

/// Whether a text is a number as JSON writes it, without spaces around it.
pub fn is_json_number(text: &str) -> bool {
    let begins = |c: char| c == '-' || c.is_ascii_digit();
    let ends = |c: char| c.is_ascii_digit();
    text.starts_with(begins) && text.ends_with(ends) && serde_json::from_str::<serde_json::Number>(text).is_ok()
}

/// Complains about a first argument that is none of these words.
fn word(text: Option<&str>, words: &[&str], what: &str) -> Option<Fault> {
    let text = text.filter(|text| !words.contains(text))?;
    let remedy = match nearest(text, words.iter().copied()) {
        Some(near) => format!("did you mean `'{near}'`?"),
        None => format!("write one of: '{}'", words.join("', '")),
    };
    Some(Fault { argument: 0, message: format!("`{text}` is not {what}"), remedy })
}
