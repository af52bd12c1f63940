//! The same lead twice: by its key, or by its words (a form without JavaScript,
//! whose static page cannot carry a key of its own).

use std::collections::HashMap;

use super::job::Job;
use super::recent::last;
use crate::content::Fields;
use crate::store::SAME_WORDS_WITHIN;

/// For each job the first one of the group that it repeats, or itself.
pub fn firsts(jobs: &[Job]) -> Vec<usize> {
    let mut by_key = HashMap::new();
    let mut by_address: HashMap<&str, Vec<usize>> = HashMap::new();
    let firsts = jobs.iter().enumerate().map(|(number, job)| {
        if let Some(key) = job.key() {
            return *by_key.entry(key).or_insert(number);
        }
        let keyless = by_address.entry(&job.email_key).or_default();
        let is_same = |first: &&usize| jobs[**first].lead.contact == job.lead.contact;
        let first = keyless.iter().find(is_same).copied();
        match first.filter(|_| job.once) {
            Some(first) => first,
            None => {
                keyless.push(number);
                number
            }
        }
    });
    firsts.collect()
}

/// The id of the stored lead that has the words of `new`. Its address leads to
/// it; all leads without a key, in the index of keys, would be many.
pub fn known() -> String {
    let lately = last(SAME_WORDS_WITHIN, "contacts.created_at");
    let same = Fields::NAMES
        .iter()
        .map(|name| format!(" AND contacts.{name} IS NOT DISTINCT FROM new.{name}"));
    let same: String = same.collect();
    format!(
        "SELECT contacts.id::text FROM contacts
        WHERE contacts.email_key = new.email_key AND {lately}
            AND coalesce(contacts.idempotency_key, '') = ''
            AND contacts.form_location = new.form_location{same}
        ORDER BY contacts.created_at LIMIT 1"
    )
}
