use super::*;

/// Sessions of a population each: `laws` gives the chances of each type.
fn sessions(laws: &[&[f64]], count: usize, seed: u64) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut random = Stream::new(seed);
    let mut truth = Vec::new();
    let all = (0..count).map(|n| {
        // Of six sessions three are of the first population, two of the second, one of the third.
        let population = [0, 1, 0, 2, 0, 1][n % 6].min(laws.len() - 1);
        truth.push(population);
        let length = 4 + random.below(12) as usize;
        (0..length)
            .map(|_| {
                let mut rest = random.unit();
                let chosen = laws[population].iter().position(|chance| {
                    rest -= chance;
                    rest < 0.0
                });
                chosen.unwrap_or(0)
            })
            .collect()
    });
    let all = all.collect();
    (all, truth)
}

fn clusters(sessions: &[Vec<usize>], seed: u64) -> Vec<usize> {
    let ranks: Vec<usize> = (0..10).collect();
    assign(sessions.iter().map(Vec::as_slice), &ranks, seed)
}

/// Law: populations that do different things come back as clusters, largest first.
#[test]
fn known_populations_come_back() {
    let laws: [&[f64]; 3] = [&[0.5, 0.5, 0.0, 0.0, 0.0], &[0.1, 0.0, 0.6, 0.3, 0.0], &[0.0, 0.1, 0.0, 0.1, 0.8]];
    for seed in 0..5 {
        let (all, truth) = sessions(&laws, 3_000, seed);
        let found = clusters(&all, seed);
        let wrong = found.iter().zip(&truth).filter(|(found, truth)| found != truth).count();
        assert!(wrong <= 30, "{wrong} of 3000 wrong, seed {seed}");
    }
}

#[test]
fn one_population_is_one_scenario() {
    let laws: [&[f64]; 1] = [&[0.3, 0.25, 0.2, 0.15, 0.1]];
    let (all, _) = sessions(&laws, 2_000, 1);
    assert!(clusters(&all, 1).iter().all(|cluster| *cluster == 0));
}

#[test]
fn few_and_equal_sessions_are_one_scenario() {
    assert_eq!(clusters(&[], 1), [0; 0]);
    assert_eq!(clusters(&[vec![1, 2]], 1), [0]);
    assert_eq!(clusters(&vec![vec![1, 2]; 50], 1), [0; 50]);
}
