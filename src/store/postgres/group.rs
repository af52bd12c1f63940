//! One transaction, in one trip, for all leads that wait.

use std::collections::HashMap;

use jiff::Timestamp;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error, Row};
use uuid::Uuid;

use super::ask::{Value, text, time};
use super::ids::IdKind;
use super::job::Job;
use super::turns::{self, HELD_NOTICES, Statement, Turn};
use super::{group_sql, repeats, same_text};
use crate::domain::{HoldReason, Source};
use crate::store::spam::Judged;
use crate::store::{AddedLead, DeliveryKind, Result, StoreError};

/// Columns and values of one lead, but for what the statement adds.
type Cells<'a> = Vec<(&'static str, Option<&'a str>)>;

/// By the number of the row in the group, from 1.
type Outcomes = HashMap<i64, AddedLead>;

/// All of them or none. Who repeats another is told of that one; `ids` of the
/// database's own making allow one lead at a time.
pub async fn commit(
    db: &Client,
    ids: IdKind,
    jobs: &[Job],
) -> Result<Vec<Result<AddedLead>>, Error> {
    let firsts = repeats::firsts(jobs);
    let rows: Vec<&Job> = (0..jobs.len())
        .filter(|number| firsts[*number] == *number)
        .map(|number| &jobs[number])
        .collect();
    let now = jobs.first().and_then(|job| job.now);
    let others = same_text::others(db, &rows, now).await?;
    let judged: Vec<_> = rows
        .iter()
        .zip(others)
        .map(|(job, others)| job.lead.judged(others))
        .collect();
    let (stored, by_key) = store(db, ids, &rows, &judged, now).await?;
    let found = outcomes(&stored, &by_key, &rows, &judged)?;
    Ok((0..jobs.len())
        .map(|number| {
            let first = &jobs[firsts[number]];
            let place = rows.iter().position(|row| std::ptr::eq(*row, first));
            let added = place.and_then(|place| found.get(&ordinal(place)));
            let added = added.ok_or_else(lost)?;
            Ok(match firsts[number] == number {
                true => added.clone(),
                false => AddedLead::known(added.id.clone()),
            })
        })
        .collect())
}

async fn store(
    db: &Client,
    ids: IdKind,
    rows: &[&Job],
    judged: &[Judged],
    now: Option<Timestamp>,
) -> Result<(Vec<Row>, Vec<Row>), Error> {
    let new_ids: Vec<_> = rows.iter().map(|_| ids.fresh()).collect();
    let cells: Vec<Cells<'_>> = rows.iter().zip(judged).zip(&new_ids).map(cells).collect();
    let names: Vec<_> = cells[0].iter().map(|(name, _)| *name).collect();
    let columns: Vec<Vec<_>> = (0..names.len())
        .map(|column| cells.iter().map(|row| row[column].1).collect())
        .collect();
    let once: Vec<_> = rows.iter().map(|job| job.once).collect();
    let wanted = Wanted::of(rows);
    let notice = Uuid::now_v7().to_string();

    let mut values: Vec<Value<'_>> = vec![time(&now)];
    values.extend(columns.iter().map(|column| (column as _, Type::TEXT_ARRAY)));
    values.extend([
        (&once as _, Type::BOOL_ARRAY),
        (&wanted.rows as _, Type::INT8_ARRAY),
        (&wanted.ids as _, Type::TEXT_ARRAY),
        (&wanted.kinds as _, Type::TEXT_ARRAY),
        text(&notice),
    ]);
    let keys: Vec<_> = rows.iter().filter_map(|job| job.key()).collect();
    let by_key = [(&keys as _, Type::TEXT_ARRAY)];
    let turn = Turn {
        keys: &turn_keys(rows, judged),
        wakes: !wanted.ids.is_empty(),
        first: Statement {
            sql: &group_sql::store(ids, &names),
            values: &values,
        },
        then: (!keys.is_empty()).then_some(Statement {
            sql: group_sql::BY_KEY,
            values: &by_key,
        }),
    };
    turns::run(db, turn).await
}

/// One address at a time where its earlier leads count, and held leads.
fn turn_keys<'a>(rows: &[&'a Job], judged: &[Judged]) -> Vec<&'a str> {
    let wants = |job: &Job, kind| job.lead.deliveries.contains(&kind);
    let counts = |job: &&&Job| job.once || wants(job, DeliveryKind::AutoReply);
    let addresses = rows.iter().filter(counts);
    let mut keys: Vec<_> = addresses.map(|job| job.email_key.as_str()).collect();
    let tells =
        |(job, judged): (&&Job, &Judged)| judged.hold.is_some() && wants(job, DeliveryKind::Notify);
    if rows.iter().zip(judged).any(tells) {
        keys.push(HELD_NOTICES);
    }
    keys
}

fn cells<'a>(((job, judged), id): ((&&'a Job, &'a Judged), &'a Option<String>)) -> Cells<'a> {
    let lead = &job.lead;
    let mut row = vec![
        ("id", id.as_deref()),
        ("form_location", Some(lead.contact.form_location.as_str())),
        ("hold_reason", judged.hold.map(|reason| reason.as_str())),
        ("spam_reasons", judged.reasons.as_deref()),
        ("text_key", lead.spam.fingerprint.as_deref()),
        ("idempotency_key", job.key()),
        ("email_key", Some(job.email_key.as_str())),
        ("request_id", lead.request_id.as_deref()),
    ];
    row.extend(
        lead.contact
            .typed()
            .map(|(field, words)| (field.name, words)),
    );
    let source = lead.source.values().iter().map(Option::as_deref);
    row.extend(Source::FIELDS.into_iter().zip(source));
    row
}

/// The deliveries that the leads call for, each with its lead's row.
#[derive(Default)]
struct Wanted {
    rows: Vec<i64>,
    ids: Vec<String>,
    kinds: Vec<&'static str>,
}

impl Wanted {
    fn of(rows: &[&Job]) -> Self {
        let mut wanted = Self::default();
        for (place, job) in rows.iter().enumerate() {
            for kind in &job.lead.deliveries {
                wanted.rows.push(ordinal(place));
                wanted.ids.push(Uuid::now_v7().to_string());
                wanted.kinds.push(kind.as_str());
            }
        }
        wanted
    }
}

fn outcomes(
    stored: &[Row],
    by_key: &[Row],
    rows: &[&Job],
    judged: &[Judged],
) -> Result<Outcomes, Error> {
    let mut found = Outcomes::new();
    for row in stored {
        let (id, place) = (row.try_get("id")?, row.try_get("row")?);
        let added = match row.try_get("created")? {
            true => AddedLead {
                id,
                created: true,
                hold: held(judged, place),
            },
            false => AddedLead::known(id),
        };
        found.insert(place, added);
    }
    let mut known = HashMap::new();
    for row in by_key {
        known.insert(
            row.try_get::<_, String>("idempotency_key")?,
            row.try_get("id")?,
        );
    }
    for (place, job) in rows.iter().enumerate() {
        let known: Option<&String> = job.key().and_then(|key| known.get(key));
        if let Some(id) = known {
            let known = AddedLead::known(id.clone());
            found.entry(ordinal(place)).or_insert(known);
        }
    }
    Ok(found)
}

fn held(judged: &[Judged], row: i64) -> Option<HoldReason> {
    let place = usize::try_from(row - 1).ok()?;
    judged.get(place)?.hold
}

fn ordinal(place: usize) -> i64 {
    i64::try_from(place).map_or(i64::MAX, |place| place + 1)
}

/// Its key was known and the row went away in the same moment.
fn lost() -> StoreError {
    StoreError::Unavailable("the lead was removed while it was being stored".into())
}
