use proptest::prelude::*;

use super::*;
use crate::service::query_pairs;

fn postgres(query: &str) -> Result<TlsOptions, Wrong> {
    TlsOptions::of_postgres(&query_pairs(query))
}

fn options(encryption: Encryption, check: CertificateCheck, issuers: Option<&str>) -> TlsOptions {
    TlsOptions { encryption, check, issuers: issuers.map(str::to_owned) }
}

/// The table of libpq's documentation, *Protection Provided in Different Modes*, and what a file of issuers changes.
#[test]
fn modes_of_libpq() {
    use CertificateCheck::{Issuer, IssuerAndName, Nothing};
    use Encryption::{Always, IfDemanded, IfOffered, Never};
    // query                                   encrypted   checked        issuers
    let cases = [
        ("", IfOffered, Nothing, None),
        ("application_name=x&connect_timeout=3", IfOffered, Nothing, None),
        ("sslmode=disable", Never, Nothing, None),
        ("sslmode=allow", IfDemanded, Nothing, None),
        ("sslmode=prefer", IfOffered, Nothing, None),
        ("sslmode=require", Always, Nothing, None),
        ("sslmode=verify-ca", Always, Issuer, None),
        ("sslmode=verify-full", Always, IssuerAndName, None),
        ("sslmode=require&sslrootcert=ca.pem", Always, Issuer, Some("ca.pem")),
        ("sslrootcert=ca.pem", IfOffered, Issuer, Some("ca.pem")),
        ("sslrootcert=a%20b.pem&sslmode=verify-full#x", Always, IssuerAndName, Some("a b.pem")),
        ("sslrootcert=system", Always, IssuerAndName, None),
        ("sslrootcert=system&sslmode=verify-full", Always, IssuerAndName, None),
    ];
    for (query, encryption, check, issuers) in cases {
        assert_eq!(postgres(query), Ok(options(encryption, check, issuers)), "{query}");
    }
}

#[test]
fn what_is_no_option_is_said() {
    let cases = [
        ("sslmode=verify", "`verify` is not an `sslmode`"),
        ("sslmode=", "`` is not an `sslmode`"),
        ("sslmode=Require", "`Require` is not an `sslmode`"),
        ("sslmode=require&sslmode=disable", "`sslmode` stands there twice"),
        ("sslmod=require", "`sslmod` is not an option"),
        ("ssl=true", "`ssl` is not an option"),
        ("sslcert=me.pem", "`sslcert` is not an option"),
        ("sslrootcert=", "`sslrootcert` names no file"),
        ("sslrootcert=system&sslmode=require", "`sslrootcert=system` and `sslmode=require`"),
    ];
    for (query, says) in cases {
        let error = postgres(query).unwrap_err();
        assert!(error.message.contains(says) && !error.remedy.is_empty(), "{query}: {error:?}");
    }
}

#[test]
fn redis_is_encrypted_by_its_scheme() {
    let redis = |scheme, query| TlsOptions::of_redis(scheme, &query_pairs(query));
    assert_eq!(redis("redis", ""), Ok(TlsOptions::NEVER));
    let whole = |issuers| options(Encryption::Always, CertificateCheck::IssuerAndName, issuers);
    assert_eq!(redis("rediss", ""), Ok(whole(None)));
    assert_eq!(redis("rediss", "ca=ca.pem"), Ok(whole(Some("ca.pem"))));
    for (scheme, query) in
        [("redis", "ca=ca.pem"), ("rediss", "ca="), ("rediss", "ca=a&ca=b"), ("rediss", "db=1"), ("redis", "db=1")]
    {
        assert!(redis(scheme, query).is_err(), "{scheme} {query}");
    }
}

#[test]
fn files_of_issuers_are_changed_and_nothing_else() {
    let changed = |url: &str, option| {
        let mut url = url.to_owned();
        change_issuers(&mut url, option, &mut |file| *file = format!("/my plans/{file}"));
        url
    };
    let cases = [
        (
            "postgres://a:b%3F@h/shop?sslmode=require&sslrootcert=ca.pem&x=%41#f",
            "postgres://a:b%3F@h/shop?sslmode=require&sslrootcert=/my%20plans/ca.pem&x=%41#f",
        ),
        ("postgres://h/shop?sslrootcert=system", "postgres://h/shop?sslrootcert=system"),
        ("postgres://h/sslrootcert=x", "postgres://h/sslrootcert=x"),
        ("postgres://h/shop?ca=x&sslrootcert", "postgres://h/shop?ca=x&sslrootcert"),
    ];
    for (url, want) in cases {
        assert_eq!(changed(url, POSTGRES_ISSUERS), want);
    }
    assert_eq!(changed("rediss://h:1?ca=a%26b.pem", REDIS_ISSUERS), "rediss://h:1?ca=/my%20plans/a%26b.pem");
}

proptest! {
    /// Law: what is encoded comes back, and joins or ends no pair.
    #[test]
    fn names_of_files_come_back(file in "\\PC{1,20}", other in "[a-z0-9=%]{0,9}") {
        prop_assume!(file != SYSTEM);
        let mut url = format!("rediss://h:1?ca=x&{other}");
        change_issuers(&mut url, REDIS_ISSUERS, &mut |name| name.clone_from(&file));
        let pairs = query_pairs(url.split_once('?').unwrap().1);
        prop_assert_eq!(&pairs[0], &("ca".to_owned(), file));
    }

    /// No text makes it panic.
    #[test]
    fn anything_may_be_written(query in any::<String>()) {
        let pairs = query_pairs(&query);
        let _ = (TlsOptions::of_postgres(&pairs), TlsOptions::of_redis("rediss", &pairs));
    }
}
