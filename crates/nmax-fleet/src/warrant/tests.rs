use proptest::prelude::*;

use super::*;
use crate::records::Policy;

fn key(seed: u8) -> SigningKey {
    SigningKey::from_seed(&[seed; 32]).unwrap()
}

fn spec() -> Spec {
    Spec {
        protocol: crate::records::PROTOCOL,
        version: "1".into(),
        run: "r".into(),
        plan: "ab".into(),
        bundle: None,
        shards: vec![None; 2],
        workers: None,
        policy: Policy::Continue,
        window_ns: 1_000_000_000,
        end_ns: 60_000_000_000,
        hard_stop_ns: 90_000_000_000,
        lead_ns: 0,
        skew_max_ns: 50_000_000,
        warrant: None,
    }
}

fn warrant() -> Warrant {
    Warrant {
        run: "r".into(),
        plan: "ab".into(),
        targets: vec!["shop.test:443".into()],
        rate_per_s: Some(1e6),
        users: 2_000,
        regions: vec!["eu".into()],
        not_before_s: 100,
        expires_s: 200,
    }
}

/// Test vector 4-S-1 of the PASETO specification.
#[test]
fn a_signed_text_is_a_paseto() {
    let byte =
        |at| u8::from_str_radix(&"b4cbfb43df4ce210727d953e4a713307fa19bb7d9f85041438d9e11b942a3774"[at..at + 2], 16);
    let seed: Vec<u8> = (0..64).step_by(2).map(|at| byte(at).unwrap()).collect();
    let key = SigningKey::from_seed(&seed).unwrap();
    let message = r#"{"data":"this is a signed message","exp":"2022-01-01T00:00:00+00:00"}"#;
    let text = "v4.public.eyJkYXRhIjoidGhpcyBpcyBhIHNpZ25lZCBtZXNzYWdlIiwiZXhwIjoiMjAyMi0wMS0wMVQwMDowMDowMCswMDowMCJ9bg_XBBzd\
                s8lTZShVlwwKSgeKpLT3yukTw6JUz3W4h_ExsQV-P0V54zemZDcAxFaSeef1QlXEFtkqxT1ciiQEDA";
    assert_eq!(key.sign(message.as_bytes()), text);
    assert_eq!(verify(text, &[key.public()]).unwrap(), message.as_bytes());
}

#[test]
fn keys_are_texts() {
    let text = SigningKey::text_of(&[7; 32]).unwrap();
    assert_eq!(SigningKey::parse(&format!("{text}\n")).unwrap().public(), key(7).public());
    assert_eq!(key(7).public().to_string().parse(), Ok(key(7).public()));
    assert!(!format!("{:?}", key(7)).contains(&text[12..30]), "a key is not shown");
    for wrong in ["", "k4.secret.", "k4.public.AAAA", &text[..60], &text.replace("secret", "public")] {
        assert!(SigningKey::parse(wrong).is_err() && wrong.parse::<PublicKey>().is_err(), "{wrong}");
    }
}

#[test]
fn a_warrant_permits_what_it_says_and_no_more() {
    let signed = warrant().sign(&key(1));
    let found = Warrant::verify(&signed, &[key(2).public(), key(1).public()]).unwrap();
    assert_eq!(found, warrant());
    assert_eq!(Warrant::verify(&signed, &[key(2).public()]), Err(WarrantError::Untrusted));
    assert_eq!(Warrant::verify(&signed, &[]), Err(WarrantError::Untrusted), "without keys none is trusted");
    assert_eq!(found.permits(&spec(), Some("eu"), 150), Ok(()));
    let refused = |spec: Spec, region, now_s| found.permits(&spec, region, now_s).unwrap_err().to_string();
    assert!(refused(Spec { run: "s".into(), ..spec() }, Some("eu"), 150).contains("for run r, and the run is run s"));
    assert!(refused(Spec { plan: "cd".into(), ..spec() }, Some("eu"), 150).contains("for plan ab"));
    assert!(
        refused(spec(), Some("us"), 150).contains("region us") && refused(spec(), None, 150).contains("region none")
    );
    assert!(
        refused(spec(), Some("eu"), 99).contains("from 100 to 200")
            && refused(spec(), Some("eu"), 200).contains("it is 200")
    );
    let covers = |target, rate, users| warrant().covers([target], rate, users).map_err(|error| error.to_string());
    assert_eq!(covers("shop.test:443", Some(1e6), 2_000), Ok(()));
    assert_eq!(covers("shop.test:443", None, 1), Ok(()));
    assert!(covers("shop.test:80", None, 1).unwrap_err().contains("the target shop.test:80"));
    assert!(
        covers("shop.test:443", Some(1.1e6), 1).unwrap_err().contains("1100000 iterations per second, but 1000000")
    );
    assert!(covers("shop.test:443", None, 2_001).unwrap_err().contains("2001 virtual users, but 2000"));
    let closed = Warrant { rate_per_s: None, ..warrant() };
    assert!(closed.covers([], Some(1.0), 1).is_err(), "a warrant for users permits no rate");
}

proptest! {
    /// Law: a text that was changed anywhere counts no more, whatever it is.
    #[test]
    fn a_changed_warrant_does_not_count(at in any::<prop::sample::Index>(), byte in any::<char>(), other in ".{0,80}") {
        let signed = warrant().sign(&key(1));
        let at = at.index(signed.len());
        let changed = format!("{}{byte}{}", &signed[..at], &signed[at + 1..]);
        if changed != signed {
            prop_assert!(Warrant::verify(&changed, &[key(1).public()]).is_err());
        }
        prop_assert!(Warrant::verify(&other, &[key(1).public()]).is_err());
    }
}
