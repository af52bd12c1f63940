//! The same text from other senders: asked once for a whole group of leads,
//! before they are stored. Groups of several replicas that are stored in the
//! same moment do not see each other; the next one sees them all.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error};

use super::ask::time;
use super::job::Job;
use super::recent::{last, with_present};
use crate::store::spam::{MOST_READ, SAME_TEXT_WITHIN};

/// For each job how many others sent its text lately.
pub async fn others(db: &Client, jobs: &[&Job], now: Option<Timestamp>) -> Result<Vec<u32>, Error> {
    let mut others = within(jobs);
    let texts: Vec<_> = jobs.iter().map(|job| text(job)).collect();
    if texts.iter().all(Option::is_none) {
        return Ok(others);
    }
    let senders: Vec<_> = jobs.iter().map(|job| job.email_key.as_str()).collect();
    let values = [
        time(&now),
        (&texts as _, Type::TEXT_ARRAY),
        (&senders as _, Type::TEXT_ARRAY),
    ];
    let stored = db.query_typed(&sql(), &values).await?;
    for (others, row) in others.iter_mut().zip(stored) {
        let number: i64 = row.try_get("others")?;
        *others += u32::try_from(number).unwrap_or_default();
    }
    Ok(others)
}

fn text(job: &Job) -> Option<&str> {
    job.lead.spam.fingerprint.as_deref()
}

/// Those that come before in the same group.
fn within(jobs: &[&Job]) -> Vec<u32> {
    let mut senders: HashMap<&str, HashSet<&str>> = HashMap::new();
    let mut others = vec![0; jobs.len()];
    for (others, job) in others.iter_mut().zip(jobs) {
        if let Some(text) = text(job) {
            let known = senders.entry(text).or_default();
            known.insert(&job.email_key);
            *others = u32::try_from(known.len() - 1).unwrap_or_default();
        }
    }
    others
}

fn sql() -> String {
    let (present, lately) = (with_present(), last(SAME_TEXT_WITHIN, "created_at"));
    format!(
        "{present}
        SELECT (SELECT count(DISTINCT email_key) FILTER (WHERE same.email_key <> sent.email_key)
            FROM (SELECT email_key FROM contacts WHERE text_key = sent.text_key AND {lately}
                ORDER BY created_at DESC LIMIT {MOST_READ}) AS same) AS others
        FROM unnest($2, $3) WITH ORDINALITY AS sent (text_key, email_key, row)
        ORDER BY sent.row"
    )
}
