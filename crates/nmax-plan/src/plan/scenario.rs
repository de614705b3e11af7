//! What users do: scenarios, steps and calls.

use std::sync::Arc;
use std::time::Duration;

use super::flow::{Branch, If, Loop, Transaction};
use super::page::Page;
use super::reply::{Expect, Extract, Measure};
use crate::template::Template;

/// A named behaviour.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name in the document.
    pub name: String,
    /// Share in the mix, relative to the other scenarios'; 0 = never.
    pub weight: f64,
    /// Least time between two starts of the same VU (closed workloads).
    pub pacing: Option<Duration>,
    /// Where its users are, in place of the mix of locations: index into [`super::Plan::locations`].
    pub location: Option<usize>,
    /// Done once by each VU before its first iteration of the scenario.
    pub setup: Vec<Step>,
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Done once at the end of the run by each VU that began the setup, also when that failed.
    pub teardown: Vec<Step>,
    /// Names of the values that steps define; [`crate::template::Part::Slot`] indexes them.
    pub slots: Vec<String>,
    /// The first of them are of the setup: they stay from iteration to iteration.
    pub slots_kept: usize,
}

impl Scenario {
    /// A scenario of these steps and nothing else.
    pub fn with_steps(name: impl Into<String>, steps: Vec<Step>) -> Self {
        Self {
            name: name.into(),
            weight: 1.0,
            pacing: None,
            location: None,
            setup: Vec::new(),
            steps,
            teardown: Vec::new(),
            slots: Vec::new(),
            slots_kept: 0,
        }
    }
}

impl Scenario {
    /// Every step, those within others included, in the order of the document: setup, steps, teardown.
    pub fn all_steps(&self) -> impl Iterator<Item = &Step> {
        Steps::chained([&self.teardown, &self.steps, &self.setup])
    }

    /// Whether all that it does is declared. Of one that is not, [`Self::calls`] and templates tell a part.
    pub fn is_declared(&self) -> bool {
        self.all_steps().all(|step| *step != Step::Script)
    }

    /// Every call, those within other steps included.
    pub fn calls(&self) -> impl Iterator<Item = &Arc<Call>> {
        self.all_steps().filter_map(|step| match step {
            Step::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Lets `change` change every call.
    pub fn change_calls(&mut self, change: &mut dyn FnMut(&mut Call)) {
        for steps in [&mut self.setup, &mut self.steps, &mut self.teardown] {
            change_calls(steps, change);
        }
    }
}

/// Every step of a list and those within them, in order.
pub fn all_steps(steps: &[Step]) -> impl Iterator<Item = &Step> {
    Steps::chained([steps])
}

fn change_calls(steps: &mut [Step], change: &mut dyn FnMut(&mut Call)) {
    for step in steps {
        match step {
            Step::Call(call) => change(Arc::make_mut(call)),
            other => other.parts_mut().into_iter().for_each(|steps| change_calls(steps, change)),
        }
    }
}

/// Walks nested steps in order.
struct Steps<'a> {
    /// What is left, the next one last.
    rest: Vec<std::slice::Iter<'a, Step>>,
}

impl<'a> Steps<'a> {
    fn chained<const N: usize>(lists: [&'a [Step]; N]) -> Self {
        Self { rest: lists.map(<[Step]>::iter).into() }
    }
}

impl<'a> Iterator for Steps<'a> {
    type Item = &'a Step;

    fn next(&mut self) -> Option<&'a Step> {
        loop {
            let Some(step) = self.rest.last_mut()?.next() else {
                self.rest.pop();
                continue;
            };
            self.rest.extend(step.parts().into_iter().rev().map(<[Step]>::iter));
            return Some(step);
        }
    }
}

/// An element of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Asks a server for something and reads the reply.
    Call(Arc<Call>),
    /// A user's pause.
    Think(ThinkTime),
    /// Sets values: slots and what they become, one after the other.
    Set(Vec<(usize, Template)>),
    /// Steps measured together.
    Transaction(Transaction),
    /// Steps on a condition.
    If(If),
    /// Steps that are repeated.
    Loop(Loop),
    /// One of several lists of steps, by chance.
    Choose(Vec<Branch>),
    /// Ends the iteration: it went as planned, or it failed for this reason.
    End(Option<Template>),
    /// What a script does that a run is given beside its plan: unknown before it does it.
    Script,
}

impl Step {
    /// The lists of steps within it.
    pub fn parts(&self) -> Vec<&[Step]> {
        match self {
            Self::Call(_) | Self::Think(_) | Self::Set(_) | Self::End(_) | Self::Script => Vec::new(),
            Self::Transaction(transaction) => vec![&transaction.steps],
            Self::If(step) => vec![&step.then, &step.otherwise],
            Self::Loop(step) => vec![&step.steps],
            Self::Choose(branches) => branches.iter().map(|branch| branch.steps.as_slice()).collect(),
        }
    }

    /// The lists of steps within it.
    pub fn parts_mut(&mut self) -> Vec<&mut Vec<Step>> {
        match self {
            Self::Call(_) | Self::Think(_) | Self::Set(_) | Self::End(_) | Self::Script => Vec::new(),
            Self::Transaction(transaction) => vec![&mut transaction.steps],
            Self::If(step) => vec![&mut step.then, &mut step.otherwise],
            Self::Loop(step) => vec![&mut step.steps],
            Self::Choose(branches) => branches.iter_mut().map(|branch| &mut branch.steps).collect(),
        }
    }
}

/// A user's pause between two steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThinkTime {
    /// Always the same.
    Fixed(Duration),
    /// Equally likely between the two.
    Uniform {
        /// Shortest.
        min: Duration,
        /// Longest.
        max: Duration,
    },
    /// Lognormal with this median and 95th percentile.
    Lognormal {
        /// Half of the pauses are shorter.
        median: Duration,
        /// One in twenty is longer.
        p95: Duration,
    },
}

/// A step that asks a server for something, over whatever protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Name under which it is measured; defaults to method and path template.
    pub name: Template,
    /// What makes the reply *ok*.
    pub expect: Expect,
    /// Values taken from the reply.
    pub extract: Vec<Extract>,
    /// Numbers taken from the reply for metrics of the user's own, by name and by each of the call's tags.
    pub metrics: Vec<Measure>,
    /// Overrides the default.
    pub timeout: Option<Duration>,
    /// Labels by which thresholds and results gather calls.
    pub tags: Vec<String>,
    /// What is called.
    pub what: CallKind,
}

/// What a step calls.
#[derive(Clone, Debug, PartialEq)]
pub enum CallKind {
    /// An HTTP request.
    Http(Arc<HttpCall>),
}

/// An HTTP request.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpCall {
    /// Method token.
    pub method: Method,
    /// Path, or absolute URL, without the query of `query`.
    pub url: Template,
    /// Query parameters, encoded when sent.
    pub query: Vec<(Template, Template)>,
    /// Headers, in order, after the defaults (same name replaces).
    pub headers: Vec<(String, Template)>,
    /// Body.
    pub body: Body,
    /// Most redirects that are followed; overrides the default.
    pub redirects_max: Option<u32>,
    /// Sends the head with `expect: 100-continue`, and the body once the server asks for it or a second has passed.
    pub expect_continue: bool,
    /// Makes it a page, with what a browser fetches along with it.
    pub page: Option<Page>,
}

impl HttpCall {
    /// A GET that says nothing of its own.
    pub fn get(url: Template) -> Self {
        Self {
            method: Method::Get,
            url,
            query: Vec::new(),
            headers: Vec::new(),
            body: Body::Empty,
            redirects_max: None,
            expect_continue: false,
            page: None,
        }
    }
}

nmax_text::named! {
    /// Request method.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Method {
        /// GET
        Get = "GET",
        /// HEAD
        Head = "HEAD",
        /// POST
        Post = "POST",
        /// PUT
        Put = "PUT",
        /// PATCH
        Patch = "PATCH",
        /// DELETE
        Delete = "DELETE",
        /// OPTIONS
        Options = "OPTIONS",
    }
    /// The token on the wire.
    token
}

impl Method {
    /// Safe to send twice (RFC 9110, 9.2.2).
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Self::Post | Self::Patch)
    }
}

/// Request body.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// None.
    Empty,
    /// Sent as it is.
    Text(Template),
    /// A JSON text; `${...}` inside its strings is escaped for JSON when rendered.
    Json(Template),
    /// `application/x-www-form-urlencoded`; names and values are encoded when rendered.
    Form(Vec<(Template, Template)>),
    /// `multipart/form-data` (RFC 7578).
    Multipart(Vec<FormPart>),
    /// A file's bytes, read while they are sent.
    File(String),
}

/// A part of a `multipart/form-data` body.
#[derive(Clone, Debug, PartialEq)]
pub struct FormPart {
    /// Name of the field.
    pub name: Template,
    /// Its content.
    pub content: PartContent,
    /// Name of the file as told to the server.
    pub file_name: Option<Template>,
    /// Its type; `None` says nothing, or `application/octet-stream` for a file.
    pub content_type: Option<String>,
}

/// What a part holds.
#[derive(Clone, Debug, PartialEq)]
pub enum PartContent {
    /// A text.
    Text(Template),
    /// A file's bytes, read while they are sent.
    File(String),
}
