//! A path applied to a value. Depth is that of the path, which has at most [`super::PARTS_MAX`] parts.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::ControlFlow::{self, Break, Continue};

use super::{Comparison, Number, Operand, Query, Segment, Selector, Test};
use crate::budget::Budget;
use crate::json::{Kind, Value};

/// Takes a value; whether to stop.
type OnMatch<'f, 'j> = dyn FnMut(Value<'j>) -> bool + 'f;

/// What an operand gives.
enum Given<'v> {
    Nothing,
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'v, str>),
    /// An array or object.
    Node(Value<'v>),
}

pub(super) struct Work<'j, 'b> {
    pub(super) root: Value<'j>,
    pub(super) budget: &'b Budget<'b>,
}

impl<'j> Work<'j, '_> {
    /// Hands out what segments select from a value.
    pub(super) fn walk(&self, segments: &[Segment], value: Value<'j>, found: &mut OnMatch<'_, 'j>) -> ControlFlow<()> {
        if !self.budget.step(1) {
            return Break(());
        }
        let Some((segment, rest)) = segments.split_first() else {
            return if found(value) { Break(()) } else { Continue(()) };
        };
        if !segment.descends {
            return segment.selectors.iter().try_for_each(|selector| self.select(selector, value, rest, found));
        }
        value.descendants().try_for_each(|inner| {
            if !self.budget.step(1) {
                return Break(());
            }
            segment.selectors.iter().try_for_each(|selector| self.select(selector, inner, rest, found))
        })
    }

    fn select(
        &self,
        selector: &Selector,
        value: Value<'j>,
        rest: &[Segment],
        found: &mut OnMatch<'_, 'j>,
    ) -> ControlFlow<()> {
        match selector {
            Selector::Name(name) => {
                self.member(value, name).map_or(Continue(()), |member| self.walk(rest, member, found))
            }
            Selector::Wild => children(value).try_for_each(|child| self.walk(rest, child, found)),
            Selector::Filter(test) => children(value).try_for_each(|child| {
                if self.holds(test, child) { self.walk(rest, child, found) } else { self.going() }
            }),
            Selector::Index(index) => {
                let index = if *index < 0 { self.count(value) + index } else { *index };
                let item = usize::try_from(index).ok().and_then(|index| self.items(value).nth(index));
                item.map_or(Continue(()), |item| self.walk(rest, item, found))
            }
            Selector::Slice { start, end, step } => self.slice(value, (*start, *end, *step), rest, found),
        }
    }

    fn going(&self) -> ControlFlow<()> {
        if self.budget.step(1) { Continue(()) } else { Break(()) }
    }

    /// The last member of that name.
    fn member<'v>(&self, value: Value<'v>, name: &str) -> Option<Value<'v>> {
        let named = value.members().take_while(|_| self.budget.step(1)).filter(|(found, _)| found == name);
        named.last().map(|(_, value)| value)
    }

    fn items(&self, value: Value<'j>) -> impl Iterator<Item = Value<'j>> {
        value.items().take_while(|_| self.budget.step(1))
    }

    /// How many children there are.
    fn size(&self, value: Value<'_>) -> usize {
        children(value).take_while(|_| self.budget.step(1)).count()
    }

    fn count(&self, value: Value<'j>) -> i64 {
        self.items(value).count() as i64
    }

    /// RFC 9535, 2.3.4.2.2.
    fn slice(
        &self,
        value: Value<'j>,
        (start, end, step): (Option<i64>, Option<i64>, i64),
        rest: &[Segment],
        found: &mut OnMatch<'_, 'j>,
    ) -> ControlFlow<()> {
        let length = self.count(value);
        let normal = |index: i64| if index < 0 { length + index } else { index };
        if step > 0 {
            let low = normal(start.unwrap_or(0)).clamp(0, length);
            let high = normal(end.unwrap_or(length)).clamp(0, length);
            let step = usize::try_from(step).unwrap_or(usize::MAX);
            let mut items = self.items(value).take(high as usize).skip(low as usize).step_by(step);
            return items.try_for_each(|item| self.walk(rest, item, found));
        }
        if step == 0 {
            return Continue(());
        }
        let high = start.map_or(length - 1, |start| normal(start).clamp(-1, length - 1));
        let low = end.map_or(-1, |end| normal(end).clamp(-1, length - 1));
        // Backwards: the items are listed for it, four bytes each.
        let items: Vec<Value<'j>> = if self.budget.hold(length as usize * size_of::<Value<'j>>()) {
            self.items(value).collect()
        } else {
            return Break(());
        };
        let mut flow = Continue(());
        let mut index = high;
        while index > low && flow.is_continue() {
            flow = items.get(index as usize).map_or(Break(()), |item| self.walk(rest, *item, found));
            index = index.saturating_add(step);
        }
        self.budget.release(length as usize * size_of::<Value<'j>>());
        flow
    }

    /// Whether a test holds for a child.
    fn holds(&self, test: &Test, child: Value<'j>) -> bool {
        self.budget.step(1)
            && match test {
                Test::Any(tests) => tests.iter().any(|test| self.holds(test, child)),
                Test::All(tests) => tests.iter().all(|test| self.holds(test, child)),
                Test::Not(test) => !self.holds(test, child),
                Test::Exists(query) => self.first(query, child).is_some(),
                Test::Compare(left, comparison, right) => {
                    let (left, right) = (self.given(left, child), self.given(right, child));
                    self.compares(&left, *comparison, &right)
                }
            }
    }

    fn first(&self, query: &Query, child: Value<'j>) -> Option<Value<'j>> {
        let mut first = None;
        self.each(query, child, &mut |value| {
            first = Some(value);
            true
        });
        first
    }

    fn each(&self, query: &Query, child: Value<'j>, found: &mut OnMatch<'_, 'j>) {
        let start = if query.is_absolute { self.root } else { child };
        let _ = self.walk(&query.segments, start, found);
    }

    fn given<'v>(&'v self, operand: &'v Operand, child: Value<'j>) -> Given<'v> {
        match operand {
            Operand::Null => Given::Null,
            Operand::Bool(value) => Given::Bool(*value),
            Operand::Number(value) => Given::Number(*value),
            Operand::Text(text) => Given::Text(Cow::Borrowed(text)),
            Operand::Query(query) => self.first(query, child).map_or(Given::Nothing, given),
            Operand::Length(operand) => match self.given(operand, child) {
                Given::Text(text) => Given::Number(Number::Whole(text.chars().count() as i128)),
                Given::Node(node) => Given::Number(Number::Whole(self.size(node) as i128)),
                _ => Given::Nothing,
            },
            Operand::Count(query) => {
                let mut count = 0;
                self.each(query, child, &mut |_| {
                    count += 1;
                    false
                });
                Given::Number(Number::Whole(count))
            }
            Operand::ValueOf(query) => {
                let (mut only, mut count) = (None, 0);
                self.each(query, child, &mut |value| {
                    only = Some(value);
                    count += 1;
                    count > 1
                });
                only.filter(|_| count == 1).map_or(Given::Nothing, given)
            }
        }
    }

    /// RFC 9535, 2.3.5.2.2.
    fn compares(&self, left: &Given<'_>, comparison: Comparison, right: &Given<'_>) -> bool {
        match comparison {
            Comparison::Equal => self.equals(left, right),
            Comparison::Unequal => !self.equals(left, right),
            Comparison::Less => order(left, right) == Some(Ordering::Less),
            Comparison::Greater => order(left, right) == Some(Ordering::Greater),
            Comparison::LessOrEqual => order(left, right) == Some(Ordering::Less) || self.equals(left, right),
            Comparison::GreaterOrEqual => order(left, right) == Some(Ordering::Greater) || self.equals(left, right),
        }
    }

    fn equals(&self, left: &Given<'_>, right: &Given<'_>) -> bool {
        match (left, right) {
            (Given::Nothing, Given::Nothing) | (Given::Null, Given::Null) => true,
            (Given::Bool(left), Given::Bool(right)) => left == right,
            (Given::Number(left), Given::Number(right)) => left == right,
            (Given::Text(left), Given::Text(right)) => left == right,
            (Given::Node(left), Given::Node(right)) => self.equal_nodes(*left, *right),
            _ => false,
        }
    }

    /// Arrays and objects, at most [`crate::json::DEPTH_MAX`] deep.
    fn equal_nodes(&self, left: Value<'_>, right: Value<'_>) -> bool {
        if left.kind() != right.kind() || self.size(left) != self.size(right) {
            return false;
        }
        let equal = |left: Value<'_>, right: Value<'_>| self.equals(&given(left), &given(right));
        match left.kind() {
            Kind::Array => left.items().zip(right.items()).all(|(left, right)| equal(left, right)),
            _ => left.members().all(|(name, left)| self.member(right, &name).is_some_and(|right| equal(left, right))),
        }
    }
}

/// Items of an array, values of an object.
fn children(value: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    value.items().chain(value.members().map(|(_, value)| value))
}

fn given(value: Value<'_>) -> Given<'_> {
    match value.kind() {
        Kind::String => value.string().map_or(Given::Nothing, Given::Text),
        Kind::Number => Number::read(value.raw()).map_or(Given::Nothing, Given::Number),
        Kind::Word => match value.raw() {
            "null" => Given::Null,
            word => Given::Bool(word == "true"),
        },
        Kind::Array | Kind::Object => Given::Node(value),
    }
}

fn order(left: &Given<'_>, right: &Given<'_>) -> Option<Ordering> {
    match (left, right) {
        (Given::Number(left), Given::Number(right)) => left.partial_cmp(right),
        (Given::Text(left), Given::Text(right)) => Some(left.cmp(right)),
        _ => None,
    }
}
