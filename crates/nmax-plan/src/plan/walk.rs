//! Walks over every template of a scenario: those that look, and those that change.

use std::sync::Arc;

use super::{Body, Call, CallKind, Condition, LoopEnd, PartContent, Scenario, Step, Test, Wanted};
use crate::template::{Part, Template};

/// Declares the same walk with shared and with exclusive references, so that both come by all templates in one order.
///
/// Each has its name, what it does, lifetime and `mut` of its references, and how it comes by what an [`Arc`] holds.
macro_rules! walks {
    ($($walk:ident $changes:literal [$($l:lifetime)?] [$($m:tt)?] $held:path;)*) => { $(
        impl Step {
            #[doc = concat!($changes, " every template of the step itself, not of those within it.")]
            fn $walk<$($l)?>(self: &$($l)? $($m)? Self, each: &mut dyn FnMut(&$($l)? $($m)? Template)) {
                match self {
                    Self::Call(call) => $held(call).$walk(each),
                    Self::Set(values) => values.into_iter().for_each(|(_, value)| each(value)),
                    Self::If(step) => (&$($m)? step.condition).$walk(each),
                    Self::Loop(step) => match &$($m)? step.until {
                        LoopEnd::Times(times) => each(times),
                        LoopEnd::While { condition, .. } => condition.$walk(each),
                    },
                    Self::End(reason) => reason.into_iter().for_each(each),
                    Self::Think(_) | Self::Transaction(_) | Self::Choose(_) | Self::Script => {}
                }
            }
        }

        impl Condition {
            #[doc = concat!($changes, " every template of the condition.")]
            pub fn $walk<$($l)?>(self: &$($l)? $($m)? Self, each: &mut dyn FnMut(&$($l)? $($m)? Template)) {
                match self {
                    Self::Compare { left, right, .. } => {
                        each(left);
                        each(right);
                    }
                    Self::All(inner) | Self::Any(inner) => inner.into_iter().for_each(|inner| inner.$walk(each)),
                    Self::Not(inner) => inner.$walk(each),
                }
            }
        }

        impl Call {
            #[doc = concat!($changes, " every template of the call.")]
            pub fn $walk<$($l)?>(self: &$($l)? $($m)? Self, each: &mut dyn FnMut(&$($l)? $($m)? Template)) {
                each(&$($m)? self.name);
                let CallKind::Http(request) = &$($m)? self.what;
                let request = $held(request);
                each(&$($m)? request.url);
                for (name, value) in &$($m)? request.query {
                    each(name);
                    each(value);
                }
                for (_, value) in &$($m)? request.headers {
                    each(value);
                }
                match &$($m)? request.body {
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
                            each(&$($m)? part.name);
                            if let PartContent::Text(content) = &$($m)? part.content {
                                each(content);
                            }
                            (&$($m)? part.file_name).into_iter().for_each(&mut *each);
                        }
                    }
                }
                for check in &$($m)? self.expect.checks {
                    match &$($m)? check.test {
                        Test::BodyContains(text) | Test::BodyLacks(text) | Test::HeaderContains(_, text) => each(text),
                        Test::Value(_, Wanted::Compared(_, text)) => each(text),
                        Test::Finds(_) | Test::Value(..) | Test::MaxTime(_) => {}
                    }
                }
                (&$($m)? request.page).into_iter().flat_map(|page| &$($m)? page.listed).for_each(each);
            }
        }
    )* };
}

walks! {
    each_template "Shows `each`" ['a] [] Arc::as_ref;
    change_templates "Lets `each` change" [] [mut] Arc::make_mut;
}

impl Scenario {
    /// Shows `each` every template of every step, those within other steps included, in the order of the document.
    pub fn each_template<'a>(&'a self, each: &mut dyn FnMut(&'a Template)) {
        self.all_steps().for_each(|step| step.each_template(each));
    }

    /// Lets `change` change every template of every step, in the same order.
    pub fn change_templates(&mut self, change: &mut dyn FnMut(&mut Template)) {
        self.change_steps(&mut |step| step.change_templates(change));
    }

    /// Lets `change` change every step, those within other steps included, in the order of the document.
    pub fn change_steps(&mut self, change: &mut dyn FnMut(&mut Step)) {
        for steps in [&mut self.setup, &mut self.steps, &mut self.teardown] {
            change_steps(steps, change);
        }
    }
}

fn change_steps(steps: &mut [Step], change: &mut dyn FnMut(&mut Step)) {
    for step in steps {
        change(step);
        for part in step.parts_mut() {
            change_steps(part, change);
        }
    }
}

impl Call {
    /// Lets `change` change the names of the files that it sends.
    pub(super) fn change_files(&mut self, change: &mut dyn FnMut(&mut String)) {
        let CallKind::Http(request) = &mut self.what;
        match &mut Arc::make_mut(request).body {
            Body::File(file) => change(file),
            Body::Multipart(parts) => {
                for part in parts {
                    if let PartContent::File(file) = &mut part.content {
                        change(file);
                    }
                }
            }
            Body::Empty | Body::Text(_) | Body::Json(_) | Body::Form(_) => {}
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
