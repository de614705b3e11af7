//! Writes the report of a made-up run, to look at: `cargo run -p nmax-report --example sample_report report.html`.

#[path = "../tests/it/sample.rs"]
mod sample;

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "report.html".into());
    let view = sample::Run::new(&sample::Shape::default()).view();
    let style = nmax_report::terminal::Style { color: false, width: std::env::var("W").ok().and_then(|w| w.parse().ok()).unwrap_or(80), wide: std::env::var("WIDE").is_ok() };
    std::fs::write(format!("{path}.txt"), nmax_report::terminal::table(&view, style))?;
    std::fs::write(format!("{path}.json"), nmax_report::json::summary(&view).to_string())?;
    std::fs::write(path, nmax_report::html::page(&view))
}
