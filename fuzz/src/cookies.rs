//! Cookies: what servers set never breaks a request, grows without end or reaches strangers.

use nmax_http::cookies::{COOKIE_BYTES_MAX, COOKIES_MAX};
use nmax_http::{Jar, Url};

/// The two origins when the input names none.
const DEFAULT: &str = "https://www.shop.test/a/b";
/// Between a name and a value, and between two cookies.
const SEPARATOR_BYTES: usize = 3;

/// Input: the URL that sets cookies, the URL that they are sent to, the wall time in seconds, then one `set-cookie`
/// value per line.
pub fn holds(input: &[u8]) {
    let mut lines = input.split(|&byte| byte == b'\n');
    let setting = url(lines.next());
    let asking = url(lines.next());
    let now_unix_s = number(lines.next());
    let mut jar = Jar::new();
    for line in lines.clone() {
        let _ = jar.store(&setting.origin, setting.target.as_bytes(), line, now_unix_s);
        assert!(jar.len() <= COOKIES_MAX, "{} cookies", jar.len());
    }
    let sent = written(&jar, &asking, now_unix_s);
    assert!(!sent.iter().any(u8::is_ascii_control), "a control character is sent: {}", sent.escape_ascii());
    assert!(sent.len() <= jar.len() * (COOKIE_BYTES_MAX + SEPARATOR_BYTES), "{} bytes", sent.len());
    if last_label(&setting.origin.host) != last_label(&asking.origin.host) {
        assert!(sent.is_empty(), "{setting} reaches {asking}: {}", sent.escape_ascii());
    }
    // Setting one cookie again changes nothing: neither the value nor the order.
    if let Some(line) = lines.next_back() {
        let mut once = Jar::new();
        let _ = once.store(&setting.origin, setting.target.as_bytes(), line, now_unix_s);
        let mut twice = once.clone();
        let _ = twice.store(&setting.origin, setting.target.as_bytes(), line, now_unix_s);
        assert_eq!(written(&once, &asking, now_unix_s), written(&twice, &asking, now_unix_s));
    }
}

/// The value of the `cookie` header.
fn written(jar: &Jar, url: &Url, now_unix_s: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let any = jar.write(&url.origin, url.target.as_bytes(), now_unix_s, &mut out);
    assert_eq!(any, !out.is_empty(), "whether there are cookies, and what is written, agree");
    out
}

fn url(line: Option<&[u8]>) -> Url {
    let text = line.and_then(|line| std::str::from_utf8(line).ok());
    text.and_then(|text| Url::parse(text).ok()).unwrap_or_else(|| Url::parse(DEFAULT).expect("a valid URL"))
}

fn number(line: Option<&[u8]>) -> i64 {
    let text = line.and_then(|line| std::str::from_utf8(line).ok());
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn last_label(host: &str) -> &str {
    host.rsplit('.').next().unwrap_or(host)
}
