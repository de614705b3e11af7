//! What a server needs for a fleet: users and what each may do, a certificate, its configuration.

use nkeys::{KeyPair, KeyPairType};
use rcgen::{CertificateParams, generate_simple_self_signed};

use crate::error::NatsError;

/// A user of a server, who is known by an nkey.
#[derive(Clone)]
pub struct User {
    /// What the user proves to have.
    pub seed: String,
    /// What the server knows.
    public: String,
}

impl User {
    /// A new one, of 32 random bytes.
    ///
    /// # Errors
    /// When they make no key.
    pub fn new(random: [u8; 32]) -> Result<Self, NatsError> {
        let refused = |error: nkeys::error::Error| NatsError::of_operation("a new nkey", &error);
        let pair = KeyPair::new_from_raw(KeyPairType::User, random).map_err(refused)?;
        Ok(Self { seed: pair.seed().map_err(refused)?, public: pair.public_key() })
    }
}

/// A certificate of a server for these names and addresses, which clients trust by having it; it and its key, as PEM.
///
/// # Errors
/// When one of them is not a name.
pub fn certificate(hosts: &[String]) -> Result<[String; 2], NatsError> {
    let refused = |error: rcgen::Error| NatsError::of_operation(&hosts.join(", "), &error);
    CertificateParams::new(hosts).map_err(refused)?;
    let made = generate_simple_self_signed(hosts).map_err(refused)?;
    Ok([made.cert.pem(), made.signing_key.serialize_pem()])
}

/// The configuration of a server for a fleet.
///
/// - `tls`: the file with its certificate and key; `None` for a server that only its own machine reaches
pub fn configuration([manager, injector]: &[User; 2], tls: Option<&str>) -> String {
    let (host, tls) = match tls {
        Some(file) => ("0.0.0.0", format!("tls {{ cert_file: \"{file}\", key_file: \"{file}\" }}\n")),
        None => ("127.0.0.1", String::new()),
    };
    let users = users(&format!("nkey: {}", manager.public), &format!("nkey: {}", injector.public));
    let users: String = users.lines().map(|line| format!("    {line}\n")).collect();
    // A name of its own: where fleets share a server, they see nothing of each other.
    let account = format!("FLEET_{}", &manager.public[1..9]);
    format!(
        "# For nats-server 2.12 or later: nats-server -c FILE\n\
         listen: \"{host}:4222\"\n\
         # What is acknowledged is on the disk.\n\
         jetstream {{ store_dir: \"nats\", sync_interval: always }}\n{tls}\
         accounts {{\n  {account} {{\n    jetstream: enabled\n{users}  }}\n}}\n"
    )
}

/// Users of the account of a fleet as nats-server reads them: who orders runs, and who takes part.
///
/// - `manager`, `injector`: how each is authenticated, such as `nkey: U..` or `user: m, password: ..`
pub fn users(manager: &str, injector: &str) -> String {
    let list =
        |subjects: &[&str]| subjects.iter().map(|subject| format!("\"{subject}\"")).collect::<Vec<_>>().join(", ");
    let api = |names: &[&str]| names.iter().map(|name| format!("$JS.API.{name}")).collect::<Vec<_>>();
    let reads = api(&[
        "INFO",
        "STREAM.INFO.*",
        "STREAM.MSG.GET.NMAX_CTL",
        "DIRECT.GET.>",
        "CONSUMER.CREATE.NMAX_CTL",
        "CONSUMER.CREATE.NMAX_CTL.>",
        "CONSUMER.MSG.NEXT.NMAX_CTL.>",
        "CONSUMER.DELETE.NMAX_CTL.>",
        "CONSUMER.INFO.NMAX_CTL.>",
        "CONSUMER.CREATE.OBJ_nmax_files",
        "CONSUMER.CREATE.OBJ_nmax_files.>",
        "CONSUMER.DELETE.OBJ_nmax_files.>",
        "STREAM.MSG.GET.OBJ_nmax_files",
    ]);
    let reads: Vec<&str> = reads.iter().map(String::as_str).chain(["$JS.ACK.>", "$JS.FC.>"]).collect();
    let writes = ["nmax.ctl.>", "nmax.lease.>", "nmax.stamp.>", "nmax.res.>", "$KV.nmax_workers.>"];
    let injects = list(&[&writes[..], &reads].concat());
    let denied = list(&["nmax.ctl.*.spec", "nmax.ctl.*.cmd.>"]);
    let manages = list(&["nmax.>", "$KV.nmax_workers.>", "$O.nmax_files.>", "$JS.API.>", "$JS.ACK.>", "$JS.FC.>"]);
    format!(
        "users: [\n  \
         {{ {manager}, permissions: {{ publish: [{manages}], subscribe: [\"_INBOX.>\"] }} }}\n  \
         {{ {injector}, permissions: {{ publish: {{ allow: [{injects}], deny: [{denied}] }}, \
         subscribe: [\"_INBOX.>\"] }} }}\n]\n"
    )
}
