//! What a run reads before it starts: certificates, and the files of its bodies.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use nmax_engine::runtime::real::RealClock;
use nmax_engine::{Allow, BodyFile, Files, Settings};
use nmax_http::{ClientCertificate, ClientProblem, Config, ConfigError, Shared};
use nmax_plan::plan::Plan;

use super::SessionError;

/// Longest PEM file that is read, bytes: thousands of certificates.
const PEM_BYTES_MAX: u64 = 1 << 20;

/// How to execute a plan on one worker: its certificates read and known to be usable, the files of its bodies opened.
pub fn settings(plan: &Arc<Plan>, allow: &Allow) -> Result<Settings, SessionError> {
    let settings = Settings {
        ca_pem: plan.defaults.ca_files.iter().map(|file| pem(file)).collect::<Result<_, _>>()?,
        identity: identity(plan)?,
        files: body_files(plan)?,
        ..Settings::new(Arc::clone(plan), Arc::clone(allow))
    };
    usable(&settings)?;
    Ok(settings)
}

/// What clients show when a server asks who they are.
fn identity(plan: &Plan) -> Result<Option<ClientCertificate>, SessionError> {
    let Some(files) = &plan.defaults.client_certificate else {
        return Ok(None);
    };
    Ok(Some(ClientCertificate { chain_pem: pem(&files.certificate_file)?, key_pem: pem(&files.key_file)? }))
}

/// A PEM file as it is. A device or a pipe may have no end, so neither is read.
fn pem(file: &str) -> Result<Vec<u8>, SessionError> {
    let refused = |reason: String| SessionError::Pem { file: file.to_owned(), reason };
    regular(file).map_err(refused)?;
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(PEM_BYTES_MAX + 1).read_to_end(&mut bytes));
    read.map_err(|error| refused(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > PEM_BYTES_MAX {
        return Err(refused("it is longer than 1 MiB".into()));
    }
    Ok(bytes)
}

/// Whether a file is one, looked at before it is opened: to open a pipe waits for its other end.
fn regular(file: &str) -> Result<(), String> {
    match std::fs::metadata(file) {
        Ok(about) if about.is_file() => Ok(()),
        Ok(_) => Err("it is not a regular file".into()),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}

/// Holds the certificates against the rules of TLS, so that the file to blame is named before anything is sent.
fn usable(settings: &Settings) -> Result<(), SessionError> {
    if settings.ca_pem.is_empty() && settings.identity.is_none() {
        return Ok(());
    }
    let nowhere: Allow = Arc::new(|_, _| Err("nothing is sent".into()));
    let config = Config {
        ca_pem: settings.ca_pem.clone(),
        client_certificate: settings.identity.clone(),
        ..Config::new(nowhere)
    };
    match Shared::new(config, RealClock::starting_now()) {
        Ok(_) => Ok(()),
        Err(error) => Err(blamed(&settings.plan, error)),
    }
}

/// The error with the name of its file.
fn blamed(plan: &Plan, error: ConfigError) -> SessionError {
    let issuer = |number: usize, reason: String| SessionError::Pem {
        file: plan.defaults.ca_files.get(number - 1).cloned().unwrap_or_default(),
        reason,
    };
    match error {
        ConfigError::Pem { number, reason } => issuer(number, format!("not valid PEM: {reason}")),
        ConfigError::NoCertificate { number } => issuer(number, "it holds no certificate".into()),
        ConfigError::Issuer { number, reason } => issuer(number, format!("cannot be trusted as an issuer: {reason}")),
        ConfigError::Client(problem) => {
            let files = plan.defaults.client_certificate.as_ref();
            let file = files.map(|files| match problem {
                ClientProblem::Chain(_) | ClientProblem::NoCertificate | ClientProblem::Mismatch => {
                    files.certificate_file.clone()
                }
                ClientProblem::NoKey | ClientProblem::Encrypted | ClientProblem::Key(_) => files.key_file.clone(),
            });
            SessionError::Pem { file: file.unwrap_or_default(), reason: format!("client certificate: {problem}") }
        }
        ConfigError::Proxy { .. } | ConfigError::Tls(_) => nmax_engine::StartError::Tls(error.to_string()).into(),
    }
}

/// Every file that bodies are made of, open. Their lengths are those of this moment.
fn body_files(plan: &Plan) -> Result<Files, SessionError> {
    let open = |name: &str| {
        let refused = |reason: String| SessionError::BodyFile { file: name.to_owned(), reason };
        regular(name).map_err(refused)?;
        let opened = File::open(name).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, file) = opened.map_err(|error| refused(error.to_string()))?;
        let name = name.to_owned();
        Ok((name.clone(), Arc::new(BodyFile { name, file, length })))
    };
    let files: Result<_, SessionError> = nmax_engine::body_files(plan).into_iter().map(open).collect();
    Ok(Arc::new(files?))
}
