//! Walks over every template of a scenario.

use super::{Body, Call, Condition, LoopEnd, PartContent, Scenario, Step, Test, What};
use crate::template::{Part, Template};

impl Scenario {
    /// Shows `each` every template of every step, those within other steps included, in the order of the document.
    pub fn each_template<'a>(&'a self, each: &mut dyn FnMut(&'a Template)) {
        for step in self.all_steps() {
            match step {
                Step::Call(call) => call.each_template(each),
                Step::Set(values) => values.iter().for_each(|(_, value)| each(value)),
                Step::If(step) => step.condition.each_template(each),
                Step::Loop(step) => match &step.until {
                    LoopEnd::Times(times) => each(times),
                    LoopEnd::While { condition, .. } => condition.each_template(each),
                },
                Step::End(reason) => reason.iter().for_each(&mut *each),
                Step::Think(_) | Step::Transaction(_) | Step::Choose(_) | Step::Script => {}
            }
        }
    }
}

impl Call {
    /// Shows `each` every template of the call.
    pub fn each_template<'a>(&'a self, each: &mut dyn FnMut(&'a Template)) {
        each(&self.name);
        let What::Http(request) = &self.what;
        each(&request.url);
        for (name, value) in &request.query {
            each(name);
            each(value);
        }
        request.headers.iter().for_each(|(_, value)| each(value));
        match &request.body {
            Body::Empty | Body::File(_) => {}
            Body::Text(body) | Body::Json(body) => each(body),
            Body::Form(fields) => {
                for (name, value) in fields {
                    each(name);
                    each(value);
                }
            }
            Body::Multipart(parts) => {
                for part in parts {
                    each(&part.name);
                    if let PartContent::Text(content) = &part.content {
                        each(content);
                    }
                    part.file_name.iter().for_each(&mut *each);
                }
            }
        }
        for check in &self.expect.checks {
            match &check.test {
                Test::BodyContains(text) | Test::BodyLacks(text) | Test::HeaderContains(_, text) => each(text),
                Test::Finds(_) => {}
            }
        }
        request.page.iter().flat_map(|page| &page.listed).for_each(each);
    }
}

impl Condition {
    /// Shows `each` every template of the condition.
    pub fn each_template<'a>(&'a self, each: &mut dyn FnMut(&'a Template)) {
        match self {
            Self::Compare { left, right, .. } => {
                each(left);
                each(right);
            }
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().for_each(|condition| condition.each_template(each))
            }
            Self::Not(condition) => condition.each_template(each),
        }
    }
}

impl Template {
    /// Shows `each` every part, those of arguments included.
    pub fn each_part<'a>(&'a self, each: &mut dyn FnMut(&'a Part)) {
        for part in &self.parts {
            each(part);
            if let Part::Call(call) = part {
                call.arguments.iter().for_each(|argument| argument.each_part(each));
            }
        }
    }
}
