use super::*;

#[test]
fn secrets_are_taken_out_and_the_rest_stays() {
    let cases = [
        (
            "GET /a?token=abc&x=1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer xyz\r\nCookie: sid=1\r\n\r\n",
            "GET /a?token=[redacted]&x=1 HTTP/1.1\nHost: h\nAuthorization: [redacted]\nCookie: [redacted]",
        ),
        (
            "POST /login HTTP/1.1\r\nHost: h\r\n\r\nemail=a%40b.c&password=hunter2&csrf=77",
            "POST /login HTTP/1.1\nHost: h\n\nemail=a%40b.c&password=[redacted]&csrf=[redacted]",
        ),
        (
            "POST /api HTTP/1.1\r\n\r\n{\"user\": \"ann\", \"password\": \"a\\\"b\", \"n\": 3}",
            "POST /api HTTP/1.1\n\n{\"user\": \"ann\", \"password\": \"[redacted]\", \"n\": 3}",
        ),
        (
            "GET / HTTP/1.1\r\nReferer: https://h:8/x?token=abc&y=2\r\nX-CSRF-Token: 7\r\n\r\n{\"card\": 4111, \"k\": [1]}",
            "GET / HTTP/1.1\nReferer: https://h:8/x?token=[redacted]&y=2\nX-CSRF-Token: [redacted]\n\n{\"card\":[redacted], \"k\": [1]}",
        ),
    ];
    for (message, want) in cases {
        assert_eq!(redact(message.as_bytes()), want);
    }
}

#[test]
fn long_messages_are_shortened_and_say_so() {
    let text = redact(&[b'a'; EXAMPLE_BYTES_MAX + 7]);
    assert!(text.ends_with("[7 more bytes]"), "{text}");
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_redacted_without_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = redact(&bytes);
    }
}

/// Contents of secret parts are taken out, whatever they hold; those of others stay.
#[test]
fn secret_parts_of_a_multipart_body_are_taken_out() {
    let message = "POST /up?token=abc HTTP/1.1\r\nProxy-Authorization: Basic eDp5\r\n\
        Content-Type: multipart/form-data; boundary=\"nmax-1\"\r\n\r\n\
        --nmax-1\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\nsecond line\r\n\
        --nmax-1\r\nContent-Disposition: form-data; filename=\"token.txt\"; name=\"note\"\r\n\r\nplain=1&card=4111\r\n\
        --nmax-1\r\nContent-Disposition: form-data; name=\"secret_file\"; filename=\"a\"\r\n\r\n[9 bytes of a]\r\n--nmax-1--\r\n";
    let text = redact(message.as_bytes());
    for secret in ["hunter2", "second line", "eDp5", "abc", "4111"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    for kept in ["name=\"password\"", "plain=1", "token.txt", "--nmax-1--"] {
        assert!(text.contains(kept), "{kept} not in {text}");
    }
}

/// A reply that leads on often carries a token in its `location`.
#[test]
fn secrets_of_replies_are_taken_out() {
    let reply = "HTTP/1.1 302 Found\r\nSet-Cookie: sid=s3cr3t; path=/\r\n\
        Location: https://h.test/cb?access_token=s3cr3t&state=1#id_token=s3cr3t\r\n\
        Refresh: 0; url=https://ann:s3cr3t@h.test/\r\n\r\n{\"refresh_token\":\"s3cr3t\"}";
    let text = redact(reply.as_bytes());
    assert!(!text.contains("s3cr3t"), "{text}");
    assert!(text.contains("state=1"), "{text}");
}

/// What a login is asked for with, and the code that stands for one, open doors as a password does.
#[test]
fn challenges_and_codes_are_taken_out() {
    let reply = "HTTP/1.1 401 X\r\nWWW-Authenticate: Digest realm=\"shop\", qop=\"auth\", nonce=\"s3cr3t\", opaque=\"o\"\r\n\
        WWW-Authenticate: Negotiate s3cr3t==\r\nProxy-Authenticate: Basic realm=\"a b\", NTLM s3cr3t\r\n\
        Location: https://app.test/cb?code=s3cr3t&state=1\r\n\
        Content-Location: //ann:s3cr3t@h.test/cb?state=2&code=s3cr3t\r\n\r\n\
        <a href='https://ann:s3cr3t@h.test/cb?state=3&amp;code=s3cr3t'>{\"next\":\"https:\\/\\/ann:s3cr3t@h.test\\/\"}";
    let text = redact(reply.as_bytes());
    assert!(!text.contains("s3cr3t"), "{text}");
    for kept in [
        "Digest realm=\"shop\"",
        "qop=\"auth\"",
        "Basic realm=\"a b\"",
        "NTLM",
        "Negotiate",
        "state=1",
        "state=2",
        "state=3",
    ] {
        assert!(text.contains(kept), "{kept} not in {text}");
    }
    let body = "{\"code\": 404, \"postcode\": 7} status_code=5 postcode=9";
    assert_eq!(redact_fields(body), body, "a code of another kind");
    assert_eq!(redact_fields("code=s3cr3t&grant_type=x"), "code=[redacted]&grant_type=x");
}

/// Trap: lines that end with LF alone are one long line to a reader of CRLF, and its secrets stay.
#[test]
fn secrets_in_lines_that_end_with_lf_alone_are_taken_out() {
    let text = redact(b"HTTP/1.1 500 X\nSet-Cookie: sid=s3cr3t\nX-Id: 7\n\npassword=s3cr3t\r\n\r\nend");
    assert_eq!(text, "HTTP/1.1 500 X\nSet-Cookie: [redacted]\nX-Id: 7\n\npassword=[redacted]\r\n\r\nend");
}

#[test]
fn users_of_urls_are_taken_out() {
    let cases = [
        ("http://ann:s3cret@proxy.test:3128", "http://REDACTED@proxy.test:3128"),
        ("defaults.proxy=http://a:p@ss@h:1/x,http://b@c", "defaults.proxy=http://REDACTED@h:1/x,http://REDACTED@c"),
        ("http://h.test/a@b", "http://h.test/a@b"),
        ("<a href='http://h.test'>a@b</a>", "<a href='http://h.test'>a@b</a>"),
        ("no URL @ all", "no URL @ all"),
        ("//ann:s3cret@h.test/x", "//REDACTED@h.test/x"),
        ("\"https:\\/\\/ann:s3cret@h.test\\/x\"", "\"https:\\/\\/REDACTED@h.test\\/x\""),
        ("http://ann:s3,cret@h.test/", "http://REDACTED@h.test/"),
        ("http://h.test/a//b@c /x//d@e", "http://h.test/a//b@c /x//d@e"),
    ];
    for (text, want) in cases {
        assert_eq!(redact_users(text), want);
    }
}
