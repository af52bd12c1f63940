//! Addresses that the mail server refuses for good.

use jiff::Timestamp;
use tokio_postgres::types::Type;

use super::Postgres;
use super::ask::{number, present, text, time};
use crate::domain::fold_address;
use crate::store::{AddressRefusal, REFUSALS_THAT_SUSPEND, Result};

impl Postgres {
    /// Both notes or neither: what another run has noted meanwhile counts more.
    pub async fn note_refusal(
        &self,
        issue: String,
        subscriber_id: String,
        refusal: AddressRefusal,
        now: Timestamp,
    ) -> Result<()> {
        let again = "(CASE WHEN refused_issue IS NOT DISTINCT FROM $1 THEN 0 ELSE 1 END)";
        let sql = format!(
            "WITH noted AS (
                INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at, code)
                SELECT $1, id, 'refused', {}, $4 FROM subscribers WHERE id = $2
                ON CONFLICT (issue, subscriber_id) DO UPDATE
                    SET state = excluded.state, offered_at = excluded.offered_at,
                        code = excluded.code
                    WHERE newsletter_sends.state = 'deferred'
                RETURNING subscriber_id, offered_at
            )
            UPDATE subscribers SET refused_code = $4, refused_at = offered_at,
                refused_issue = $1, refusals = refusals + {again},
                suspended_at = CASE
                    WHEN suspended_at IS NOT NULL THEN suspended_at
                    WHEN $5 OR refusals + {again} >= $6 THEN offered_at
                END
            FROM noted WHERE id = noted.subscriber_id",
            present("$3")
        );
        let now = self.time(now);
        let AddressRefusal { code, no_such_user } = &refusal;
        let who = [text(&issue), text(&subscriber_id), time(&now)];
        let why = [
            text(code),
            (no_such_user as _, Type::BOOL),
            number(&REFUSALS_THAT_SUSPEND),
        ];
        let values = [&who[..], &why].concat();
        self.change(&sql, &values).await.map(|_| ())
    }

    pub async fn resume(&self, email: String) -> Result<bool> {
        let sql = "UPDATE subscribers SET suspended_at = NULL, refusals = 0,
                refused_code = NULL, refused_at = NULL, refused_issue = NULL
            WHERE email_key = $1 AND suspended_at IS NOT NULL";
        let changed = self.change(sql, &[text(&fold_address(&email))]).await;
        Ok(changed? > 0)
    }
}
