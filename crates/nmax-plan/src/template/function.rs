//! Functions of templates. Names and arguments are known here; whoever renders computes them.

/// A function of templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `uuid()`: a random UUID (RFC 9562, version 4).
    Uuid,
    /// `now()`, `now('iso')`, `now('ms')`: wall time; seconds since 1970 without an argument.
    Now,
    /// `random(LOW, HIGH)`: a whole number, both ends included.
    Random,
    /// `random_text(LENGTH)`: letters and digits.
    RandomText,
    /// `base64(TEXT)`
    Base64,
    /// `base64url(TEXT)`: without padding (RFC 4648, section 5).
    Base64Url,
    /// `base64_decode(TEXT)`: both alphabets.
    Base64Decode,
    /// `url(TEXT)`: percent-encoded.
    Url,
    /// `html(TEXT)`: character references for `& < > " '`.
    Html,
    /// `hash(ALGORITHM, TEXT)`: hexadecimal; `sha1`, `sha256`, `sha384`, `sha512`.
    Hash,
    /// `hmac(ALGORITHM, KEY, TEXT)`: hexadecimal.
    Hmac,
    /// `jwt_sign(ALGORITHM, KEY, CLAIMS)`: a JSON Web Token (RFC 7519) of a JSON text.
    JwtSign,
    /// `jwt_verify(ALGORITHM, KEY, TOKEN)`: the claims as JSON; a token that does not verify fails the iteration.
    JwtVerify,
    /// `encrypt(KEY, TEXT)`: AES-256-GCM under SHA-256 of the key, nonce first, base64url.
    Encrypt,
    /// `decrypt(KEY, TEXT)`: what `encrypt` made; anything else fails the iteration.
    Decrypt,
}

impl Function {
    /// Every function.
    pub const ALL: [Self; 15] = [
        Self::Uuid,
        Self::Now,
        Self::Random,
        Self::RandomText,
        Self::Base64,
        Self::Base64Url,
        Self::Base64Decode,
        Self::Url,
        Self::Html,
        Self::Hash,
        Self::Hmac,
        Self::JwtSign,
        Self::JwtVerify,
        Self::Encrypt,
        Self::Decrypt,
    ];

    /// Its name in templates.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uuid => "uuid",
            Self::Now => "now",
            Self::Random => "random",
            Self::RandomText => "random_text",
            Self::Base64 => "base64",
            Self::Base64Url => "base64url",
            Self::Base64Decode => "base64_decode",
            Self::Url => "url",
            Self::Html => "html",
            Self::Hash => "hash",
            Self::Hmac => "hmac",
            Self::JwtSign => "jwt_sign",
            Self::JwtVerify => "jwt_verify",
            Self::Encrypt => "encrypt",
            Self::Decrypt => "decrypt",
        }
    }

    /// Fewest and most arguments.
    pub const fn arguments(self) -> (usize, usize) {
        match self {
            Self::Uuid => (0, 0),
            Self::Now => (0, 1),
            Self::Random | Self::Hash | Self::Encrypt | Self::Decrypt => (2, 2),
            Self::RandomText | Self::Base64 | Self::Base64Url | Self::Base64Decode | Self::Url | Self::Html => (1, 1),
            Self::Hmac | Self::JwtSign | Self::JwtVerify => (3, 3),
        }
    }
}
