//! Removing what is old enough, a little at a time. Whatever somebody else holds
//! right now is passed over: it is not as old as it seemed, or goes next time.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::ask::{Value, counted, number, present, time};
use super::{Postgres, watch};
use crate::store::retention::Rule;
use crate::store::{LastPruning, OldRecords, OldRow, Remains, Result};

/// To look through a large table, once a day; also said to the server.
const PATIENCE: Duration = Duration::from_secs(60);
const PATIENT: &str = "SET LOCAL statement_timeout = '60s'";

impl Postgres {
    pub async fn last_pruning(&self, now: Timestamp) -> Result<LastPruning> {
        let sql = format!(
            "SELECT pruned_at, {} AS now FROM store_state",
            present("$1")
        );
        let found = self.row(&sql, &[time(&self.time(now))]).await?;
        Ok(LastPruning {
            at: found.try_get("pruned_at")?,
            now: found.try_get("now")?,
        })
    }

    pub async fn claim_pruning(
        &self,
        last: Option<Timestamp>,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<bool> {
        // Later than a lease could end: the clock was set back.
        let now_is = present("$1");
        let until = format!("{now_is} + $3 * interval '1 millisecond'");
        let sql = format!(
            "UPDATE store_state SET pruning_ends_at = {until}
            WHERE pruned_at IS NOT DISTINCT FROM $2 AND (pruning_ends_at IS NULL
                OR pruning_ends_at <= {now_is} OR pruning_ends_at > {until})"
        );
        let (now, lease) = (self.time(now), milliseconds(lease));
        let values = [time(&now), time(&last), number(&lease)];
        Ok(self.change(&sql, &values).await? > 0)
    }

    pub async fn finish_pruning(&self, now: Timestamp) -> Result<()> {
        let sql = format!(
            "UPDATE store_state SET pruned_at = {}, pruning_ends_at = NULL",
            present("$1")
        );
        self.change(&sql, &[time(&self.time(now))]).await.map(drop)
    }

    pub async fn old(
        &self,
        of: OldRecords,
        age: SignedDuration,
        most: u32,
        now: Timestamp,
    ) -> Result<Vec<OldRow>> {
        let rule = of.rule();
        let (table, old) = (rule.table, self.is_old(&rule));
        let sql = format!("SELECT {table}.ctid::text AS place FROM {table} WHERE {old} LIMIT $3");
        let (now, age, most) = (self.time(now), milliseconds(age), i64::from(most));
        let values = [time(&now), number(&age), number(&most)];
        let found = self.look_through(&sql, &values).await?;
        let place = |row: &Row| Ok(OldRow(row.try_get("place")?));
        found.iter().map(place).collect()
    }

    /// A row that was changed meanwhile has another place.
    pub async fn prune(
        &self,
        of: OldRecords,
        rows: &[OldRow],
        age: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let rule = of.rule();
        let (table, old) = (rule.table, self.is_old(&rule));
        let change = match rule.set {
            "" => format!("DELETE FROM {table}"),
            set => format!("UPDATE {table} SET {set}"),
        };
        let sql = format!(
            "WITH old AS MATERIALIZED (
                SELECT {table}.ctid AS place FROM {table}
                WHERE {table}.ctid = ANY ($3::text[]::tid[]) AND {old}
                FOR UPDATE OF {table} SKIP LOCKED)
            {change} WHERE ctid = ANY (ARRAY (SELECT place FROM old))"
        );
        let (now, age) = (self.time(now), milliseconds(age));
        let places: Vec<_> = rows.iter().map(|OldRow(place)| place.as_str()).collect();
        let values = [time(&now), number(&age), (&places, Type::TEXT_ARRAY)];
        self.change(&sql, &values).await
    }

    pub async fn count_old(
        &self,
        of: OldRecords,
        age: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let rule = of.rule();
        let (table, old) = (rule.table, self.is_old(&rule));
        let sql = format!("SELECT count(*) AS number FROM {table} WHERE {old}");
        let (now, age) = (self.time(now), milliseconds(age));
        let found = self.look_through(&sql, &[time(&now), number(&age)]).await?;
        found.first().map_or(Ok(0), |row| counted(row, "number"))
    }

    async fn look_through(&self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>> {
        let work = self.patiently(async |db| {
            db.batch_execute(PATIENT).await?;
            Ok(db.query_typed(sql, values).await?)
        });
        watch::within(PATIENCE, work).await
    }

    /// The server's files are its own to overwrite.
    pub async fn scrub(&self, _thoroughly: bool) -> Remains {
        Remains::UntilVacuum
    }

    /// `$1` and `$2`: the present and the age, from which the last moment that is
    /// old follows, once for the whole statement.
    fn is_old(&self, rule: &Rule) -> String {
        let moment = format!("(SELECT {} - $2 * interval '1 millisecond')", present("$1"));
        rule.old
            .replace("{id}", self.ids.cast())
            .replace("$1", &moment)
    }
}

fn milliseconds(time: SignedDuration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
