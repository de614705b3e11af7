//! Which requests of a run and of a log are the same: by name, or by method and path.

use nmax_plan::plan::{Call, Plan, Step};
use nmax_plan::template::{Part, Template};
use nmax_text::url::split;

/// What a request of a run asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// Its name in the run.
    pub(crate) name: String,
    /// Method.
    pub(crate) method: String,
    /// Path, without a query; a segment with a hole in it has a `{`.
    pub(crate) path: String,
}

/// What the requests of these names ask for: as the plan says, or as a name like `GET /item/{id}` does.
pub(crate) fn known<'a>(plan: &Plan, names: impl Iterator<Item = &'a String>) -> Vec<Known> {
    let mut requests = Vec::new();
    for scenario in plan.all_scenarios() {
        collect(&scenario.steps, &mut requests);
    }
    let of_plan = |name: &String| {
        let request = requests.iter().find(|request| request.name.as_constant() == Some(name))?;
        let (method, url) = request.method_and_url();
        Some(Known { name: name.clone(), method: method.to_owned(), path: split(&with_holes(url)).path.to_owned() })
    };
    let of_name = |name: &String| {
        let (method, rest) = name.split_once(' ')?;
        let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
        (is_method && rest.starts_with('/')).then(|| Known {
            name: name.clone(),
            method: method.to_owned(),
            path: split(rest).path.to_owned(),
        })
    };
    names.filter_map(|name| of_plan(name).or_else(|| of_name(name))).collect()
}

fn collect<'a>(steps: &'a [Step], into: &mut Vec<&'a Call>) {
    for step in steps {
        if let Step::Call(request) = step {
            into.push(request);
        }
        step.parts().into_iter().for_each(|steps| collect(steps, into));
    }
}

/// The text of a template, with `{}` for each hole.
fn with_holes(template: &Template) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        _ => "{}".to_owned(),
    };
    template.parts.iter().map(part).collect()
}

impl Known {
    /// How well this is a request with that method and path template: holes that were needed; `None` when it is another.
    pub(crate) fn distance(&self, method: &str, template: &str) -> Option<usize> {
        if !self.method.eq_ignore_ascii_case(method) {
            return None;
        }
        let template = split(template).path;
        let (own, other): (Vec<&str>, Vec<&str>) = (self.path.split('/').collect(), template.split('/').collect());
        if own.len() != other.len() {
            return None;
        }
        let hole = |segment: &str| segment.contains(['{', '*']);
        let pairs = || own.iter().zip(&other);
        let fits = pairs().all(|(own, other)| own == other || hole(own) || hole(other));
        fits.then(|| pairs().filter(|(own, other)| hole(own) != hole(other)).count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, path: &str) -> Known {
        Known { name: "n".into(), method: method.into(), path: path.into() }
    }

    #[test]
    fn methods_and_templates_are_held_side_by_side() {
        let cases = [
            ("/item/{}", "/item/{id}", Some(0), "holes have no names here"),
            ("/item/{}", "/item/7", Some(1), "a hole takes a segment"),
            ("/item/7", "/item/{id}", Some(1), "on either side"),
            ("/item/7", "/item/7?x=1", Some(0), "queries do not count"),
            ("/item/7", "/item/8", None, "other items are others"),
            ("/item/{}", "/item/7/parts", None, "a hole takes no slash"),
            ("/", "/", Some(0), "the root"),
        ];
        for (own, template, want, why) in cases {
            assert_eq!(request("GET", own).distance("GET", template), want, "{why}: {own} and {template}");
            assert_eq!(request("GET", own).distance("POST", template), None);
        }
    }
}
