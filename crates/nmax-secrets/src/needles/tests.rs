use proptest::prelude::*;

use super::*;

fn found(secret: &str, text: &str) -> bool {
    Needles::new([secret]).next(text.as_bytes(), 0).is_some()
}

#[test]
fn a_secret_is_found_in_every_spelling() {
    let secret = "p@ss w/ö&\"<9\\%41+";
    let ascii = "p\\u0040ss w\\/\\u00f6\\u0026\\u0022<9\\\\%41+";
    let twice = nmax_text::percent::encode(&nmax_text::percent::encode(secret));
    let form = nmax_text::percent::encode(secret).replace("%20", "+");
    let nested = nmax_text::percent::encode(&serde_json::Value::from(secret).to_string());
    let html = "p&#64;ss w/&#xF6;&amp;&quot;&lt;9\\%41+";
    let in_string = serde_json::Value::from(serde_json::Value::from(secret).to_string()).to_string();
    for text in [secret, ascii, &twice, &form, &form.to_lowercase().replace("p%40", "p@"), &nested, html, &in_string] {
        assert!(found(secret, &format!("x{text}y")), "{text}");
    }
    assert!(!found(secret, &secret[1..]));
}

#[test]
fn short_secrets_count_as_words_only() {
    assert!(found("a1b2", "pin=a1b2&x") && found("a1b2", "%22a1b2%22"));
    assert!(!found("a1b2", "xa1b2") && !found("a1b2", "a1b23"));
    assert!(found("123456", "\"123456\"") && !found("123456", "1234567"));
}

#[test]
fn a_mask_stands_for_the_longest_secret_and_nothing_else_changes() {
    let needles = Needles::anywhere(["ab1d", "ab1d/1234", "öß%2", "test"]);
    assert_eq!(needles.masked("ä xab1dx AB1D ab1d%2f1234, öß%252 ö", "*"), "ä x*x AB1D *, * ö");
    assert_eq!(needles.masked("the latest test", "*"), "the latest *", "words that others hold");
    assert_eq!(Needles::anywhere([]).masked("ä abcd", "*"), "ä abcd");
    assert!(!format!("{needles:?}").contains("ab1d"));
}

/// What base64 shows of the first and last bytes of a secret, which share a group with their neighbors, goes too.
#[test]
fn the_ends_of_a_secret_in_base64_go_too() {
    let needles = Needles::anywhere(["pass8word"]);
    for before in ["", "a", "ab", "bob:"] {
        let masked = needles.masked(&STANDARD_NO_PAD.encode(format!("{before}pass8word!!")), "*");
        let left: String = masked.split('*').map(|part| part.to_owned() + "AAAA").collect();
        let left = STANDARD_NO_PAD.decode(&left[..left.len() / 4 * 4]).unwrap();
        let left = String::from_utf8_lossy(&left).into_owned();
        assert!(!left.contains("pa") && !left.contains("rd"), "{before}: {masked}: {left:?}");
    }
}

proptest! {
    /// Whatever stands around it, base64 shows a secret of eight bytes and more.
    #[test]
    fn a_secret_is_found_inside_of_base64(secret in "[ -~]{8,20}", before in "[ -~]{0,9}", after in "[ -~]{0,9}") {
        let text = STANDARD_NO_PAD.encode(format!("{before}{secret}{after}"));
        prop_assert!(found(&secret, &text), "{}", text);
        let text = URL_SAFE_NO_PAD.encode(format!("{before}{secret}{after}"));
        prop_assert!(found(&secret, &text), "{}", text);
    }

    /// Each character as it is, percent-encoded, or escaped as in JSON or HTML.
    #[test]
    fn a_secret_is_found_in_mixed_spellings(secret in "[a-z%+&;\"' /äß😀]{6,12}", how in prop::collection::vec(0usize..5, 12)) {
        let mut text = String::new();
        for (c, how) in secret.chars().zip(how) {
            let mut units = [0; 2];
            match how {
                0 => text.push_str(&nmax_text::percent::encode(&c.to_string())),
                1 => c.encode_utf16(&mut units).iter().for_each(|unit| text.push_str(&format!("\\u{unit:04x}"))),
                2 => text.push_str(&format!("&#{};", u32::from(c))),
                3 => text.push_str(&nmax_text::percent::encode(&nmax_text::percent::encode(&c.to_string()))),
                // A sign that spells others stands for itself only where nothing else begins.
                _ if "%+&".contains(c) => text.push_str(&format!("&#x{:x};", u32::from(c))),
                _ => text.push(c),
            }
        }
        prop_assert!(found(&secret, &text), "{}", text);
    }
}
