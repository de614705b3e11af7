//! PostgreSQL and Redis over TLS, with certificates that are made for the test.

use std::path::Path;
use std::process::Command;

use nmax_plan::plan::ObservedSource;
use nmax_sources::kinds::*;

use crate::Read;
use crate::certificates::Certificates;
use crate::ports::free_port;
use crate::postgres::{Database, give, quick};
use crate::server::{Folder, Server, program};

fn settings(files: &Certificates) -> Vec<String> {
    vec![
        "ssl=on".into(),
        format!("ssl_cert_file={}", files.server.display()),
        format!("ssl_key_file={}", files.key.display()),
    ]
}

fn postgres(database: &Database, user: &str, query: &str) -> Read {
    quick(ObservedSource::at(
        &POSTGRES,
        &format!("postgres://{user}:s3cret@localhost:{}/postgres?{query}", database.port),
    ))
}

/// The words of a refusal, which is final, and without the password.
#[track_caller]
fn refused(mut source: Read) -> String {
    let trouble = source.trouble();
    assert!(trouble.is_final && !trouble.text.contains("s3cret"), "{trouble}");
    trouble.text
}

#[test]
fn postgres_is_encrypted_as_its_mode_says() {
    let database = Database::new();
    let files = Certificates::write(&database.folder.0);
    give(&files.key);
    database.let_in(
        "hostssl all sealed 127.0.0.1/32 scram-sha-256\nhostnossl all plain 127.0.0.1/32 scram-sha-256\n\
         host all app 127.0.0.1/32 scram-sha-256\n",
    );
    let server = database.start_with(&settings(&files));
    for user in ["sealed", "plain", "app"] {
        database.done(&format!("CREATE ROLE {user} LOGIN PASSWORD 's3cret'"));
    }

    // As the server itself sees it.
    for (query, is_encrypted) in
        [("", true), ("sslmode=disable", false), ("sslmode=allow", false), ("sslmode=require", true)]
    {
        let mut source = postgres(&database, "app", query);
        source.figures();
        database.done(&format!(
            "DO $$ BEGIN IF coalesce((SELECT ssl <> {is_encrypted} FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
             WHERE usename = 'app' AND application_name = 'nmax' ORDER BY backend_start DESC LIMIT 1), true) \
             THEN RAISE 'it is not as wanted'; END IF; END $$"
        ));
        source.figures();
    }

    rules_of_roles(&database);
    certificates(&database, &files);

    // It comes back without TLS.
    let (mut prefers, mut requires) = (postgres(&database, "app", ""), postgres(&database, "app", "sslmode=require"));
    prefers.figures();
    requires.figures();
    drop(server);
    prefers.is_away();
    let _server = database.start_with(&[]);
    prefers.figures();
    assert!(refused(requires).contains("it speaks no TLS; switch it on"));
}

/// Roles that are let in over TLS only, and without it only.
fn rules_of_roles(database: &Database) {
    for (user, query) in [
        ("sealed", ""),
        ("sealed", "sslmode=allow"),
        ("sealed", "sslmode=require"),
        ("plain", ""),
        ("plain", "sslmode=disable"),
    ] {
        postgres(database, user, query).figures();
    }
    let text = refused(postgres(database, "sealed", "sslmode=disable"));
    assert!(text.contains("no encryption") && text.contains("write `sslmode=require`"), "{text}");
    let text = refused(postgres(database, "plain", "sslmode=require"));
    assert!(text.contains("no pg_hba.conf entry"), "{text}");
    let text = refused(postgres(database, "nobody", ""));
    assert!(text.contains("without TLS: it says: no pg_hba.conf entry"), "{text}");
    let wrong =
        ObservedSource::at(&POSTGRES, &format!("postgres://sealed:s3cret2@localhost:{}/postgres", database.port));
    let text = refused(quick(wrong));
    assert!(text.contains("password authentication failed") && !text.contains("without TLS"), "{text}");
}

fn certificates(database: &Database, files: &Certificates) {
    let root = |mode: &str, file: &Path| format!("sslmode={mode}&sslrootcert={}", file.display());
    for mode in ["require", "verify-ca", "verify-full"] {
        let mut source = postgres(database, "sealed", &root(mode, &files.issuer));
        source.figures();
        source.figures();
        let text = refused(postgres(database, "sealed", &root(mode, &files.other)));
        assert!(text.contains("not trusted") && text.contains("other.pem"), "{mode}: {text}");
    }
    let text = refused(postgres(database, "sealed", "sslmode=verify-full"));
    assert!(text.contains("add `sslrootcert=FILE` to the URL"), "{text}");
    // The certificate is not made out to the address.
    let by_address = |mode| {
        ObservedSource::at(
            &POSTGRES,
            &format!("postgres://sealed:s3cret@127.0.0.1:{}/postgres?{}", database.port, root(mode, &files.issuer)),
        )
    };
    quick(by_address("verify-ca")).figures();
    let text = refused(quick(by_address("verify-full")));
    assert!(text.contains("another name") && text.contains("localhost"), "{text}");
    // A socket in a file needs none.
    let socket = ObservedSource::at(
        &POSTGRES,
        &format!("postgres://app@:{}/postgres?host={}&sslmode=verify-full", database.port, database.folder.0.display()),
    );
    quick(socket).figures();
}

fn redis(folder: &Folder, files: &Certificates, port: u16, clients: &str) -> Server {
    let mut command = Command::new(program("redis-server", "redis-server"));
    command.args(["--bind", "127.0.0.1", "--save", "", "--requirepass", "s3cret", "--port", "0"]);
    command.args(["--tls-port", &port.to_string(), "--tls-auth-clients", clients]);
    command.arg("--tls-cert-file").arg(&files.server);
    command.arg("--tls-key-file").arg(&files.key);
    command.arg("--tls-ca-cert-file").arg(&files.issuer);
    command.current_dir(&folder.0);
    Server::start(command, &folder.0, port)
}

#[test]
fn redis_over_tls() {
    let (folder, port) = (Folder::new("rediss"), free_port());
    let files = Certificates::write(&folder.0);
    let url = |user: &str, host: &str, file: &Path| {
        ObservedSource::at(&REDIS, &format!("rediss://{user}@{host}:{port}?ca={}", file.display()))
    };
    let server = redis(&folder, &files, port, "no");
    let mut source = Read::every_second(url(":s3cret", "localhost", &files.issuer));
    source.figures();
    let figures = source.until(|figures| figures.get("redis it", "connections_count") == 0.0);
    assert_eq!(figures.get("operations it commands", "operations_per_s"), 0.0);

    let text = refused(Read::every_second(url(":s3cret", "127.0.0.1", &files.issuer)));
    assert!(text.contains("another name"), "{text}");
    let text = refused(Read::every_second(url(":s3cret", "localhost", &files.other)));
    assert!(text.contains("not trusted") && text.contains("`ca`"), "{text}");
    let unnamed = ObservedSource::at(&REDIS, &format!("rediss://:s3cret@localhost:{port}"));
    let text = refused(Read::every_second(unnamed));
    assert!(text.contains("add `ca=FILE` to the URL"), "{text}");
    let text = refused(Read::every_second(url(":s3cret2", "localhost", &files.issuer)));
    assert!(text.contains("does not take the password"), "{text}");

    drop(server);
    source.is_away();
    let _server = redis(&folder, &files, port, "yes");
    let trouble = source.trouble();
    assert!(trouble.text.contains("wants a certificate of its clients"), "{trouble}");
}
