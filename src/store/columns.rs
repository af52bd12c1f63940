//! The columns of a record, listed once for every database: a query selects
//! them and a row is read by the same list, so that neither can drift.

use std::fmt;
use std::sync::LazyLock;

use crate::content::Fields;
use crate::domain::Source;

/// The columns of one table from which a record is made.
pub struct Columns {
    pub table: &'static str,
    pub names: LazyLock<Vec<&'static str>>,
}

/// As a query names them, also one that joins other tables.
impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, name) in self.names.iter().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(f, "{comma}{}.{name}", self.table)?;
        }
        Ok(())
    }
}

pub static LEAD_COLUMNS: Columns = Columns {
    table: "contacts",
    names: LazyLock::new(|| {
        let ours = ["form_location", "created_at"];
        let held = ["hold_reason", "released_at", "spam_reasons"];
        let owners = ["state", "answered_at", "note"];
        [
            &["id"],
            Fields::NAMES,
            &ours,
            &held,
            &owners,
            &Source::FIELDS,
        ]
        .concat()
    }),
};

pub static DELIVERY_COLUMNS: Columns = Columns {
    table: "deliveries",
    names: LazyLock::new(|| {
        let what = ["id", "contact_id", "subscriber_id", "kind", "state"];
        let tries = ["attempts", "next_attempt_at", "last_error"];
        [&what[..], &tries, &["created_at", "finished_at"]].concat()
    }),
};

/// A consent, present or past.
pub const CONSENT: [&str; 8] = [
    "created_at",
    "page",
    "consent_version",
    "consent_text",
    "confirmed_at",
    "unsubscribed_at",
    "import_file",
    "import_source",
];

pub static PAST_CONSENT_COLUMNS: Columns = Columns {
    table: "past_consents",
    names: LazyLock::new(|| CONSENT.to_vec()),
};

pub static SUBSCRIBER_COLUMNS: Columns = Columns {
    table: "subscribers",
    names: LazyLock::new(|| {
        let own = ["id", "email", "state", "hold_reason", "invited_at"];
        let refusal = ["refused_code", "refused_at", "suspended_at"];
        [&own[..], &refusal, &CONSENT].concat()
    }),
};
