//! Tags by regular expression, of requests and of what pages bring along.

use nmax_plan::plan::Plan;
use nmax_plan::tags::{self, TagRule};
use regex::Regex;

/// The compiled expressions of a plan.
#[derive(Clone, Debug, Default)]
pub struct Tagger {
    rules: Vec<TagRule>,
    expressions: Vec<Regex>,
}

impl Tagger {
    /// Compiles the rules of a plan; the error says what is wrong with one, for a person.
    pub fn new(rules: &[TagRule]) -> Result<Self, String> {
        let compiled = rules.iter().map(|rule| Regex::new(&rule.pattern));
        Ok(Self {
            rules: rules.to_vec(),
            expressions: compiled.collect::<Result<_, _>>().map_err(|error| error.to_string())?,
        })
    }

    /// Gives every request of the plan its tags.
    pub fn tag(&self, plan: &mut Plan) {
        tags::tag_requests(plan, &|rule, text| self.is_match(rule, text));
    }

    /// The name of a resource of a page with its tags; as it was, in a plan without rules.
    pub fn name_of_resource(&self, name: &str, url: &str) -> String {
        tags::resource_name(&self.rules, name, url, &|rule, text| self.is_match(rule, text))
    }

    fn is_match(&self, rule: &TagRule, text: &str) -> bool {
        let known = self.rules.iter().position(|known| known == rule);
        known.is_some_and(|index| self.expressions[index].is_match(text))
    }
}

/// Gives requests the tags that they have by expression, which were checked when the plan was read.
pub fn tag(plan: &mut Plan) {
    if let Ok(tagger) = Tagger::new(&plan.tags) {
        tagger.tag(plan);
    }
}

#[cfg(test)]
mod tests;
