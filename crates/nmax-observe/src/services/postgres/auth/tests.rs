use super::*;

/// The example of RFC 7677, section 3.
#[test]
fn the_example_of_the_standard() {
    let mut scram = Scram::new("user", "rOprNGfwEbeRWgbNEkqO".into());
    assert_eq!(scram.first(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
    let server_first = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
    assert_eq!(
        scram.last(server_first, "pencil").unwrap(),
        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
         p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    );
    assert!(scram.is_proved_by("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
    assert!(!scram.is_proved_by("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G5="));
    assert!(!scram.is_proved_by("e=other-error"));
}

#[test]
fn what_is_no_challenge_is_refused() {
    let challenges = [
        "",
        "r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        // The server adds nothing of its own.
        "r=nonce,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        "r=nonceX,s=?,i=4096",
        "r=nonceX,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=0",
        "r=nonceX,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4000000000",
        "r=nonceX,s=W22ZaJ0SNY7soEsUEjb6gQ==",
    ];
    for challenge in challenges {
        let mut scram = Scram::new("", "nonce".into());
        assert_eq!(scram.last(challenge, "pencil"), None, "{challenge}");
        assert!(!scram.is_proved_by("v="), "{challenge}");
    }
}

#[test]
fn the_older_kind() {
    // By hand: `md5sum` of the digest of `s3cretapp` and the salt.
    assert_eq!(md5_answer("app", "s3cret", &[1, 2, 3, 4]), "md51460f94130eb931937bbd6439ee8ab57");
}
