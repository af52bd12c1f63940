//! Addresses that the mail server refuses for good.

use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::row::stamp;
use super::{Sqlite, sends};
use crate::domain::fold_address;
use crate::store::{AddressRefusal, REFUSALS_THAT_SUSPEND, Result, SendState};

impl Sqlite {
    pub async fn note_refusal(
        &self,
        issue: String,
        subscriber_id: String,
        refusal: AddressRefusal,
        now: Timestamp,
    ) -> Result<()> {
        let work = move |db: &Connection| {
            let (state, code) = (SendState::Refused, &refusal.code);
            match sends::note(db, &issue, &subscriber_id, state, code, now)? {
                true => note(db, &issue, &subscriber_id, &refusal, now),
                // What another run has noted meanwhile counts more.
                false => Ok(()),
            }
        };
        self.writer.run(work).await
    }

    pub async fn resume(&self, email: String) -> Result<bool> {
        let work = move |db: &Connection| {
            let sql = "UPDATE subscribers SET suspended_at = NULL, refusals = 0,
                    refused_code = NULL, refused_at = NULL, refused_issue = NULL
                WHERE email_key = ?1 AND suspended_at IS NOT NULL";
            Ok(db.execute(sql, [fold_address(&email)])? > 0)
        };
        self.writer.run(work).await
    }
}

fn note(
    db: &Connection,
    issue: &str,
    subscriber_id: &str,
    refusal: &AddressRefusal,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let mut update = db.prepare_cached(
        "UPDATE subscribers SET refused_code = ?3, refused_at = ?4, refused_issue = ?1,
            refusals = refusals + (refused_issue IS NOT ?1),
            suspended_at = CASE
                WHEN suspended_at IS NOT NULL THEN suspended_at
                WHEN ?5 OR refusals + (refused_issue IS NOT ?1) >= ?6 THEN ?4
            END
        WHERE id = ?2",
    )?;
    let AddressRefusal { code, no_such_user } = refusal;
    let (now, most) = (stamp(now), REFUSALS_THAT_SUSPEND);
    update.execute(params![issue, subscriber_id, code, now, no_such_user, most])?;
    Ok(())
}
