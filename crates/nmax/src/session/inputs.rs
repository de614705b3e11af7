//! What a run reads before it starts: certificates, and the files of its bodies.

use std::fs::File;
use std::sync::Arc;

use nmax_engine::{Allow, BodyFile, Files, Settings};
use nmax_http::ClientCertificate;
use nmax_plan::plan::Plan;

use super::SessionError;

/// How to execute a plan on one worker: its certificates read, the files of its bodies opened.
pub fn settings(plan: &Arc<Plan>, allow: &Allow) -> Result<Settings, SessionError> {
    Ok(Settings {
        ca_pem: certificates(plan)?,
        identity: identity(plan)?,
        files: body_files(plan)?,
        ..Settings::new(Arc::clone(plan), Arc::clone(allow))
    })
}

/// The additional issuers of a plan, PEM.
fn certificates(plan: &Plan) -> Result<Vec<Vec<u8>>, SessionError> {
    let read = |file: &String| {
        std::fs::read(file).map_err(|error| SessionError::Certificate {
            file: file.clone(),
            error,
        })
    };
    plan.defaults.ca_files.iter().map(read).collect()
}

/// What clients show when a server asks who they are.
fn identity(plan: &Plan) -> Result<Option<ClientCertificate>, SessionError> {
    let Some(files) = &plan.defaults.client_certificate else {
        return Ok(None);
    };
    let read = |file: &String| {
        std::fs::read(file).map_err(|error| SessionError::Identity {
            file: file.clone(),
            error,
        })
    };
    Ok(Some(ClientCertificate {
        chain_pem: read(&files.certificate_file)?,
        key_pem: read(&files.key_file)?,
    }))
}

/// Every file that bodies are made of, open. Their lengths are those of this moment.
fn body_files(plan: &Plan) -> Result<Files, SessionError> {
    let open = |name: &str| {
        let refused = |reason: String| SessionError::BodyFile {
            file: name.to_owned(),
            reason,
        };
        // Looked at before it is opened: to open a pipe waits for its other end.
        let is_file = std::fs::metadata(name).map(|about| about.is_file());
        if !is_file.map_err(|error| refused(error.to_string()))? {
            return Err(refused("it is no regular file".into()));
        }
        let opened = File::open(name).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, file) = opened.map_err(|error| refused(error.to_string()))?;
        let name = name.to_owned();
        Ok((name.clone(), Arc::new(BodyFile { name, file, length })))
    };
    let files: Result<_, SessionError> = nmax_engine::body_files(plan).into_iter().map(open).collect();
    Ok(Arc::new(files?))
}
