//! Which targets the user opens.

use nmax_run::safety::Consent;
use nmax_run::safety::target::{Host, Pattern};

/// Where the flags stand in the help; set one by one, because a heading for a group would go on behind it.
const HEADING: &str = "Safety";

/// Which targets the user opens.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SafetyArgs {
    /// Allow this private target: a host name, an address or a network such as 10.0.0.0/8; may be repeated
    #[arg(long = "allow-target", value_name = "WHAT", help_heading = HEADING)]
    pub allow_target: Vec<Pattern>,
    /// Confirm that you have the right to load this public host; recorded in the run; may be repeated
    #[arg(long = "i-am-authorized-to-test", value_name = "HOST", help_heading = HEADING)]
    pub authorized: Vec<Host>,
}

impl SafetyArgs {
    /// What they open.
    pub fn consent(&self) -> Consent {
        Consent { allow_target: self.allow_target.clone(), authorized: self.authorized.clone(), is_for_others: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The flags as typed.
    #[test]
    fn arguments() {
        #[derive(Debug, clap::Parser)]
        struct Cli {
            #[command(flatten)]
            safety: SafetyArgs,
        }
        let parse = |args: &[&str]| <Cli as clap::Parser>::try_parse_from([&["nmax"], args].concat());
        let given =
            parse(&["--allow-target", "10.0.0.0/8", "--allow-target=a.lan", "--i-am-authorized-to-test", "B.example"]);
        let given = given.unwrap().safety;
        let allowed: Vec<String> = given.allow_target.iter().map(ToString::to_string).collect();
        assert_eq!(allowed, ["10.0.0.0/8", "a.lan"]);
        assert_eq!(given.authorized, ["b.example".parse().unwrap()]);
        let error = parse(&["--allow-target", "10.0.0.1/8"]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("did you mean `10.0.0.0/8`?"), "{error}");
        assert!(parse(&["--i-am-authorized-to-test", "*.example"]).is_err());
    }
}
