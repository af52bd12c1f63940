//! Every link within the site leads to something that is in the release, and to
//! an id that stands there.

use std::collections::{HashMap, HashSet};

use percent_encoding::percent_decode_str;

use super::super::release::{Edition, File};
use super::markup::values;

type Ids = HashSet<String>;

pub fn faults(edition: &Edition) -> Vec<String> {
    let ids: HashMap<&str, Ids> = edition
        .served()
        .map(|file| (file.path.as_str(), ids(file)))
        .collect();
    let pages = edition.files.iter().filter(|file| file.is_html());
    pages.flat_map(|page| faults_of(page, &ids)).collect()
}

fn ids(file: &File) -> Ids {
    match file.is_html() {
        true => values(&file.text(), "id").map(str::to_owned).collect(),
        false => Ids::new(),
    }
}

fn faults_of(page: &File, ids_at: &HashMap<&str, Ids>) -> Vec<String> {
    let (html, path) = (page.text(), &page.path);
    let own = ids(page);
    let mut faults = Vec::new();
    for target in targets(&html) {
        let (place, id) = target.split_once('#').unwrap_or((target, ""));
        let place = place.split('?').next().unwrap_or(place);
        let found = match place {
            "" => Some(&own),
            place => ids_at.get(place),
        };
        let id = percent_decode_str(id).decode_utf8_lossy();
        let fault = match found {
            None => format!("{path}: the link {target} leads to nothing that is in the release"),
            Some(ids) if !id.is_empty() && !ids.contains(&*id) => {
                format!("{path}: the link {target} leads to a page without that id")
            }
            Some(_) => continue,
        };
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults
}

/// What a visitor or a browser follows; the forms' API is no page.
fn targets(html: &str) -> impl Iterator<Item = &str> {
    let attributes = ["href", "src", "action", "data-entry"];
    let all = attributes
        .into_iter()
        .flat_map(move |name| values(html, name));
    all.filter(|target| target.starts_with(['/', '#']) && !target.starts_with("/api/"))
}
