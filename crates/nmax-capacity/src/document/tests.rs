//! Documents as people write them, and what is said of those that are wrong.

mod supply;

use super::*;

/// Files beside every document of the tests.
fn read_file(file: &str) -> Result<String, String> {
    match file {
        "tested.csv" => {
            Ok("load,run,p99_ms,failure_rate,achieved\n900,1,80,0%,900\n900,2,82,0.1%,899\n900,3,81,0,900\n".into())
        }
        "wrong.csv" => Ok("load,run,p99_ms\n900,1,fast\n0,2,80\n".into()),
        "headless.csv" => Ok("load,run\n900,1\n".into()),
        "busy.csv" => Ok("throughput,cpu,db\n350,42%,0.63\n700,0.84,1.26\n".into()),
        "sizes.csv" => Ok("size,x,price\n1,400,0.1\n2,760,0.2\n0,0,1\n".into()),
        "nodes.csv" => Ok("nodes,x\n1,1000\n2,1930\n4,3600\n8,6300\n".into()),
        _ => Err("no such file".into()),
    }
}

/// The document, or errors as printed.
fn parsed(text: &str) -> Result<Document, String> {
    let options = Options { read: &read_file, ..Options::standalone("shop.yaml") };
    parse(text, &options).map_err(|errors| errors.iter().map(|error| format!("{error}\n")).collect())
}
