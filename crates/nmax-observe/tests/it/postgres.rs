//! PostgreSQL with passwords of both kinds, sessions that wait, and a role that may not see them.

use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use nmax_plan::plan::ObservedSource;
use nmax_sources::kinds::*;

use crate::Read;
use crate::ports::free_port;
use crate::server::{Folder, Server, program};

pub(crate) fn quick(source: ObservedSource) -> Read {
    Read::every(Duration::from_millis(100), source)
}

pub(crate) struct Database {
    pub(crate) folder: Folder,
    pub(crate) port: u16,
}

impl Database {
    /// A cluster with the superuser `boss` over the socket, and passwords over TCP.
    pub(crate) fn new() -> Self {
        let folder = Folder::new("pg");
        give(&folder.0);
        let database = Self { folder, port: free_port() };
        let data = database.folder.file("data");
        let made = database
            .owned("initdb")
            .args(["-U", "boss", "-A", "trust", "--no-sync", "--locale=C", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        database.let_in("host all old 127.0.0.1/32 md5\nhost all all 127.0.0.1/32 scram-sha-256\n");
        database
    }

    /// Who may log in over TCP, as lines of pg_hba.conf.
    pub(crate) fn let_in(&self, rules: &str) {
        let file = self.folder.file("data").join("pg_hba.conf");
        fs::write(file, format!("local all all trust\n{rules}")).unwrap();
    }

    fn start(&self) -> Server {
        self.start_with(&[])
    }

    /// Starts it with settings besides.
    pub(crate) fn start_with(&self, more: &[String]) -> Server {
        let mut command = self.owned("postgres");
        command.arg("-D").arg(self.folder.file("data")).arg("-k").arg(&self.folder.0);
        command.args(["-h", "127.0.0.1", "-p", &self.port.to_string()]);
        let settings = ["fsync=off", "track_io_timing=on", "autovacuum=off", "max_connections=40"];
        for setting in settings.into_iter().chain(more.iter().map(String::as_str)) {
            command.args(["-c", setting]);
        }
        let server = Server::start(command, &self.folder.0, self.port);
        // It listens before it lets anybody in.
        while !self.sql("SELECT 1").wait_with_output().unwrap().status.success() {
            sleep(Duration::from_millis(50));
        }
        server
    }

    /// A program of the server, as a user who is not root: it refuses to run as root.
    fn owned(&self, name: &str) -> Command {
        let path = program(name, "postgresql");
        let mut command = match owner() {
            Some(_) => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(path);
                command
            }
            None => Command::new(path),
        };
        command.current_dir(&self.folder.0);
        command
    }

    /// Statements under way in a session of their own.
    fn sql(&self, statements: &str) -> Child {
        let mut command = Command::new(program("psql", "postgresql"));
        command.arg("-h").arg(&self.folder.0).args(["-p", &self.port.to_string(), "-U", "boss", "-X", "-q", "-v"]);
        command.args(["ON_ERROR_STOP=1", "-d", "postgres", "-c", statements]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    #[track_caller]
    pub(crate) fn done(&self, statements: &str) {
        let output = self.sql(statements).wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    fn url(&self, user: &str) -> ObservedSource {
        ObservedSource::at(&POSTGRES, &format!("postgres://{user}@127.0.0.1:{}/postgres", self.port))
    }

    fn socket(&self) -> ObservedSource {
        ObservedSource::at(
            &POSTGRES,
            &format!("postgres://boss@:{}/postgres?host={}", self.port, self.folder.0.display()),
        )
    }
}

/// Gives a file to the server.
pub(crate) fn give(path: &Path) {
    if let Some(id) = owner() {
        chown(path, Some(id), None).unwrap();
    }
}

/// The user whom the server runs as, when this one is root.
fn owner() -> Option<u32> {
    if !rustix::process::getuid().is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find_map(|line| line.strip_prefix("postgres:"));
    let id = line.and_then(|line| line.split(':').nth(1)).and_then(|id| id.parse().ok());
    Some(id.expect("the package postgresql makes the user postgres"))
}

#[test]
fn sessions_counters_roles_and_an_end() {
    let database = Database::new();
    let server = database.start();
    database.done(
        "CREATE TABLE t AS SELECT n FROM generate_series(1, 1000) n; \
         CREATE ROLE app LOGIN PASSWORD 's3:cr@et'; CREATE ROLE watcher LOGIN PASSWORD 'w'; \
         GRANT pg_monitor TO watcher; SET password_encryption = 'md5'; CREATE ROLE old LOGIN PASSWORD 'o1d'",
    );

    passwords(&database);
    sessions(&database);
    counters(&database);

    let mut source = quick(database.url("watcher:w"));
    source.figures();
    drop(server);
    source.is_away();
    let _server = database.start();
    source.figures();
}

fn passwords(database: &Database) {
    for user in ["app:s3%3Acr%40et", "old:o1d"] {
        quick(database.url(user)).figures();
    }
    quick(database.socket()).figures();
    for user in ["app:wrong-one", "old:wrong-one"] {
        let trouble = quick(database.url(user)).trouble();
        assert!(trouble.is_final && trouble.text.contains("password authentication failed"), "{trouble}");
        assert!(!trouble.text.contains("wrong-one"), "{trouble}");
    }
    let trouble = quick(database.url("app")).trouble();
    assert!(trouble.is_final && trouble.text.contains("wants a password for `app`"), "{trouble}");
    let trouble =
        quick(ObservedSource::at(&POSTGRES, &format!("postgres://watcher:w@127.0.0.1:{}/none", database.port)))
            .trouble();
    assert!(trouble.is_final && trouble.text.contains("database \"none\" does not exist"), "{trouble}");
}

/// One session sleeps, one holds a lock within an idle transaction, one waits for that lock.
fn sessions(database: &Database) {
    let mut held = Command::new(program("psql", "postgresql"));
    held.arg("-h").arg(&database.folder.0).args(["-p", &database.port.to_string(), "-U", "boss", "-X", "-q"]);
    held.args(["-d", "postgres"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut holder = held.spawn().unwrap();
    let mut words = holder.stdin.take().unwrap();
    std::io::Write::write_all(&mut words, b"BEGIN; LOCK TABLE t;\n").unwrap();
    let mut sleeper = database.sql("SELECT pg_sleep(600)");
    let mut source = quick(database.url("watcher:w"));
    source.until(|figures| figures.get("database it", "idle_in_transaction_count") >= 1.0);
    let mut waiter = database.sql("SELECT count(*) FROM t");
    source.until(|figures| figures.get("database it", "locks_waiting_count") >= 1.0);
    // Sessions are there a little longer than their clients.
    let wants = [
        ("wait_lock_count", 1.0),
        ("wait_other_count", 1.0),
        ("running_count", 0.0),
        ("active_count", 2.0),
        ("idle_in_transaction_count", 1.0),
        ("connections_count", 3.0),
        ("connections_limit_count", 40.0),
    ];
    source.until(|figures| {
        let mut all = wants.iter();
        all.all(|(metric, want)| (figures.get("database it", metric) - want).abs() < 1e-9)
    });
    assert_eq!(source.source.notes(), Vec::<String>::new());

    // Who may not see them is told so once, and by name.
    let mut blind = quick(database.url("app:s3%3Acr%40et"));
    assert_eq!(blind.figures().get("database it", "active_count"), 0.0);
    blind.figures();
    let notes = blind.source.notes();
    assert!(notes.len() == 1 && notes[0].contains("GRANT pg_monitor TO app"), "{notes:?}");

    drop(words);
    holder.wait().unwrap();
    waiter.wait().unwrap();
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    database.done("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'");
}

/// Rows and transactions of others are counted, those of the reading are not.
fn counters(database: &Database) {
    let mut source = Read::every_second(database.url("watcher:w"));
    source.figures();
    source.figures();
    // Nobody asks any more; sessions that ended tell late what they did.
    source.until(|figures| figures.get("operations it transactions", "operations_per_s") <= 6.0);
    database.done("SELECT count(*) FROM t, generate_series(1, 5)");
    let mut rows = 0.0;
    for _ in 0..20 {
        rows += source.figures().get("operations it rows", "operations_per_s");
        if rows >= 1_000.0 {
            break;
        }
    }
    assert!((1_000.0..3_000.0).contains(&rows), "{rows} rows of one look at a table of 1,000");
}
