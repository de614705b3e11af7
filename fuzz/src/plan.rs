//! Plan documents: each is a plan or a list of errors with places, and a plan survives being written.

use nmax_plan::document::write::to_yaml;
use nmax_plan::document::{Location, Options, parse};
use nmax_plan::plan::Plan;

const FILE: &str = "plan.yaml";

/// Input: a document.
pub fn holds(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    match read(text) {
        Ok(plan) => {
            let written = to_yaml(&plan);
            match read(&written) {
                Ok(again) => {
                    assert_eq!(again, plan, "another plan after this document:\n{written}");
                    assert_eq!(to_yaml(&again), written, "written differently the second time");
                }
                Err(errors) => panic!("{}\nin what was written:\n{written}", errors.join("\n")),
            }
        }
        Err(errors) => assert!(!errors.is_empty(), "refused without a reason"),
    }
}

/// The plan, or its errors as they are printed.
fn read(text: &str) -> Result<Plan, Vec<String>> {
    let options = Options {
        read: &|_| Ok("email,q\na@shop.test,tea\nb@shop.test,\"a, b\"\n".to_owned()),
        exists: &|_| Ok(1),
        env: &|_| Some("value".to_owned()),
        ..Options::standalone(FILE)
    };
    // What is missing at the end of the document has its place after the last line.
    let lines_max = text.split(['\n', '\r']).count() + 1;
    parse(text, &options).map_err(|errors| {
        let printed = errors.iter().map(|error| {
            let Location::File { file, line, column } = &error.at else {
                panic!("no argument was given, but one is wrong: {error}");
            };
            assert_eq!(file, FILE);
            assert!((1..=lines_max).contains(&(*line as usize)), "line {line} of at most {lines_max}: {error}");
            assert!(*column >= 1, "{error}");
            assert!(!error.message.is_empty() && !error.remedy.is_empty(), "{error:?}");
            error.to_string()
        });
        printed.collect()
    })
}
