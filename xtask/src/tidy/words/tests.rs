use super::super::tests_of_rules::{check, repo};
use super::*;

const CODE: &str = "crates/nmax-log/src/lib.rs";

#[test]
fn riddles_are_found_where_users_read() {
    for riddle in ["it is no file", "whoever has it", "nobody watched it", "What stands there"] {
        check(sentences_are_plain, CODE, &format!("\nconst E: &str = \"{riddle}\";"), Some(2));
        check(sentences_are_plain, CODE, &format!("\nconst E: &str = \"one \\\n  {riddle}\";"), Some(3));
        check(sentences_are_plain, CODE, &format!("// {riddle}"), None);
        check(sentences_are_plain, CODE, &format!("#[cfg(test)]\nmod tests {{ const E: &str = \"{riddle}\"; }}"), None);
        let help = format!("/// {riddle}");
        let help = repo(&[("crates/nmax/src/main.rs", "mod args;"), ("crates/nmax/src/args.rs", &help)]);
        assert_eq!(sentences_are_plain(&help).len(), 1, "{riddle}");
        check(sentences_are_plain, "docs/a.md", riddle, Some(1));
    }
}

#[test]
fn good_english_is_fine() {
    for text in ["there is no plan", "it is no longer there", "it is not a file", "this is normal", "nobodys"] {
        check(sentences_are_plain, "docs/a.md", text, None);
    }
}

#[test]
fn long_sentences_are_found() {
    let long = "word ".repeat(31) + "end.";
    let short = "One two three. ".repeat(40);
    check(sentences_are_short, "README.md", &format!("{short}\n\nShort one here.\n{long}\n"), Some(2));
    check(
        sentences_are_short,
        "README.md",
        &format!("{short}\n\n- {}\n- {}\n", "w ".repeat(20), "w ".repeat(20)),
        None,
    );
    check(sentences_are_short, "docs/other.md", &long, None);
    check(
        sentences_are_short,
        "README.md",
        &"one two three four five six seven eight nine ten eleven twelve, end. ".repeat(5),
        Some(1),
    );
}

#[test]
fn retired_names_are_found() {
    check(names_are_terms, CODE, "\nstruct Told {}", Some(2));
    check(names_are_terms, CODE, "pub(crate) enum Way { A }", Some(1));
    check(names_are_terms, CODE, "impl A {\n    fn tell(&self) {}\n}", Some(2));
    for fine in ["struct ToldText;", "fn tell_all() {}", "let once = 1;", "// struct Told"] {
        check(names_are_terms, CODE, fine, None);
    }
}
