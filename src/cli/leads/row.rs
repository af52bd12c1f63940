//! A lead as lists and JSON show it.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::ids::ShortIds;
use crate::cli::filter::Listed;
use crate::cli::output::{minute, span};
use crate::cli::table::Column;
use crate::domain::left;
use crate::store::{Lead, LeadState, Result, Store};

#[derive(Serialize)]
pub struct LeadJson<'a> {
    #[serde(flatten)]
    lead: &'a Lead,
    held: bool,
    due_at: Option<Timestamp>,
}

impl<'a> LeadJson<'a> {
    pub fn new(lead: &'a Lead, promise: SignedDuration) -> Self {
        Self {
            held: lead.is_held(),
            due_at: lead.due_at(promise),
            lead,
        }
    }
}

/// Held is no state, and the first thing to be seen.
pub fn state_word(lead: &Lead) -> &'static str {
    match lead.is_held() {
        true => "held",
        false => lead.state.as_str(),
    }
}

/// A line of a list.
pub struct LeadRow {
    pub lead: Lead,
    promise: SignedDuration,
    short_id: String,
    age: String,
    /// Until it is due, or since.
    left: String,
}

impl LeadRow {
    pub async fn all(
        leads: Vec<Lead>,
        store: &Store,
        promise: SignedDuration,
    ) -> Result<Vec<Self>> {
        let short = ShortIds::of(leads.iter().map(|lead| lead.id.as_str()), store).await?;
        let now = Timestamp::now();
        let row = |lead: Lead| Self {
            promise,
            short_id: short.short(&lead.id).to_owned(),
            age: span(lead.created_at, now),
            left: lead
                .due_at(promise)
                .map_or(String::new(), |due| left(due, now)),
            lead,
        };
        Ok(leads.into_iter().map(row).collect())
    }
}

impl Listed for LeadRow {
    const NAME: &'static str = "leads";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::whole("ID", |row: &Self| row.short_id.clone()),
        Column::whole("STATE", |row: &Self| state_word(&row.lead).to_owned()),
        Column::whole("AGE", |row: &Self| row.age.clone()),
        Column::cut("NAME", 8, |row: &Self| row.lead.name.clone()),
        Column::cut("E-MAIL", 14, |row: &Self| row.lead.email.clone()).dispensable(1),
        Column::cut("WHY HELD", 8, why_held).dispensable(2).if_any(),
        Column::whole("RECEIVED", |row: &Self| minute(row.lead.created_at)).dispensable(3),
        Column::cut("MESSAGE", 24, |row: &Self| row.lead.message.clone()),
    ];

    fn json(&self) -> impl Serialize {
        LeadJson::new(&self.lead, self.promise)
    }

    fn is_faint(&self) -> bool {
        self.lead.is_held() || self.lead.state == LeadState::Spam
    }
}

fn why_held(row: &LeadRow) -> String {
    let reason = row.lead.hold_reason.clone();
    reason.filter(|_| row.lead.is_held()).unwrap_or_default()
}

/// The same for who waits.
pub struct DueRow(pub LeadRow);

impl Listed for DueRow {
    const NAME: &'static str = "leads";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::whole("ID", |row: &Self| row.0.short_id.clone()),
        Column::whole("DUE", |row: &Self| row.0.left.clone()),
        Column::whole("AGE", |row: &Self| row.0.age.clone()),
        Column::cut("NAME", 8, |row: &Self| row.0.lead.name.clone()),
        Column::cut("E-MAIL", 14, |row: &Self| row.0.lead.email.clone()).dispensable(1),
        Column::cut("MESSAGE", 24, |row: &Self| row.0.lead.message.clone()),
    ];

    fn json(&self) -> impl Serialize {
        LeadJson::new(&self.0.lead, self.0.promise)
    }
}
