use super::*;

fn page(template: &str) -> RequestType {
    RequestType { method: "GET".into(), template: template.into(), ..RequestType::default() }
}

/// Two clusters of buyers among others: both are named after what tells them from the rest, each by a name of its own.
#[test]
fn scenarios_are_named_after_what_tells_them_apart() {
    let types: Vec<RequestType> = ["/", "/item/{id}", "/signup", "/order/{id}"].map(page).into();
    let (visit, buy, return_home) = (vec![0, 1], vec![0, 1, 2, 3], vec![0]);
    let mut kinds = vec![visit; 60];
    kinds.extend(vec![return_home; 20]);
    kinds.extend(vec![buy; 20]);
    let assigned: Vec<usize> = (0..100)
        .map(|session| match session {
            0..60 => 0,
            60..80 => 1,
            80..90 => 2,
            _ => 3,
        })
        .collect();
    let shares = Shares::new(&kinds, &assigned, types.len());
    let mut names: Vec<String> = Vec::new();
    for cluster in 0..4 {
        let name = unused(&names, name(cluster, &shares, &types, &names), '-');
        names.push(name);
    }
    assert_eq!(names, ["item", "home", "signup", "order"]);
}
