//! Which variable a recorded value becomes; `replace` puts it where the value stands.

mod replace;

use std::collections::HashMap;

use super::feeders::{Feeders, column_name, free};
use super::field::{Field, fits};
use super::{Candidate, Other, Parameters, Purpose, told};
use crate::journey::Journey;
use crate::options::{Options, SecretsIn};
use crate::parts::{Part, ValueLocation, request_parts};
use crate::recording::Recording;
use crate::redact::Secrets;

/// Characters of the millisecond in which a run began, with a sign before or after it.
const RUN_CHARS: i64 = 14;
/// Longest address that is made up, in characters.
const EMAIL_CHARS_MAX: i64 = 40;
/// Longest user name that is made up, in characters.
const NAME_CHARS_MAX: i64 = 20;
/// Words in names of numbers that follow from how many pieces are bought.
const MONEY: [&str; 6] = ["price", "total", "sum", "amount", "subtotal", "cost"];

/// A recorded value and what stands in its place.
#[derive(Clone, Debug)]
struct Bound {
    field: Field,
    value: String,
    template: String,
    /// Where it comes from, in words.
    from: String,
}

pub(super) struct Binder<'a> {
    recording: &'a Recording,
    journey: &'a Journey,
    others: &'a [Other<'a>],
    secrets: &'a Secrets,
    feeders: &'a mut Feeders,
    options: &'a Options,
    bound: Vec<Bound>,
    made: Parameters,
}

impl<'a> Binder<'a> {
    pub(super) fn new(
        (recording, journey, others): (&'a Recording, &'a Journey, &'a [Other<'a>]),
        secrets: &'a Secrets,
        feeders: &'a mut Feeders,
        options: &'a Options,
    ) -> Self {
        Self { recording, journey, others, secrets, feeders, options, bound: Vec::new(), made: Parameters::default() }
    }

    pub(super) fn finish(self) -> Parameters {
        self.made
    }

    fn is_bound(&self, field: Field, value: &str) -> bool {
        self.bound.iter().any(|bound| bound.field == field && bound.value == value)
    }

    fn has(&self, field: Field) -> bool {
        self.bound.iter().any(|bound| bound.field == field)
    }

    fn bind(&mut self, candidate: &Candidate, template: String, from: impl Into<String>) {
        self.made.values.push(candidate.part.value.clone());
        self.bound.push(Bound {
            field: candidate.field,
            value: candidate.part.value.clone(),
            template,
            from: from.into(),
        });
    }

    fn leave(&mut self, candidate: &Candidate, why: &str) {
        let place = told(self.recording, self.journey, candidate.entry, &candidate.part.place);
        let note = format!("{place}: as recorded, {why}");
        if !self.made.notes.contains(&note) {
            self.made.notes.push(note);
        }
    }

    /// Decides what a recognized field becomes.
    pub(super) fn candidate(
        &mut self,
        candidate: &Candidate,
        is_accepted: bool,
        purposes: &HashMap<usize, Purpose>,
        all: &[Candidate],
    ) {
        let value = candidate.part.value.as_str();
        if self.is_bound(candidate.field, value) {
            if candidate.field == Field::Search {
                self.terms(candidate);
            }
            return;
        }
        match candidate.field {
            Field::Email | Field::UserName | Field::Password => {
                let same = |other: &&Candidate| other.part.value == value;
                let mut of_value = all.iter().filter(same).filter_map(|other| purposes.get(&other.entry));
                let is_made = of_value.clone().any(|purpose| *purpose == Purpose::SignUp);
                let is_known = of_value.any(|purpose| *purpose == Purpose::LogIn) && !is_made;
                if is_known {
                    self.known(candidate);
                } else if is_accepted {
                    self.new_user(candidate, all);
                }
            }
            Field::Search => self.search(candidate, all),
            _ if !is_accepted => {}
            Field::Quantity => self.quantity(candidate, all),
            Field::Iban if value.starts_with("DE") => {
                let accounts = self.feeders.accounts();
                self.bind(candidate, format!("${{{accounts}.iban}}"), "made up for each user");
            }
            Field::Iban => self.leave(candidate, "only German account numbers can be made up"),
            _ => self.person(candidate, all),
        }
    }

    /// A user that the system knows already.
    fn known(&mut self, candidate: &Candidate) {
        let column = match candidate.field {
            Field::Email => "email",
            Field::UserName => "user_name",
            _ => "password",
        };
        let value = &candidate.part.value;
        let (template, from) = match self.options.secrets {
            SecretsIn::File => {
                let theirs = self.others.iter().map(|other| other.value(candidate.entry, &candidate.part.place));
                (self.feeders.secret(column, value, theirs), "from the file of known users")
            }
            SecretsIn::Env => (self.feeders.environment(column, value), "from the environment"),
        };
        self.bind(candidate, template, from);
    }

    /// A user that is made up.
    fn new_user(&mut self, candidate: &Candidate, all: &[Candidate]) {
        let why = "it is the second of its kind in the recording";
        match candidate.field {
            field if self.has(field) => {
                if field != Field::Password {
                    self.leave(candidate, why);
                }
            }
            Field::Email => {
                let people = self.feeders.people(Some("email"));
                let email = format!("${{{people}.email}}");
                self.new_name(candidate, EMAIL_CHARS_MAX, &email, |run| format!("{run}.{email}"));
            }
            Field::UserName if all.iter().any(|other| other.field == Field::Email) => {
                let people = self.feeders.people(None);
                // Only one column of the data never repeats.
                let name = format!("${{{people}.user_name}}${{iteration}}");
                self.new_name(candidate, NAME_CHARS_MAX + RUN_CHARS, &name, |run| {
                    format!("${{{people}.user_name}}{run}${{iteration}}")
                });
            }
            Field::UserName => {
                let people = self.feeders.people(Some("user_name"));
                let name = format!("${{{people}.user_name}}");
                self.new_name(candidate, NAME_CHARS_MAX, &name, |run| format!("{name}{run}"));
            }
            _ => {
                let people = self.feeders.people(None);
                self.bind(candidate, format!("${{{people}.password}}"), "made up for each user");
            }
        }
    }

    /// A name that no other run makes again, where the form takes one of so many characters and the run's; else one that
    /// is another one for each iteration.
    fn new_name(&mut self, candidate: &Candidate, chars: i64, alone: &str, with: impl Fn(&str) -> String) {
        if candidate.shown.length_max.is_none_or(|most| most >= chars + RUN_CHARS) {
            let name = with(self.feeders.run());
            self.bind(candidate, name, "made up, another one for each iteration of each run");
        } else {
            self.bind(candidate, alone.to_owned(), "made up, another one for each iteration");
        }
    }

    /// What else is known of a person.
    fn person(&mut self, candidate: &Candidate, all: &[Candidate]) {
        if candidate.part.is_bare {
            return self.leave(candidate, "it is a number of JSON");
        }
        if self.has(candidate.field) {
            return self.leave(candidate, "it is the second of its kind in the recording");
        }
        let value = candidate.part.value.as_str();
        let is_address = matches!(
            candidate.field,
            Field::Street | Field::HouseNumber | Field::Postcode | Field::City | Field::Region
        );
        if is_address && !self.is_american(candidate, all) {
            return self.leave(candidate, "only addresses of the United States can be made up");
        }
        let columns: &[&str] = match candidate.field {
            Field::FirstName => &["first_name"],
            Field::LastName => &["last_name"],
            Field::FullName if value.trim().contains(' ') => &["full_name"],
            Field::FullName => &["first_name"],
            Field::Phone if is_phone_like_ours(value) => &["phone"],
            Field::Phone => return self.leave(candidate, "only numbers like 303-555-0193 can be made up"),
            Field::Street if value.starts_with(|c: char| c.is_ascii_digit()) => &["house_number", "street"],
            Field::Street if value.ends_with(|c: char| c.is_ascii_digit()) => &["street", "house_number"],
            Field::Street => &["street"],
            Field::HouseNumber => &["house_number"],
            Field::Postcode => &["postcode"],
            Field::City => &["city"],
            Field::Region => &["region"],
            _ => &["birth_date"],
        };
        let people = self.feeders.people(None);
        let holes: Vec<String> = columns.iter().map(|column| format!("${{{people}.{column}}}")).collect();
        self.bind(candidate, holes.join(" "), "made up for each user");
        self.made.values.extend(value.split_whitespace().map(str::to_owned));
    }

    /// Whether the address in the same request may be one of the United States.
    fn is_american(&self, candidate: &Candidate, all: &[Candidate]) -> bool {
        let is_zip = |value: &str| {
            let digits = value.bytes().filter(u8::is_ascii_digit).count();
            (value.len() == 5 && digits == 5) || (value.len() == 10 && digits == 9)
        };
        let mut same = all.iter().filter(|other| other.entry == candidate.entry);
        let has_other_zip = same.any(|other| other.field == Field::Postcode && !is_zip(&other.part.value));
        let is_country = |part: &Part| match &part.place {
            ValueLocation::Field(name, _) | ValueLocation::Query(name, _) | ValueLocation::Json(name) => {
                name.to_ascii_lowercase().contains("country")
            }
            _ => false,
        };
        let ours = ["US", "USA", "UNITED STATES", "UNITED STATES OF AMERICA"];
        let parts = request_parts(&self.recording.entries[candidate.entry].request);
        let is_elsewhere = parts
            .iter()
            .any(|part| is_country(part) && !ours.contains(&part.value.trim().to_ascii_uppercase().as_str()));
        !has_other_zip && !is_elsewhere
    }

    /// A word that is searched for. What is typed on the way to it stays.
    fn search(&mut self, candidate: &Candidate, all: &[Candidate]) {
        let value = candidate.part.value.as_str();
        let is_beginning = |other: &Candidate| {
            other.field == Field::Search && other.part.value.len() > value.len() && other.part.value.starts_with(value)
        };
        if all.iter().any(is_beginning) {
            return self.leave(candidate, "it is the beginning of what was typed");
        }
        let template = self.terms(candidate);
        self.bind(candidate, template, "from the file of recorded search terms");
    }

    /// Keeps what was searched for there, in all recordings; the template that reads such a word.
    fn terms(&mut self, candidate: &Candidate) -> String {
        let column = match &candidate.part.place {
            ValueLocation::Query(name, _) | ValueLocation::Field(name, _) => name.as_str(),
            _ => "q",
        };
        let template = self.feeders.term(column, &candidate.part.value);
        for term in self.theirs(candidate) {
            if fits(Field::Search, &term) && !self.secrets.is_secret(&term) {
                self.feeders.term(column, &term);
            }
        }
        template
    }

    /// What the other recordings have in the place of a field.
    fn theirs(&self, candidate: &Candidate) -> Vec<String> {
        let value = |other: &Other<'_>| other.value(candidate.entry, &candidate.part.place);
        self.others.iter().filter_map(value).collect()
    }

    /// A number of pieces: near the recorded one, the same wherever the same one was sent.
    fn quantity(&mut self, candidate: &Candidate, all: &[Candidate]) {
        let depends = self.journey.steps.iter().flat_map(|step| step.hops()).any(|index| {
            let parts = request_parts(&self.recording.entries[index].request);
            parts.iter().any(|part| matches!(&part.place, ValueLocation::Json(name) | ValueLocation::Field(name, _) if is_money(name)))
        });
        if depends {
            return self.leave(candidate, "prices are sent that follow from it");
        }
        let Ok(recorded) = candidate.part.value.parse::<i64>() else {
            return;
        };
        let theirs = self.theirs(candidate);
        let chosen = theirs.iter().filter(|value| fits(Field::Quantity, value));
        let chosen = chosen.filter_map(|value| value.parse::<i64>().ok());
        let (least, most) =
            chosen.fold((recorded, recorded), |(least, most), value| (least.min(value), most.max(value)));
        let (low, high) = match recorded {
            _ if least < most => (least, most),
            1 | 2 => (1, 3),
            many => (many - 1, many + 1),
        };
        let (min, max) = (candidate.shown.min.unwrap_or(1).max(1), candidate.shown.max.unwrap_or(i64::MAX));
        let (low, high) = (low.max(min).min(recorded), high.min(max).max(recorded));
        let made = format!("${{random({low}, {high})}}");
        let same =
            all.iter().filter(|other| other.field == Field::Quantity && other.part.value == candidate.part.value);
        let from = format!("a number from {low} to {high}");
        if same.count() < 2 {
            return self.bind(candidate, made, from);
        }
        let name = match &candidate.part.place {
            ValueLocation::Query(name, _) | ValueLocation::Field(name, _) => column_name(name),
            _ => "pieces".to_owned(),
        };
        let is_free = |name: &str| {
            !self.feeders.taken.contains(name) && !self.made.sets.iter().any(|(_, known, _)| known == name)
        };
        let name = free(&name, '_', is_free);
        self.bind(candidate, format!("${{{name}}}"), from);
        self.made.sets.push((candidate.entry, name, made));
    }
}

fn is_money(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    MONEY.iter().any(|word| name.contains(word))
}

/// Digits and dashes as in the numbers that are made up.
fn is_phone_like_ours(value: &str) -> bool {
    let shape: String = value.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    shape == "999-999-9999"
}
