//! The bill of materials: CycloneDX 1.5, JSON.

use serde_json::{Value, json};

use super::facts::Facts;
use super::linked::Crate;
use super::{PROGRAMS, pack};

/// The document as text.
pub(super) fn bill(crates: &[Crate], facts: &Facts) -> String {
    let main = crates.iter().find(|one| one.is_own && one.name == PROGRAMS[0]);
    let is_main = |one: &&Crate| one.is_own && one.name == PROGRAMS[0];
    let mut components: Vec<Value> = crates.iter().filter(|one| !is_main(one)).map(component).collect();
    components.extend([
        linked_in("rust-std", &facts.rustc, "MIT OR Apache-2.0"),
        linked_in("glibc", &facts.libc, "LGPL-2.1-or-later"),
    ]);
    let dependencies: Vec<Value> = crates
        .iter()
        .map(|one| {
            let uses: Vec<String> = one.uses.iter().map(|(name, version)| reference(name, version)).collect();
            json!({ "ref": reference(&one.name, &one.version), "dependsOn": uses })
        })
        .collect();
    let mut metadata = json!({
        "timestamp": facts.stamp(),
        "properties": [{ "name": "nmax:target", "value": facts.target }],
    });
    if let Some(main) = main {
        let mut component = component(main);
        component["type"] = "application".into();
        metadata["component"] = component;
    }
    let mut bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": metadata,
        "components": components,
        "dependencies": dependencies,
    });
    // The number follows from what it numbers, so that equal bills are equal.
    bill["serialNumber"] = serial(&bill.to_string()).into();
    format!("{bill:#}\n")
}

fn component(one: &Crate) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": reference(&one.name, &one.version),
        "name": one.name,
        "version": one.version,
    });
    if let Some(license) = &one.license {
        component["licenses"] = json!([{ "expression": license }]);
    }
    if let Some(checksum) = &one.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    // A crate of this workspace is in no registry; one of that name there would be another.
    if !one.is_own {
        component["purl"] = purl(&one.name, &one.version).into();
    }
    if let Some(repository) = one.repository.as_ref().filter(|address| address.starts_with("http")) {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    component
}

/// A part that is no crate.
fn linked_in(name: &str, version: &str, license: &str) -> Value {
    json!({
        "type": "library",
        "bom-ref": format!("{name}@{version}"),
        "name": name,
        "version": version,
        "licenses": [{ "expression": license }],
        "purl": format!("pkg:generic/{name}@{version}"),
    })
}

fn reference(name: &str, version: &str) -> String {
    format!("{name}@{version}")
}

fn purl(name: &str, version: &str) -> String {
    // A version may have build metadata.
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

/// A UUID of version 8 (RFC 9562): made of a sum of the text.
fn serial(text: &str) -> String {
    let sum = pack::sha256(text.as_bytes());
    format!("urn:uuid:{}-{}-8{}-8{}-{}", &sum[..8], &sum[8..12], &sum[13..16], &sum[17..20], &sum[20..32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_is_a_component_with_what_is_known() {
        let one = |name: &str, is_own: bool| Crate {
            name: name.to_owned(),
            version: "1.0.0+x".to_owned(),
            license: Some("MIT".to_owned()),
            checksum: (!is_own).then(|| "ab".repeat(32)),
            is_own,
            ..Crate::default()
        };
        let mut main = one("nmax", true);
        main.uses = vec![("a".to_owned(), "1.0.0+x".to_owned())];
        let facts = Facts {
            version: "0.1.0".to_owned(),
            target: "x86_64-unknown-linux-gnu".to_owned(),
            arch: "x86_64".to_owned(),
            profile: "dist".to_owned(),
            epoch: 0,
            rustc: "1.90.0".to_owned(),
            libc: "2.36".to_owned(),
        };
        let text = bill(&[one("a", false), main.clone()], &facts);
        assert_eq!(text, bill(&[one("a", false), main], &facts), "the same each time");
        let bill: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((bill["bomFormat"].as_str(), bill["specVersion"].as_str()), (Some("CycloneDX"), Some("1.5")));
        assert_eq!(bill["metadata"]["component"]["type"], "application");
        assert_eq!(bill["metadata"]["component"]["purl"], Value::Null, "it is in no registry");
        let a = &bill["components"][0];
        assert_eq!(a["purl"], "pkg:cargo/a@1.0.0%2Bx");
        assert_eq!(a["hashes"][0]["content"].as_str().map(str::len), Some(64));
        assert_eq!(a["licenses"][0]["expression"], "MIT");
        assert_eq!(bill["components"].as_array().map(Vec::len), Some(3), "a, the standard library, the C library");
        assert_eq!(bill["dependencies"][1], json!({ "ref": "nmax@1.0.0+x", "dependsOn": ["a@1.0.0+x"] }));
        let serial = bill["serialNumber"].as_str().unwrap();
        assert_eq!((serial.len(), &serial[23..24], &serial[28..29]), (45, "8", "8"), "{serial}");
    }
}
