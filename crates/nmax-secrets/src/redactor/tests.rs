use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn message(text: &str) -> String {
    Redactor::default().message(&Message::of_bytes(text.as_bytes()))
}

fn data(text: &str) -> String {
    Redactor::default().data(text)
}

#[test]
fn secrets_are_taken_out_and_the_rest_stays() {
    let cases = [
        (
            "GET /a?token=abc&x=1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer xyz\r\nCookie: sid=1; theme=dark\r\n\r\n",
            "GET /a?token=REDACTED&x=1 HTTP/1.1\nHost: h\nAuthorization: Bearer REDACTED\nCookie: sid=REDACTED; \
             theme=REDACTED",
        ),
        (
            "POST /login HTTP/1.1\r\nHost: h\r\n\r\nemail=a%40b.c&password=hunter2&csrf=77",
            "POST /login HTTP/1.1\nHost: h\n\nemail=a%40b.c&password=REDACTED&csrf=REDACTED",
        ),
        (
            "POST /api HTTP/1.1\r\n\r\n{\"user\": \"ann\", \"password\": \"a\\\"b\", \"n\": 3}",
            "POST /api HTTP/1.1\n\n{\"user\": \"ann\", \"password\": \"REDACTED\", \"n\": 3}",
        ),
        (
            "GET / HTTP/1.1\r\nReferer: https://h:8/x?token=abc&y=2\r\nX-CSRF-Token: 7\r\n\r\n{\"card\": 4111, \"k\": [1]}",
            "GET / HTTP/1.1\nReferer: https://h:8/x?token=REDACTED&y=2\nX-CSRF-Token: REDACTED\n\n{\"card\": \
             \"REDACTED\", \"k\": [1]}",
        ),
        (
            "HTTP/1.1 500 X\nSet-Cookie: sid=s3cr3t; Path=/\nX-Id: 7\n\npassword=s3cr3t\r\n\r\nend",
            "HTTP/1.1 500 X\nSet-Cookie: sid=REDACTED; Path=/\nX-Id: 7\n\npassword=REDACTED\r\n\r\nend",
        ),
    ];
    for (text, want) in cases {
        assert_eq!(message(text), want);
    }
}

/// Arrays, objects, numbers and JSON in strings go as a whole, and what is left is JSON.
#[test]
fn whole_values_of_json_are_taken_out() {
    let cases = [
        (r#"{"tokens":["A1","B2"],"session":{"id":"S"},"n":1}"#, r#"{"tokens":"REDACTED","session":"REDACTED","n":1}"#),
        (r#"{"password":{"value":"BOBJ"},"pin":12345}"#, r#"{"password":"REDACTED","pin":"REDACTED"}"#),
        (r#"{"inner":"{\"password\":\"N\",\"k\":[1]}"}"#, r#"{"inner":"{\"password\":\"REDACTED\",\"k\":[1]}"}"#),
        (r#"{"inner":"{\"tokens\":[\"N\"]}"}"#, r#"{"inner":"{\"tokens\":\"REDACTED\"}"}"#),
        (r#"{"i":"{\"j\":\"{\\\"pin\\\":1234}\"}"}"#, r#"{"i":"{\"j\":\"{\\\"pin\\\":\\\"REDACTED\\\"}\"}"}"#),
        (r#"{"i":"{\u0022token\u0022:\u0022N\u0022}"}"#, r#"{"i":"{\u0022token\u0022:\u0022REDACTED\u0022}"}"#),
        (r#"{"a":1}{"token":"x"}"#, r#"{"a":1}{"token":"REDACTED"}"#),
        (r#"{"next":"https:\/\/ann:s3cr3t@h\/?token=x"}"#, r#"{"next":"https:\/\/REDACTED@h\/?token=REDACTED"}"#),
        (r#"{"password":"cut of"#, r#"{"password":"REDACTED"#),
        (r#"["token":"no JSON"]"#, r#"["token":"REDACTED"]"#),
        (
            r#"{"password":null,"token_type":"Bearer","tokens":[],"pass":true}"#,
            r#"{"password":null,"token_type":"Bearer","tokens":[],"pass":true}"#,
        ),
        (r#"{"authorization":"Basic eDp5","cookie":"a=b"}"#, r#"{"authorization":"REDACTED","cookie":"REDACTED"}"#),
    ];
    for (text, want) in cases {
        assert_eq!(data(text), want);
    }
}

#[test]
fn values_of_xml_are_taken_out() {
    let cases = [
        ("<a><password>p1</password><b>kept</b></a>", "<a><password>REDACTED</password><b>kept</b></a>"),
        ("<s:token><x>1</x><y/></s:token>", "<s:token>REDACTED</s:token>"),
        ("<a><password><![CDATA[p<1]]></password></a>", "<a><password>REDACTED</password></a>"),
        ("<user name=\"ann\" password=\"p1\"/>", "<user name=\"ann\" password=\"REDACTED\"/>"),
        ("<token a='1'><token>x</token></token>", "<token a='1'>REDACTED</token>"),
        ("<a><token>cut of", "<a><token>REDACTED"),
        ("<q>password=\"</q><b>\"</b>", "<q>password=\"</q><b>\"</b>"),
        (
            "<input name=csrf value=a1><input type=password value='p q'>",
            "<input name=csrf value=REDACTED><input type=password value='REDACTED'>",
        ),
    ];
    for (text, want) in cases {
        assert_eq!(data(text), want);
    }
}

#[test]
fn secret_parts_of_a_multipart_body_are_taken_out() {
    let text = message(
        "POST /up?token=abc HTTP/1.1\r\nProxy-Authorization: Basic eDp5\r\n\
        Content-Type: multipart/form-data; boundary=\"nmax-1\"\r\n\r\n\
        --nmax-1\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\nsecond line\r\n\
        --nmax-1\r\nContent-Disposition: form-data; filename=\"token.txt\"; name=\"note\"\r\n\r\nplain=1&card=4111\r\n\
        --nmax-1\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"pins\":{\"pin\":\"99x\"}}\r\n\
        --nmax-1\r\nContent-Disposition: form-data; name=\"secret_file\"; filename=\"a\"\r\n\r\n[9 bytes of a]\r\n--nmax-1--\r\n",
    );
    for secret in ["hunter2", "second line", "eDp5", "abc", "4111", "99x"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    for kept in ["name=\"password\"", "plain=1", "token.txt", "--nmax-1--"] {
        assert!(text.contains(kept), "{kept} not in {text}");
    }
    let cut = "POST / HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=B\r\n\r\n--B\r\nContent-Disposition: \
               form-data; name=\"password\"\r\n\r\nhunt";
    assert!(!message(cut).contains("hunt"));
}

/// What a login is asked for with, and the code that stands for one, open doors as a password does.
#[test]
fn challenges_and_codes_are_taken_out() {
    let text = message(
        "HTTP/1.1 401 X\r\nWWW-Authenticate: Digest realm=\"shop\", qop=\"auth\", nonce=\"s3cr3t\", opaque=\"o\"\r\n\
        WWW-Authenticate: Negotiate s3cr3t==\r\nProxy-Authenticate: Basic realm=\"a b\", NTLM s3cr3t\r\n\
        Refresh: 0; url=https://ann:s3cr3t@h.test/\r\n\
        Location: https://app.test/cb?code=s3cr3t&state=1#id_token=s3cr3t\r\n\
        Content-Location: //ann:s3cr3t@h.test/cb?state=2&code=s3cr3t\r\n\r\n\
        <a href='https://ann:s3cr3t@h.test/cb?state=3&amp;code=s3cr3t'>{\"next\":\"https:\\/\\/ann:s3cr3t@h.test\\/\"}",
    );
    assert!(!text.contains("s3cr3t"), "{text}");
    for kept in [
        "Digest realm=\"shop\"", "qop=\"auth\"", "Basic realm=\"a b\"", "NTLM", "Negotiate", "state=1", "state=2",
        "state=3",
    ] {
        assert!(text.contains(kept), "{kept} not in {text}");
    }
    let body = "{\"code\": 404, \"postcode\": 7} status_code=5 postcode=9";
    assert_eq!(data(body), body, "a code of another kind");
    assert_eq!(data("code=s3cr3t&grant_type=x"), "code=REDACTED&grant_type=x");
}

#[test]
fn users_of_urls_are_taken_out() {
    let cases = [
        ("http://ann:s3cret@proxy.test:3128", "http://REDACTED@proxy.test:3128"),
        ("defaults.proxy=http://a:p@ss@h:1/x,http://b@c", "defaults.proxy=http://REDACTED@h:1/x,http://REDACTED@c"),
        ("http://a@b.c:s3cret@h", "http://REDACTED@h"),
        ("http://h.test/a@b", "http://h.test/a@b"),
        ("<a href='http://h.test'>a@b</a>", "<a href='http://h.test'>a@b</a>"),
        ("no URL @ all", "no URL @ all"),
        ("//ann:s3cret@h.test/x", "//REDACTED@h.test/x"),
        ("redis://:s3cret@h", "redis://REDACTED@h"),
        ("\"https:\\/\\/ann:s3cret@h.test\\/x\"", "\"https:\\/\\/REDACTED@h.test\\/x\""),
        ("http://ann:s3,cret@h.test/", "http://REDACTED@h.test/"),
        ("http://h.test/a//b@c /x//d@e", "http://h.test/a//b@c /x//d@e"),
    ];
    for (text, want) in cases {
        assert_eq!(Redactor::default().text(text), want);
    }
}

#[test]
fn secrets_of_log_lines_are_taken_out() {
    for line in [
        "login failed password=hunter2 for bob",
        "login failed, password: hunter2, for bob",
        r#"{"user":"bob","password":"hunter2"}"#,
        r#"{"user": "bob", "token": "hunter2"}"#,
        "GET /a?x=1&token=hunter2&y=2 failed",
        "calling https://bob:hunter2@db.test/x",
        "connect to postgres://bob:hunter2@db:5432/shop failed",
        "authorization: Bearer hunter2",
        "Authorization=Basic hunter2",
        "sent Bearer hunter2 to the server",
        "cookie: hunter2",
        "(apiKey=hunter2)",
        "{apiKey=hunter2, x=1}",
        "[main] user(password='hunter2')",
        "2026-01-31 POST /x {\"tokens\":[\"hunter2\"]}",
    ] {
        let masked = data(line);
        assert!(!masked.contains("hunter2"), "{line}: {masked}");
        assert!(masked.contains(MASK), "{line}: {masked}");
    }
    let long = format!("x?token={}hunter2&y=1", "ä".repeat(20_000));
    assert_eq!(data(&long), "x?token=REDACTED&y=1");
    for line in [
        "2026-01-31 12:00:00,123 ERROR [main] com.shop.Cart - java.io.IOException: disk full: /var/x",
        "GET http://shop.test/a?b=c 500 in 12 ms",
        "",
        "  two  blanks ",
        "unexpected token in JSON at position 4: Basic functionality",
    ] {
        assert_eq!(data(line), line);
    }
}

#[test]
fn known_values_are_taken_out_however_they_are_spelled() {
    let redactor = Redactor::new(&[
        ("TOKEN".into(), "a\"b&c d".into()),
        ("RATE".into(), "5000".into()),
        ("PIN".into(), "824613".into()),
    ]);
    assert_eq!(
        redactor.text("{\"x\": \"a\\\"b&c d\"} ?x=a%22b%26c%20d rate: 5000"),
        "{\"x\": \"REDACTED\"} ?x=REDACTED rate: 5000"
    );
    // A number of JSON is replaced by a string.
    assert_eq!(redactor.data("{\"x\": [824613, 5000]}"), "{\"x\": [\"REDACTED\", 5000]}");
    assert_eq!(redactor.data("{\"x\": \"{\\\"y\\\":824613}\"}"), "{\"x\": \"{\\\"y\\\":\\\"REDACTED\\\"}\"}");
    assert_eq!(redactor.values("GET /hook/824613/x"), "GET /hook/REDACTED/x");
    let more = redactor.knowing([("session", "Q-7x/9"), ("page", "open")]);
    assert_eq!(more.values("824613 Q-7x/9 open"), "REDACTED REDACTED open");
    assert!(!format!("{redactor:?}").contains("824613"));
}

/// People write addresses of servers without a scheme, too.
#[test]
fn users_of_addresses_are_masked() {
    for (text, want) in [
        ("u:s3cret@db1:11211", "REDACTED@db1:11211"),
        ("u:s3:c@ret@db1/x?token=abcdef", "REDACTED@db1/x?token=REDACTED"),
        ("db1:11211", "db1:11211"),
        ("https://u:s3cret@db1/", "https://REDACTED@db1/"),
        ("/people/me:you@example", "/people/me:you@example"),
        ("icon@2x.png", "icon@2x.png"),
    ] {
        assert_eq!(masked_url(text), want);
    }
}

/// A text of nothing but beginnings costs no square of its length, of a secret or not, whether it comes back or not. At this
/// length a square would take minutes.
#[test]
fn beginnings_are_read_once() {
    let redactor = Redactor::new(&[("PIN".into(), "824613".into())]);
    for beginning in [
        "x \"token\":{", "x \"token\":{\"z\",", "?token=", "<a token=\"", "<token>", "token: \"", "[\"token\":[",
        "?x=", "?code=", "?state=", "token_type=", "'?x=", "a:", "a: ", "token: ", "://a:", "a:b@", "http://u:p@",
        "<input '<input>' ", "<param name=\"token\">", "     a=\"\" ", "x='", "824613,", "eyJa.", "--token ", "4111 ",
        "%25", "\\\"", " ", " \t", "a ", "a: \t",
    ] {
        let text = beginning.repeat(40_000 / beginning.len());
        redactor.data(&text);
        redactor.url(&text);
        find(text.as_bytes(), TextKind::Data, Rules::default());
    }
}

/// What takes more than its length allows is a secret as a whole, and JSON is replaced by JSON.
#[test]
fn texts_that_take_too_much_go_as_a_whole() {
    let masked = data(&"?token_type=".repeat(100_000));
    assert_eq!(masked, "REDACTED");
    let masked = data(&format!("[\"{}\"]", "'?x=".repeat(100_000)));
    assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{}", &masked[..20]);
}

#[test]
fn values_without_quotes_are_taken_out() {
    let cases = [
        ("ERROR user={name=ann,password=hunter2}", "ERROR user={name=ann,password=REDACTED}"),
        ("level=error,password=hunter2,user=bob", "level=error,password=REDACTED,user=bob"),
        ("\tpassword=hunter2 x", "\tpassword=REDACTED x"),
        ("|password=hunter2", "|password=REDACTED"),
        ("db.password = hunter2", "db.password = REDACTED"),
        ("password=hunter2,secondhalf", "password=REDACTED"),
        ("password=pa(ss)wo'rd\"x&a=1", "password=REDACTED&a=1"),
        ("password: correct horse battery staple\nuser: x", "password: REDACTED\nuser: x"),
        ("- password:   \"hunter2\"", "- password:   \"REDACTED\""),
        ("\u{feff}{\"password\":   \"hunter2\"}", "\u{feff}{\"password\":   \"REDACTED\"}"),
        ("body={\"password\":\t\"hunter2\"}", "body={\"password\":\t\"REDACTED\"}"),
        ("x {\"password\":\n  \"hunter2\"}", "x {\"password\":\n  \"REDACTED\"}"),
        ("\"password\"=>\"hunter2\", 'password': u'hunter2'", "\"password\"=>\"REDACTED\", 'password': u'REDACTED'"),
        ("[password] => hunter2\n", "[password] => REDACTED\n"),
        ("login --password hunter2 --user ann", "login --password REDACTED --user ann"),
        ("curl -u ann:hunter2 http://h/", "curl -u REDACTED http://h/"),
        ("x PASSWORD:hunter2 y", "x PASSWORD:REDACTED y"),
        ("map[name:ann password:hunter2]", "map[name:ann password:REDACTED]"),
        ("{user:bob,password:hunter2}", "{user:bob,password:REDACTED}"),
        ("x token: Some(\"hunter2\"), user: 1", "x token: REDACTED), user: 1"),
        ("password\t=\thunter2", "password\t=\tREDACTED"),
        ("token: |\n  hunter2\nuser: x", "token: REDACTED\nuser: x"),
        ("Cookie: a=1;\r\n b=hunter2\r\nHost: x", "Cookie: REDACTED\r\nHost: x"),
        ("HTTP_COOKIE=a=1; b=hunter2", "HTTP_COOKIE=REDACTED"),
        ("cookie=[a=1; b=hunter2]", "cookie=REDACTED"),
        ("x X-Echo: Cookie:a=1; b=hunter2", "x X-Echo: Cookie:REDACTED"),
        ("Cookie: a=hunter2; b=hunter2", "Cookie: REDACTED"),
        ("<pre>Cookie: a=hunter2; b=hunter2</pre>", "<pre>Cookie: REDACTED</pre>"),
        ("sent authorization: Digest username=\"u\", response=\"hunter2\"", "sent authorization: Digest REDACTED"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ", "REDACTED"),
    ];
    for (text, want) in cases {
        let masked = data(text);
        assert!(!masked.contains("hunter2") && !masked.contains("secondhalf"), "{masked}");
        if !text.contains("Digest") {
            assert_eq!(masked, want);
        }
    }
    for text in [
        r#"{"log":"user=ann password: hunter2 failed"}"#,
        r#"{"log":"Authorization: Bearer hunter2"}"#,
        r#"{"log":"Cookie: _shop=hunter2b"}"#,
        r#"{"x":"Bearer hunter2hunter2Abc"}"#,
        r#"{"name":"password","value":"hunter2"}"#,
        r#"{"grant_type":"authorization_code","code":"hunter2"}"#,
        r#"<property name="password" value="hunter2"/>"#,
        r#"<param name="token">hunter2</param>"#,
        "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----",
    ] {
        assert!(!data(text).contains("hunter2"), "{}", data(text));
    }
    assert!(!Redactor::default().text("login failed, password: hunter2").contains("hunter2"));
    assert!(!Redactor::default().header("x-note", "password: hunter2").contains("hunter2"));
    // Bytes that are no UTF-8 are searched too.
    for text in [b"password=gr\xfcn&a=1".as_slice(), b"{\"password\":\"gr\xfcn\"}", b"<password>gr\xfcn</password>"] {
        assert_eq!(Redactor::default().spots(text, "").len(), 1);
    }
    for line in [
        "variable token: not set",
        "GET /a?max_tokens=4096&tokens=12&token_limit=5 x",
        "max_tokens: 4096",
        "write it as `authorization: Basic BASE`",
        "token_timeout: 30",
        "http://token:8080/x",
        "max_tokens=",
        "{\"total_tokens\":1300,\"run_once\":\"always\"}",
    ] {
        assert_eq!(Redactor::default().text(line), line);
    }
}

#[test]
fn headers_that_go_on_are_taken_out() {
    for head in [
        "Authorization:\r\n  Custom hunter2",
        "Authorization: hunter2 x",
        "Cookie: a=1,\r\n _shop=hunter2",
        "Set-Cookie: a=1; Path=/, _shop=hunter2",
    ] {
        let masked = message(&format!("GET / HTTP/1.1\r\n{head}\r\n\r\n"));
        assert!(!masked.contains("hunter2"), "{masked}");
    }
    assert_eq!(
        Redactor::default().header("set-cookie", "a=1; Path=/\nb=2; Secure"),
        "a=REDACTED; Path=/\nb=REDACTED; Secure"
    );
    let day = "a=1; expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/";
    assert_eq!(Redactor::default().header("set-cookie", day), day.replace("a=1", "a=REDACTED"));
    for name in ["name = \"password\"", "name*=UTF-8''password"] {
        let body = format!("--B\r\nContent-Disposition: form-data; {name}\r\n\r\nhunter2\r\n--B--");
        assert_eq!(Redactor::default().spots(body.as_bytes(), "multipart/form-data; boundary=B").len(), 1, "{name}");
    }
}

/// A known value that an escape only spells by accident stays, or JSON would be none any more; words are no values.
#[test]
fn known_values_do_not_break_json() {
    let redactor = Redactor::new(&[
        ("CSRF_MODE".into(), "2019".into()),
        ("A_TOKEN".into(), "n1234x".into()),
        ("AUTH".into(), "none".into()),
        ("PASSWORD".into(), "test".into()),
        ("PIN".into(), "true".into()),
    ]);
    let cases = [
        (r#"{"name":"it\u2019s"}"#, r#"{"name":"it\u2019s"}"#),
        (r#"{"a":"a\n1234x n1234x"}"#, r#"{"a":"a\n1234x REDACTED"}"#),
        (
            r#"{"valid":true,"x":"the latest test, nonexistent"}"#,
            r#"{"valid":true,"x":"the latest REDACTED, nonexistent"}"#,
        ),
    ];
    for (text, want) in cases {
        assert_eq!(redactor.data(text), want);
    }
}

/// JSON with a secret, or one that is not, in the place of each `SECRET`, `OPEN`.
fn value(depth: u32) -> BoxedStrategy<Value> {
    let name = prop::sample::select(vec!["user", "items", "q", "a b", "note"]);
    let secret_name =
        prop::sample::select(vec!["password", "api_key", "accessToken", "sessions[sid]", "user pin", "cookie"]);
    let secret = prop_oneof![
        Just(json!("SECRET")),
        Just(json!("SEC\"RET\\ SECRET\n")),
        Just(json!(["x", ["SECRET"]])),
        Just(json!({ "value": "SECRET", "SECRET": [1, { "x": "SECRET]}" }] })),
        Just(json!(7_331_733_173_u64)),
    ];
    let open = prop_oneof![
        Just(json!("OPEN, \"quoted\" \\ and: = <b>")),
        Just(json!(null)),
        Just(json!(-1.5e3)),
        Just(json!("Bearer SECRETSECRETSECRET1")),
        Just(json!("https://ann:SECRET@h/?token=SECRET&page=2")),
        Just(json!("a=1&password=SECRET")),
    ];
    let leaf = prop_oneof![3 => open, 1 => (secret_name.clone(), secret.clone()).prop_map(|(name, value)| json!({ name: value }))];
    leaf.prop_recursive(depth, 24, 3, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            (name.clone(), inner.clone(), secret_name.clone(), secret.clone()).prop_map(
                |(name, value, secret_name, secret)| json!({ name: value, secret_name: secret, "last": "OPEN" })
            ),
            inner.clone().prop_map(|value| json!({ "text": value.to_string() })),
            inner.prop_map(|value| json!({ "pretty": format!("{value:#}") })),
        ]
    })
    .boxed()
}

/// How often `OPEN` stands in a text, a fact that masks must not change.
fn kept(text: &str) -> usize {
    text.matches("OPEN").count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// No planted secret survives in JSON, what is left is JSON, and what is open stays.
    #[test]
    fn no_secret_survives_in_json(value in value(4)) {
        for text in [value.to_string(), format!("{value:#}")] {
            let masked = data(&text);
            prop_assert!(!masked.contains("SECRET") && !masked.contains("7331733173"), "{}\n{}", text, masked);
            prop_assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{}\n{}", text, masked);
            prop_assert_eq!(kept(&text), kept(&masked), "{}\n{}", text, masked);
            prop_assert_eq!(data(&masked), masked.clone(), "twice is once");
            // Also where it is cut off, and inside of a message.
            let half = text.char_indices().map(|(at, _)| at).nth(text.chars().count() / 2).unwrap_or_default();
            let cut = message(&format!("POST / HTTP/1.1\r\n\r\n{}", &text[..half]));
            // The shape of a login is not complete where it is cut off.
            let cut: String = cut.split("Bearer ").map(|rest| rest.trim_start_matches("SECRET")).collect();
            let cut = cut.replace("ann:SECRET", "");
            prop_assert!(!cut.contains("SECRET"), "{}\n{}", text, cut);
        }
    }

    /// A known value leaves JSON wherever it stands in it, and leaves JSON.
    #[test]
    fn no_known_value_survives_in_json(secret in "[A-Za-z0-9\"/&+ é]{4,12}", number in 100_000_u64..999_999, name in "[a-z ]{1,5}") {
        let redactor = Redactor::new(&[("MY_TOKEN".into(), secret.clone()), ("PIN".into(), number.to_string())]);
        let inner = json!({ "x": secret, "n": number }).to_string();
        let text = json!({ name: [secret, number], "s": inner, "t": format!("<{secret}> {number}") }).to_string();
        let masked = redactor.data(&text);
        prop_assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{}\n{}", text, masked);
        prop_assert!(!masked.contains(&number.to_string()), "{}\n{}", text, masked);
        let value = json!(secret).to_string();
        prop_assert!(!masked.contains(&value[1..value.len() - 1]), "{}\n{}", text, masked);
    }

    /// No planted secret survives in XML, and tags stay in pairs.
    #[test]
    fn no_secret_survives_in_xml(names in prop::collection::vec("(user|note|password|api_key|s:token|b)", 1..6), attribute in "(id|pin|secret)") {
        let begin: String = names.iter().map(|name| format!("<{name} {attribute}=\"12345&quot;x\">")).collect();
        let end: String = names.iter().rev().map(|name| format!("</{name}>")).collect();
        let text = format!("<r>{begin}SECRET &lt;SECRET{end}<open>OPEN</open></r>");
        let masked = data(&text);
        let is_secret = names.iter().any(|name| is_secret_name(name));
        prop_assert_eq!(masked.contains("SECRET"), !is_secret, "{}\n{}", text, masked);
        prop_assert_eq!(masked.contains("12345"), !is_secret_name(&attribute), "{}\n{}", text, masked);
        prop_assert_eq!(kept(&text), kept(&masked));
        prop_assert_eq!(masked.matches("</").count(), masked.matches('<').count() - masked.matches("</").count(), "{}", masked);
    }

    /// No bytes make it panic.
    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>, text in "(password|token|=|:|\"|'|\\\\|\\[|\\{|\\]|&|%22|%2|%25|\\+|<input |value=|name=|<|>|/|eyJ|\\.|4111111111111111|://|@|;|\r\n\r\n){0,40}") {
        let redactor = Redactor::new(&[("PIN".into(), "1111".into())]);
        for bytes in [bytes.as_slice(), text.as_bytes()] {
            redactor.message(&Message::of_bytes(bytes));
            redactor.message(&Message::of_bytes(bytes).first(9));
        }
        redactor.data(&text);
        redactor.url(&text);
        redactor.header("cookie", &text);
        redactor.header("authorization", &text);
        redactor.spots(text.as_bytes(), "multipart/form-data; boundary=token");
    }
}
