#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::convert::Infallible;

use nmax_plan::plan::{Comparison, If, Transaction};
use proptest::prelude::*;

use super::*;

fn request(name: usize) -> Step {
    Step::Call(Arc::new(Call { name: Template::text(name.to_string()), ..Call::get("/") }))
}

fn condition() -> Condition {
    Condition::Compare { left: Template::text("1"), comparison: Comparison::Equal, right: Template::text("1") }
}

fn scenario(steps: Vec<Step>) -> Scenario {
    Scenario::with_steps("s", steps)
}

/// Nested steps whose requests are named by small numbers.
fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let leaf = prop_oneof![
        6 => (0_usize..6).prop_map(request),
        1 => Just(Step::Set(Vec::new())),
        1 => Just(Step::End(None)),
    ];
    let step = leaf.prop_recursive(3, 24, 4, |inner| {
        let steps = prop::collection::vec(inner, 0..4);
        prop_oneof![
            steps.clone().prop_map(|steps| Step::Transaction(Transaction { name: "t".into(), steps })),
            (steps.clone(), steps.clone()).prop_map(|(then, otherwise)| Step::If(If {
                condition: condition(),
                then,
                otherwise,
            })),
            (steps.clone(), any::<bool>()).prop_map(|(steps, counts)| Step::Loop(Loop {
                until: match counts {
                    true => LoopEnd::Times(Template::text("2")),
                    false => LoopEnd::While { condition: condition(), max: 9 },
                },
                counter: None,
                steps,
            })),
            prop::collection::vec(steps, 1..4).prop_map(|ways| {
                Step::Choose(ways.into_iter().map(|steps| Branch { weight: 1.0, steps }).collect())
            }),
        ]
    });
    prop::collection::vec(step, 0..5)
}

/// Answers to whatever has to be decided, one after the other; zero once they run out.
struct Answers<'a>(std::slice::Iter<'a, u8>);

impl Answers<'_> {
    fn below(&mut self, n: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % n
    }
}

/// What nested steps do, straight from their definition; false when the iteration ended.
fn interpret(steps: &[Step], answers: &mut Answers<'_>, done: &mut Vec<String>) -> bool {
    for step in steps {
        let goes_on = match step {
            Step::Call(request) => {
                done.push(request.name.as_constant().unwrap().to_owned());
                true
            }
            Step::End(_) => false,
            Step::Transaction(group) => {
                done.push("begin".into());
                let goes_on = interpret(&group.steps, answers, done);
                if goes_on {
                    done.push("finish".into());
                }
                goes_on
            }
            Step::If(step) => match answers.below(2) {
                1 => interpret(&step.then, answers, done),
                _ => interpret(&step.otherwise, answers, done),
            },
            Step::Loop(step) => {
                let mut goes_on = true;
                while goes_on && answers.below(2) == 1 {
                    goes_on = interpret(&step.steps, answers, done);
                }
                goes_on
            }
            Step::Choose(ways) => interpret(&ways[answers.below(ways.len())].steps, answers, done),
            Step::Think(_) | Step::Set(_) | Step::Script => true,
        };
        if !goes_on {
            return false;
        }
    }
    true
}

fn compiled(scenario: &Scenario) -> Flow<String> {
    let name = |request: &Arc<Call>| request.name.as_constant().unwrap().to_owned();
    let Ok(flow) = compile(scenario, |_, request| Ok::<_, Infallible>(name(request)), |_| 0);
    flow
}

/// What the flat list does with the same answers.
fn run(flow: &Flow<String>, answers: &mut Answers<'_>) -> Vec<String> {
    let (mut at, mut done) = (flow.steps.start, Vec::new());
    while at < flow.steps.end {
        let next = at + 1;
        at = match &flow.actions[at] {
            Action::Jump(target) => *target,
            Action::Unless(_, target) => {
                if answers.below(2) == 1 {
                    next
                } else {
                    *target
                }
            }
            Action::Next(pass) => {
                if answers.below(2) == 1 {
                    next
                } else {
                    pass.end
                }
            }
            Action::Choose(ways) => {
                let n = ways.targets.len();
                ways.at((answers.below(n) as f64 + 0.5) / n as f64).unwrap()
            }
            Action::End(_) => return done,
            other => {
                match other {
                    Action::Call(name) => done.push(name.clone()),
                    Action::Begin(_) => done.push("begin".into()),
                    Action::Finish => done.push("finish".into()),
                    _ => {}
                }
                next
            }
        };
    }
    done
}

/// Names that follow one another.
fn pairs(done: &[String]) -> impl Iterator<Item = (usize, usize)> {
    let pages: Vec<usize> = done.iter().filter_map(|name| name.parse().ok()).collect();
    pages.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>().into_iter()
}

proptest! {
    /// Law: the flat list does what the nested steps say, whatever is decided on the way.
    #[test]
    fn flat_steps_do_what_nested_ones_say(steps in any_steps(), answers in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut expected = Vec::new();
        interpret(&steps, &mut Answers(answers.iter()), &mut expected);
        let flow = compiled(&scenario(steps));
        prop_assert_eq!(run(&flow, &mut Answers(answers.iter())), expected);
    }

    /// Law: pages that followed one another were foreseen.
    #[test]
    fn transitions_that_happen_are_foreseen(steps in any_steps(), answers in prop::collection::vec(any::<u8>(), 0..60)) {
        let flow = compiled(&scenario(steps));
        let foreseen: BTreeSet<_> = flow.transitions(|name| name.parse().ok(), 1_000).into_iter().collect();
        for pair in pairs(&run(&flow, &mut Answers(answers.iter()))) {
            prop_assert!(foreseen.contains(&pair), "{:?} is not in {:?}", pair, foreseen);
        }
    }

    /// Law: plain steps stay where they are, so that their choices do.
    #[test]
    fn plain_steps_keep_their_numbers(names in prop::collection::vec(0_usize..6, 0..9)) {
        let steps: Vec<Step> = names.iter().copied().map(request).collect();
        let flow = compiled(&scenario(steps));
        let found: Vec<usize> = flow.actions.iter().map(|action| match action {
            Action::Call(name) => name.parse().unwrap(),
            other => panic!("{other:?}"),
        }).collect();
        prop_assert_eq!(found, names);
    }
}

/// Every transition that is foreseen happens with some answers, where conditions are free.
#[test]
fn foreseen_transitions_can_happen() {
    let steps = vec![
        request(0),
        Step::Loop(Loop {
            until: LoopEnd::While { condition: condition(), max: 5 },
            counter: None,
            steps: vec![Step::Choose(vec![
                Branch { weight: 1.0, steps: vec![request(1)] },
                Branch { weight: 0.0, steps: vec![request(5)] },
                Branch { weight: 2.0, steps: vec![request(2), Step::End(None)] },
            ])],
        }),
        request(3),
    ];
    let flow = compiled(&scenario(steps));
    let foreseen: BTreeSet<_> = flow.transitions(|name| name.parse().ok(), 1_000).into_iter().collect();
    assert_eq!(foreseen, BTreeSet::from([(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3)]));
    let mut happened = BTreeSet::new();
    for answers in 0..1_u32 << 8 {
        let bits: Vec<u8> = (0..8).map(|bit| (answers >> bit & 1) as u8).collect();
        happened.extend(pairs(&run(&flow, &mut Answers(bits.iter()))));
    }
    assert_eq!(happened, foreseen);
    assert_eq!(flow.transitions(|name| name.parse().ok(), 2).len(), 2, "no more than asked for");
}

#[test]
fn ways_have_their_shares() {
    let ways = WeightedBranches { cumulative: vec![70.0, 95.0, 100.0], targets: vec![1, 2, 3] };
    let at = |share| ways.at(share).unwrap();
    assert_eq!([at(0.0), at(0.699), at(0.7), at(0.949), at(0.95), at(0.999_999)], [1, 1, 2, 2, 3, 3]);
}
