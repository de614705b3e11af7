//! Writes the report of a made-up run, to look at: `cargo run -p nmax-report --example sample_report report.html`.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/sample.rs"]
mod sample;

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "report.html".into());
    let view = sample::Run::new(&sample::Shape::default()).view();
    std::fs::write(path, nmax_report::html::page(&view))
}
