//! Where a run is exported to while it goes on.

use std::net::SocketAddr;

use nmax_export::Options;
use nmax_plan::addresses::origin;
use nmax_text::url::split;

use super::values::header;

/// Where the flags stand in the help; set one by one, because a heading for a group would go on behind it.
const HEADING: &str = "Export";

/// Where a run is exported to.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ExportArgs {
    /// Serve the run's metrics at http://ADDRESS/metrics for Prometheus, as in 127.0.0.1:9464; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS", help_heading = HEADING)]
    pub prometheus: Option<SocketAddr>,
    /// Send the run's metrics to this OpenTelemetry receiver every 5 s (OTLP over HTTP, JSON), as in
    /// http://127.0.0.1:4318
    #[arg(long, value_name = "URL", value_parser = url, help_heading = HEADING)]
    pub otlp: Option<String>,
    /// Header for --otlp, as in 'authorization: Bearer ..'; may be repeated
    #[arg(long, value_name = "'NAME: VALUE'", value_parser = header, requires = "otlp", help_heading = HEADING)]
    pub otlp_header: Vec<(String, String)>,
    /// Send the run's metrics to this Prometheus every 5 s (remote write), as in http://127.0.0.1:9090/api/v1/write
    #[arg(long, value_name = "URL", value_parser = url, help_heading = HEADING)]
    pub remote_write: Option<String>,
    /// Header for --remote-write; may be repeated
    #[arg(long, value_name = "'NAME: VALUE'", value_parser = header, requires = "remote_write", help_heading = HEADING)]
    pub remote_write_header: Vec<(String, String)>,
}

impl ExportArgs {
    /// What they ask for.
    pub fn options(&self) -> Options {
        Options {
            prometheus: self.prometheus,
            otlp: self.otlp.clone(),
            otlp_headers: self.otlp_header.clone(),
            remote_write: self.remote_write.clone(),
            remote_write_headers: self.remote_write_header.clone(),
        }
    }
}

/// An `http://` or `https://` URL. Errors do not repeat it: it may hold a password.
fn url(text: &str) -> Result<String, String> {
    let url = split(text);
    let is_url = origin(&format!("{}://{}", url.scheme, url.place)).is_ok();
    is_url.then(|| text.to_owned()).ok_or_else(|| "write a URL such as http://127.0.0.1:4318".into())
}
