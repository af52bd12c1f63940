//! The bill of materials and the licences, as packages carry them.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use super::passes;

fn parts(what: &str) -> Command {
    let mut command = Command::new("node");
    let folder = env!("CARGO_MANIFEST_DIR");
    command
        .args(["scripts/parts.mjs", what])
        .current_dir(folder);
    command
}

#[test]
fn every_part_has_a_licence_that_is_allowed() {
    passes(&mut parts("check"));
}

#[test]
fn the_bill_of_materials_names_every_part_once_and_how_they_hang_together() {
    let output = parts("bom").output().unwrap();
    let bom: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&bom["bomFormat"], &bom["specVersion"]),
        (&"CycloneDX".into(), &"1.5".into())
    );
    let components = bom["components"].as_array().unwrap();
    let own = bom["metadata"]["component"]["bom-ref"].as_str().unwrap();
    let mut known = BTreeSet::from([own]);
    for component in components {
        let purl = component["purl"].as_str().unwrap();
        assert_eq!(component["bom-ref"], purl);
        assert!(component["licenses"][0]["expression"].is_string(), "{purl}");
        assert!(known.insert(purl), "{purl} twice");
    }
    for name in [
        "tokio",
        "rusqlite",
        "sqlite",
        "react-dom",
        "scheduler",
        "%40fontsource-variable/geist",
    ] {
        let is_there = |purl: &&str| purl.contains(&format!("/{name}@"));
        assert!(known.iter().any(is_there), "{name}");
    }
    // Tools of the tests do not ship.
    assert!(!known.iter().any(|purl| purl.contains("/proptest@")));
    for each in bom["dependencies"].as_array().unwrap() {
        let uses = each["dependsOn"].as_array().unwrap();
        let mut all = uses.iter().chain([&each["ref"]]);
        assert!(
            all.all(|purl| known.contains(purl.as_str().unwrap())),
            "{each}"
        );
    }
}

#[test]
fn the_full_texts_are_printed_once_each_with_whose_they_are() {
    let output = parts("texts").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("SIL OPEN FONT LICENSE") || text.contains("SIL Open Font License"));
    assert!(text.contains("Meta Platforms"), "React's");
}
