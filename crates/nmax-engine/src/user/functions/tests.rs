#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

use super::*;

fn at(draw: u64) -> CallContext {
    CallContext { choice: Choice::new(7, 1, 2, draw), unix: Nanos(1_700_000_000_999_999_999) }
}

fn try_call(function: Function, arguments: &[&str]) -> Result<String, String> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    call(function, &arguments, &at(0))
}

#[track_caller]
fn check(function: Function, arguments: &[&str], expected: &str) {
    assert_eq!(try_call(function, arguments).as_deref(), Ok(expected), "{arguments:?}");
}

/// What a refusal says.
#[track_caller]
fn refused(function: Function, arguments: &[&str], part: &str) {
    let why = try_call(function, arguments).unwrap_err();
    assert!(why.contains(part) && why.contains(function.name()), "{why}");
}

/// Constants of Python's hashlib, of a text that is not ASCII.
#[test]
fn digests_are_those_of_another_implementation() {
    let text = "Grüße, Welt! 1+1=2";
    check(Function::Hash, &["sha1", text], "449ff4dadc80fd47c5eb765d245b4e1b52783243");
    let sha256 = "73ffc361bf83b27da706ed293d102c4cf9237c3340e9e4c63d29ff0c982b36a0";
    check(Function::Hash, &["sha256", text], sha256);
    let sha384 = "55e7a471001ecb81d632ee8713c82810a598305ec0608866518f9aebaec32f12430863728b76890d61aa9fba5c507b64";
    check(Function::Hash, &["sha384", text], sha384);
    let sha512 = "c1cbf8c208c8a307342869ac5a67daa20fea03e44d412a8377489da1431fb40e\
                  62e9ca5094488ecb46d47cb8a596e45e77e9b0f75ed074a12edbd830f28f01b2";
    check(Function::Hash, &["sha512", text], sha512);
    refused(Function::Hash, &["md5", text], "sha256");
}

/// RFC 2202, section 3, and RFC 4231, section 4.3: test case 2 of each.
#[test]
fn signatures_are_those_of_the_rfcs() {
    let check = |algorithm, expected| {
        check(Function::Hmac, &[algorithm, "Jefe", "what do ya want for nothing?"], expected);
    };
    check("sha1", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    check("sha256", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    check("sha384", "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649");
    check(
        "sha512",
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
         9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    );
    refused(Function::Hmac, &["SHA-256", "k", "t"], "sha1, sha256");
}

/// What JSON writes without quotes is a number; what it does not (RFC 8259, section 6) is none.
#[test]
fn numbers_are_those_of_json() {
    for (text, number) in
        [("3", "3"), (" -0.50\n", "-0.50"), ("1e3", "1e3"), ("18446744073709551616", "18446744073709551616")]
    {
        check(Function::Number, &[text], number);
    }
    for text in ["", "007", "+7", "1,000", "0x10", "tea", "5.", "NaN", "1 2", "true"] {
        refused(Function::Number, &[text], "is not a number");
    }
}

/// RFC 4648, section 10, and constants of Python's base64.
#[test]
fn texts_are_coded_as_the_rfc_says() {
    let vectors = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
    for (text, coded) in vectors {
        check(Function::Base64, &[text], coded);
        check(Function::Base64Url, &[text], coded.trim_end_matches('='));
    }
    check(Function::Base64, &["häß+/?~~~ÿ>"], "aMOkw58rLz9+fn7Dvz4=");
    check(Function::Base64Url, &["häß+/?~~~ÿ>"], "aMOkw58rLz9-fn7Dvz4");
    for coded in ["aMOkw58rLz9+fn7Dvz4=", "aMOkw58rLz9-fn7Dvz4", "aMOkw58rLz9+fn7Dvz4"] {
        check(Function::Base64Decode, &[coded], "häß+/?~~~ÿ>");
    }
    refused(Function::Base64Decode, &["a*b"], "not base64");
    refused(Function::Base64Decode, &["_w=="], "UTF-8");
    check(Function::Url, &["a b&c=ü/~"], "a%20b%26c%3D%C3%BC%2F~");
    check(Function::UrlDecode, &["a%20b+%26%zz%2"], "a b+&%zz%2");
    refused(Function::UrlDecode, &["%ff"], "UTF-8");
    check(Function::JsonDecode, &[r#"a\/b\u0026c "d\"e\\"#], "a/b&c \"d\"e\\");
    refused(Function::JsonDecode, &["a\\"], "not the inside of a JSON string");
    check(Function::Html, &["<a href=\"x\">it's & so</a>"], "&lt;a href=&quot;x&quot;&gt;it&#39;s &amp; so&lt;/a&gt;");
}

/// Dates as Python's datetime writes them, around leap days and the end of a century without one.
#[test]
fn times_are_dates_of_the_calendar() {
    let iso = |secs, expected: &str| assert_eq!(time::now("iso", Nanos::from_secs(secs)).unwrap(), expected);
    iso(0, "1970-01-01T00:00:00.000Z");
    iso(951_782_400, "2000-02-29T00:00:00.000Z");
    iso(1_709_210_096, "2024-02-29T12:34:56.000Z");
    iso(4_107_542_399, "2100-02-28T23:59:59.000Z");
    iso(4_107_542_400, "2100-03-01T00:00:00.000Z");
    check(Function::Now, &["iso"], "2023-11-14T22:13:20.999Z");
    check(Function::Now, &["ms"], "1700000000999");
    check(Function::Now, &[], "1700000000");
    refused(Function::Now, &["rfc"], "iso");
}

/// RFC 7515, appendix A.1: the token of an example that ended in 2011, with a key that is no text.
#[test]
fn the_token_of_the_rfc_is_verified() {
    let key = BASE64_URL_SAFE_NO_PAD
        .decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
        .unwrap();
    let token = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\
                 eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
                 dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    let verify = |secs| token::verify("HS256", &key, token, Nanos::from_secs(secs));
    let claims = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}";
    assert_eq!(verify(1_300_819_379).as_deref(), Ok(claims));
    assert!(verify(1_300_819_380).unwrap_err().contains("expired"));
}

/// RFC 7515, section 4.1.11, and RFC 7519, sections 2 and 4.1.4.
#[test]
fn tokens_that_are_not_understood_are_refused() {
    use base64::prelude::{BASE64_URL_SAFE_NO_PAD as BASE64, Engine as _};
    use ring::hmac;

    let verify = |header: &str, claims: &str| {
        let signed = format!("{}.{}", BASE64.encode(header), BASE64.encode(claims));
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, b"secret"), signed.as_bytes());
        let token = format!("{signed}.{}", BASE64.encode(tag));
        token::verify("HS256", b"secret", &token, Nanos::from_secs(1_000))
    };
    let plain = r#"{"alg":"HS256"}"#;
    for claims in ["{}", r#"{"exp":1000.5,"nbf":999.5}"#, r#"{"exp":1e9}"#] {
        assert_eq!(verify(plain, claims).as_deref(), Ok(claims));
    }
    for (header, claims, why) in [
        (r#"{"alg":"HS256","crit":["b64"],"b64":false}"#, "{}", "`crit`"),
        (r#"{"alg":"HS256","crit":[]}"#, "{}", "`crit`"),
        (plain, r#"{"exp":"soon"}"#, "`exp` of the token is not a number"),
        (plain, r#"{"exp":null}"#, "`exp` of the token is not a number"),
        (plain, r#"{"nbf":"2000-01-01"}"#, "`nbf` of the token is not a number"),
    ] {
        let refused = verify(header, claims).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
}

/// Tokens made with Python's hmac, hashlib and base64.
#[test]
fn tokens_are_those_of_another_implementation() {
    let claims = r#"{"sub":"u1","n":1}"#;
    let tokens = [
        (
            "HS256",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1MSIsIm4iOjF9.\
             Syi8Y_KVWmvnKOelNCvzP2yb97Qc8GAmh_Ah2uMctRQ",
        ),
        (
            "HS384",
            "eyJhbGciOiJIUzM4NCIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1MSIsIm4iOjF9.\
             mWAYB8lCIXc-hu-aC4Ox7CGgIYgiIfVWCtTV8bFbA4xkNVKUe3ZThuDV-vO1KC3j",
        ),
        (
            "HS512",
            "eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1MSIsIm4iOjF9.\
             iENg6lWOOpJDb2kRvOvR-vpfzMgcsEZHF42aZp19HtK26wQ3cy_g8evR3VL7wcWrkzj-ZOKmnmdi8yQGMS1U7w",
        ),
    ];
    for (algorithm, token) in tokens {
        check(Function::JwtSign, &[algorithm, "secret", claims], token);
        check(Function::JwtVerify, &[algorithm, "secret", token], claims);
        refused(Function::JwtVerify, &[algorithm, "Secret", token], "not of this key");
        let forged = token.replace("eyJzdWIiOiJ1MSIsIm4iOjF9", "eyJzdWIiOiJ1MSIsIm4iOjJ9");
        refused(Function::JwtVerify, &[algorithm, "secret", &forged], "not of this key");
    }
    refused(Function::JwtVerify, &["HS384", "secret", tokens[0].1], "signed with `HS256`");
    refused(Function::JwtVerify, &["HS256", "secret", "a.b"], "three parts");
    refused(Function::JwtVerify, &["HS256", "secret", "a.b.c.d"], "three parts");
    refused(Function::JwtVerify, &["HS256", "secret", "e30.e30.AA"], "no algorithm");
    refused(Function::JwtSign, &["none", "secret", claims], "HS256");
}

/// ring itself opens what was made, with the key and nonce that the format says.
#[test]
fn encryption_is_of_the_documented_form() {
    let made = try_call(Function::Encrypt, &["key", "Grüße"]).unwrap();
    let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(&made).unwrap();
    let mut sealed = bytes.split_off(12);
    let key = ring::digest::digest(&ring::digest::SHA256, b"key");
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key.as_ref()).unwrap());
    let nonce = Nonce::try_assume_unique_for_key(&bytes).unwrap();
    let plain = key.open_in_place(nonce, Aad::empty(), &mut sealed).unwrap();
    assert_eq!(plain, "Grüße".as_bytes());
    let other = sealed::encrypt("key", "Grüße", at(1).choice).unwrap();
    assert_ne!(made[..16], other[..16], "another call has another nonce");
    check(Function::Decrypt, &["key", &made], "Grüße");
    refused(Function::Decrypt, &["other", &made], "not of this key");
    refused(Function::Decrypt, &["key", "AAAA"], "too short");
    refused(Function::Decrypt, &["key", "***"], "not base64");
}

#[test]
fn identifiers_have_their_version_and_variant() {
    let mut seen = std::collections::HashSet::new();
    for draw in 0..1_000 {
        let id = uuid(at(draw).choice);
        let groups: Vec<&str> = id.split('-').collect();
        let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        assert!(id.chars().all(|c| c == '-' || c.is_ascii_hexdigit() && !c.is_ascii_uppercase()), "{id}");
        assert!(groups[2].starts_with('4') && groups[3].starts_with(['8', '9', 'a', 'b']), "{id}");
        assert!(seen.insert(id));
    }
}

#[test]
fn ends_that_are_no_numbers_are_refused() {
    refused(Function::Random, &["1", "x"], "`x` is not a whole number");
    refused(Function::Random, &["2", "1"], "from 2 to 1");
    refused(Function::RandomText, &["-1"], "between 0 and 65536");
    refused(Function::RandomText, &["65537"], "between 0 and 65536");
    let (low, high) = (i64::MIN.to_string(), i64::MAX.to_string());
    assert!(try_call(Function::Random, &[&low, &high]).unwrap().parse::<i64>().is_ok());
}

proptest! {
    /// Law: a number is between its ends, and each end is drawn.
    #[test]
    fn random_numbers_are_between_their_ends(low in -1_000_i64..1_000, width in 0_i64..4) {
        let numbers: std::collections::BTreeSet<i64> = (0..400)
            .map(|draw| random(&low.to_string(), &(low + width).to_string(), at(draw).choice).unwrap().parse().unwrap())
            .collect();
        prop_assert_eq!(numbers, (low..=low + width).collect());
    }

    /// Law: what is coded, signed or encrypted comes back.
    #[test]
    fn what_is_made_is_undone(text in "\\PC{0,40}", key in "\\PC{0,20}") {
        let coded = try_call(Function::Base64, &[&text]).unwrap();
        prop_assert_eq!(try_call(Function::Base64Decode, &[&coded]).unwrap(), text.clone());
        let sealed = try_call(Function::Encrypt, &[&key, &text]).unwrap();
        prop_assert_eq!(try_call(Function::Decrypt, &[&key, &sealed]).unwrap(), text.clone());
        let coded = try_call(Function::Url, &[&text]).unwrap();
        prop_assert_eq!(try_call(Function::UrlDecode, &[&coded]).unwrap(), text.clone());
        let quoted = serde_json::json!(text).to_string();
        prop_assert_eq!(try_call(Function::JsonDecode, &[&quoted[1..quoted.len() - 1]]).unwrap(), text.clone());
        let claims = serde_json::json!({ "text": text }).to_string();
        let token = try_call(Function::JwtSign, &["HS256", &key, &claims]).unwrap();
        prop_assert_eq!(try_call(Function::JwtClaim, &[&token, "text"]).unwrap(), text);
        prop_assert_eq!(try_call(Function::JwtVerify, &["HS256", &key, &token]).unwrap(), claims);
    }

    /// Law: a random text has its length and no other characters, and equal places give equal texts.
    #[test]
    fn random_texts_have_their_length(length in 0_u64..200, draw in any::<u64>()) {
        let made = |function| {
            let context = at(draw);
            call(function, &[length.to_string()], &context).unwrap()
        };
        let text = made(Function::RandomText);
        prop_assert_eq!(text.len() as u64, length);
        prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        prop_assert_eq!(text, made(Function::RandomText));
        let digits = made(Function::RandomHex);
        prop_assert_eq!(digits.len() as u64, length);
        prop_assert!(digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    }
}
