//! The pause after a restore.

use jiff::Timestamp;
use tokio_postgres::Row;

use super::Postgres;
use super::ask::{counted, milliseconds, present, time};
use crate::store::pause::{drop_deliveries_sql, drop_issues_sql, waiting_sql};
use crate::store::{Dropped, Result, WaitingKind};

impl Postgres {
    pub async fn paused_at(&self) -> Result<Option<Timestamp>> {
        let sql = "SELECT max(paused_at) AS since FROM sending_pause";
        Ok(self.row(sql, &[]).await?.try_get("since")?)
    }

    pub async fn waiting_kinds(&self, before: Timestamp) -> Result<Vec<WaitingKind>> {
        let before = Some(milliseconds(before));
        let found = self.rows(&waiting_sql("$1"), &[time(&before)]).await?;
        found.iter().map(waiting).collect()
    }

    pub async fn end_pause(
        &self,
        drop_before: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Dropped> {
        let (before, now) = (drop_before.map(milliseconds), self.time(now));
        let now_is = present("$2");
        let sql = format!(
            "WITH deliveries_dropped AS ({} RETURNING 1),
            issues_dropped AS ({} RETURNING 1),
            ended AS (DELETE FROM sending_pause)
            SELECT (SELECT count(*) FROM deliveries_dropped) AS deliveries,
                (SELECT count(*) FROM issues_dropped) AS issues",
            drop_deliveries_sql("$1", &now_is),
            drop_issues_sql("$1", &now_is),
        );
        let done = self.row(&sql, &[time(&before), time(&now)]).await?;
        Ok(Dropped {
            deliveries: counted(&done, "deliveries")?,
            issues: counted(&done, "issues")?,
        })
    }
}

fn waiting(row: &Row) -> Result<WaitingKind> {
    Ok(WaitingKind {
        kind: row.try_get("kind")?,
        number: counted(row, "number")?,
        before: counted(row, "earlier")?,
        oldest: row.try_get("oldest").ok(),
    })
}
