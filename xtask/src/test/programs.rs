//! What cargo has built: test programs and where they run.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::shell::cargo;
use crate::tidy;

/// A test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// The package, and for integration tests the name of their target.
    pub(crate) name: String,
    /// The program.
    pub(crate) file: PathBuf,
    /// The folder of the package, in which cargo runs its tests.
    pub(crate) folder: PathBuf,
}

/// Builds the test programs; those of the quick tier are the crates' own, and the integration tests called `it`.
pub(crate) fn build(is_quick: bool) -> Result<Vec<Program>, String> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]);
    if is_quick {
        command.args(["--lib", "--bins", "--test", "it"]);
    }
    let output = command.current_dir(tidy::root()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cargo did not start: {error}"))?;
    if !output.status.success() {
        return Err("the tests do not build".to_owned());
    }
    Ok(read(&String::from_utf8_lossy(&output.stdout)))
}

/// The programs that cargo's messages name, by name.
pub(crate) fn read(messages: &str) -> Vec<Program> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs: Vec<Program> = messages.filter_map(|message| program(&message)).collect();
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    programs
}

fn program(message: &Value) -> Option<Program> {
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let package = folder.file_name()?.to_string_lossy().into_owned();
    let name = if message["target"]["kind"] == serde_json::json!(["test"]) {
        format!("{package} {}", message["target"]["name"].as_str()?)
    } else {
        package
    };
    Some(Program { name, file: message["executable"].as_str()?.into(), folder })
}
