//! Where a run is exported to while it goes on.

use std::net::SocketAddr;
use std::path::PathBuf;

use nmax_export::{Options, Webhook};
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
    /// When the run has ended, append its report to this file (Markdown), unless the file is long already
    #[arg(long, value_name = "FILE", env = "GITHUB_STEP_SUMMARY", hide_env_values = true, help_heading = HEADING)]
    pub ci_summary: Option<PathBuf>,
    /// When the run has ended, send its verdict and figures to this URL (JSON, `nmax schema webhook`)
    #[arg(long, value_name = "URL", value_parser = url, env = "NMAX_WEBHOOK", hide_env_values = true,
        help_heading = HEADING)]
    pub webhook: Option<String>,
    /// Header for --webhook; may be repeated
    #[arg(long, value_name = "'NAME: VALUE'", value_parser = header, requires = "webhook", help_heading = HEADING)]
    pub webhook_header: Vec<(String, String)>,
    /// Link to the report that --webhook sends; {run_id} stands for the id of the run
    #[arg(long, value_name = "URL", requires = "webhook", help_heading = HEADING)]
    pub webhook_link: Option<String>,
    /// Exit with 5 when the webhook is not taken
    #[arg(long, requires = "webhook", help_heading = HEADING)]
    pub webhook_required: bool,
}

impl ExportArgs {
    /// Who is told of the end.
    pub fn hook(&self) -> Option<Webhook> {
        let (headers, link) = (self.webhook_header.clone(), self.webhook_link.clone());
        self.webhook.clone().filter(|url| !url.is_empty()).map(|url| Webhook { url, headers, link })
    }

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
    // An empty variable is as good as none.
    if text.is_empty() {
        return Ok(String::new());
    }
    let is_url = origin(&format!("{}://{}", url.scheme, url.place)).is_ok();
    is_url.then(|| text.to_owned()).ok_or_else(|| "write a URL such as http://127.0.0.1:4318".into())
}
