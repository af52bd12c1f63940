//! Removing what is old enough, a little at a time. Whatever somebody else holds
//! right now is passed over: it is not as old as it seemed, or goes next time.

use jiff::{SignedDuration, Timestamp};

use super::Postgres;
use super::ask::{counted, number, present, time};
use crate::store::retention::{Key, Rule};
use crate::store::{LastPruning, OldRecords, Remains, Result};

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

    pub async fn prune(
        &self,
        of: OldRecords,
        age: SignedDuration,
        most: u32,
        now: Timestamp,
    ) -> Result<u64> {
        let rule = of.rule();
        let key = match rule.key {
            Key::Column(key) => key,
            Key::Row => "ctid",
        };
        let (table, old) = (rule.table, self.old(&rule));
        let change = match rule.set {
            "" => format!("DELETE FROM {table}"),
            set => format!("UPDATE {table} SET {set}"),
        };
        let sql = format!(
            "WITH old AS MATERIALIZED (
                SELECT {table}.{key} AS key FROM {table} WHERE {old}
                LIMIT $3 FOR UPDATE OF {table} SKIP LOCKED)
            {change} WHERE {key} IN (SELECT key FROM old)"
        );
        let (now, age) = (self.time(now), milliseconds(age));
        let most = i64::from(most);
        let values = [time(&now), number(&age), number(&most)];
        self.change(&sql, &values).await
    }

    pub async fn count_old(
        &self,
        of: OldRecords,
        age: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let rule = of.rule();
        let (table, old) = (rule.table, self.old(&rule));
        let sql = format!("SELECT count(*) AS number FROM {table} WHERE {old}");
        let (now, age) = (self.time(now), milliseconds(age));
        let found = self.row(&sql, &[time(&now), number(&age)]).await?;
        counted(&found, "number")
    }

    /// The server's files are its own to overwrite.
    pub async fn scrub(&self, _thoroughly: bool) -> Remains {
        Remains::UntilVacuum
    }

    /// `$1` and `$2`: the present and the age, from which the last moment that is
    /// old follows, once for the whole statement.
    fn old(&self, rule: &Rule) -> String {
        let moment = format!("(SELECT {} - $2 * interval '1 millisecond')", present("$1"));
        rule.old
            .replace("{id}", self.ids.cast())
            .replace("$1", &moment)
    }
}

fn milliseconds(time: SignedDuration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
