//! Walks that change every template of a scenario, in the order of those that only look.

use std::sync::Arc;

use super::{Body, Call, Condition, LoopEnd, PartContent, Scenario, Step, Test, What};
use crate::template::Template;

impl Scenario {
    /// Lets `change` change every step, those within other steps included, in the order of the document.
    pub fn change_steps(&mut self, change: &mut dyn FnMut(&mut Step)) {
        for steps in [&mut self.setup, &mut self.steps, &mut self.teardown] {
            change_steps(steps, change);
        }
    }

    /// Lets `change` change every template of every step.
    pub fn change_templates(&mut self, change: &mut dyn FnMut(&mut Template)) {
        self.change_steps(&mut |step| step.change_templates(change));
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

impl Step {
    /// Lets `change` change the templates of the step itself, not of those within it.
    fn change_templates(&mut self, change: &mut dyn FnMut(&mut Template)) {
        match self {
            Self::Call(call) => Arc::make_mut(call).change_templates(change),
            Self::Set(values) => values.iter_mut().for_each(|(_, value)| change(value)),
            Self::If(step) => step.condition.change_templates(change),
            Self::Loop(step) => match &mut step.until {
                LoopEnd::Times(times) => change(times),
                LoopEnd::While { condition, .. } => condition.change_templates(change),
            },
            Self::End(reason) => reason.iter_mut().for_each(change),
            Self::Think(_) | Self::Transaction(_) | Self::Choose(_) | Self::Script => {}
        }
    }
}

impl Condition {
    fn change_templates(&mut self, change: &mut dyn FnMut(&mut Template)) {
        match self {
            Self::Compare { left, right, .. } => {
                change(left);
                change(right);
            }
            Self::All(inner) | Self::Any(inner) => inner.iter_mut().for_each(|inner| inner.change_templates(change)),
            Self::Not(inner) => inner.change_templates(change),
        }
    }
}

impl Call {
    fn change_templates(&mut self, change: &mut dyn FnMut(&mut Template)) {
        change(&mut self.name);
        let What::Http(request) = &mut self.what;
        let request = Arc::make_mut(request);
        change(&mut request.url);
        change_pairs(&mut request.query, change);
        request.headers.iter_mut().for_each(|(_, value)| change(value));
        match &mut request.body {
            Body::Empty | Body::File(_) => {}
            Body::Text(body) | Body::Json(body) => change(body),
            Body::Form(fields) => change_pairs(fields, change),
            Body::Multipart(parts) => {
                for part in parts {
                    change(&mut part.name);
                    if let PartContent::Text(content) = &mut part.content {
                        change(content);
                    }
                    part.file_name.iter_mut().for_each(&mut *change);
                }
            }
        }
        for check in &mut self.expect.checks {
            match &mut check.test {
                Test::BodyContains(text) | Test::BodyLacks(text) | Test::HeaderContains(_, text) => change(text),
                Test::Finds(_) => {}
            }
        }
        request.page.iter_mut().flat_map(|page| &mut page.listed).for_each(change);
    }

    /// Lets `change` change the names of the files that it sends.
    pub(super) fn change_files(&mut self, change: &mut dyn FnMut(&mut String)) {
        let What::Http(request) = &mut self.what;
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

fn change_pairs(pairs: &mut [(Template, Template)], change: &mut dyn FnMut(&mut Template)) {
    for (name, value) in pairs {
        change(name);
        change(value);
    }
}
