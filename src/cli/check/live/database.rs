//! The database: whole, taking writes, on time, and what in it waits for the
//! owner.

use jiff::{SignedDuration, Timestamp};

use super::clock;
use super::verdict::{Verdict, bad, good, unsure};
use crate::cli::check::{MOST_NAMED, OVERDUE, remedy};
use crate::cli::output::{count, minute, span};
use crate::config::Settings;
use crate::store::{DatabaseUrl, Store, StoreError};
use crate::upkeep::Backups;

/// Clocks are never quite the same, and asking takes time.
const SAME_TIME: SignedDuration = SignedDuration::from_secs(30);

/// Reads it whole where it is not too large.
pub async fn whole(settings: &Settings) -> Vec<Verdict> {
    let url = &settings.database;
    vec![match Store::check(url).await {
        Ok(true) => good("database", format!("{url:?} is whole")),
        Ok(false) => good("database", format!("{url:?}, too large to be read whole")),
        Err(error) => bad("database", error.to_string(), ""),
    }]
}

pub async fn look(store: &Store, settings: &Settings) -> Vec<Verdict> {
    let mut verdicts = vec![match store.probe().await {
        Ok(()) => good("write", "a write commits"),
        Err(error) => bad("write", error.to_string(), "until then every form fails"),
    }];
    match waiting(store, settings).await {
        Ok(found) => verdicts.extend(found),
        Err(error) => verdicts.push(bad("database", error.to_string(), "")),
    }
    verdicts
}

async fn waiting(store: &Store, settings: &Settings) -> Result<Vec<Verdict>, StoreError> {
    let now = Timestamp::now();
    let present = store.now();
    let found = store.attention(settings.promise.promise, now).await?;
    let (channels, deliveries) = (store.channels().await?, store.delivery_counts().await?);
    let clocks = clock::compare("the database", now, present, SAME_TIME);
    let mut verdicts = vec![clocks, overdue(found.overdue)];
    verdicts.extend(store.paused_at().await?.map(|since| {
        let what = format!("paused since the restore at {}", minute(since));
        bad("sending", what, "frontdoor deliveries resume")
    }));
    let unreadable = store.unreadable().await?;
    verdicts.extend(
        unreadable
            .iter()
            .take(MOST_NAMED)
            .map(|row| bad("rows", format!("{row} cannot be read"), remedy(row.table))),
    );
    let failing = channels.iter().filter_map(|health| {
        let (name, number) = (health.channel.as_str(), found.failing(health.channel));
        let reason = health
            .last_error
            .as_deref()
            .unwrap_or("not every try fails");
        let waits = count(number, "delivery waits", "deliveries wait");
        (number > 0).then(|| {
            let what = format!("{waits} for another try by {name}: {reason}");
            unsure(
                "deliveries",
                what,
                "mend it, then frontdoor deliveries retry --all",
            )
        })
    });
    let failing: Vec<_> = failing.collect();
    let given_up = deliveries.given_up;
    if given_up > 0 {
        verdicts.push(unsure(
            "deliveries",
            format!("{} given up", count(given_up, "was", "were")),
            "frontdoor deliveries list --state given_up, then retry",
        ));
    } else if failing.is_empty() {
        verdicts.push(good("deliveries", "none fails"));
    }
    verdicts.extend(failing);
    Ok(verdicts)
}

fn overdue(number: u64) -> Verdict {
    match number {
        0 => good("leads", "none is overdue"),
        number => unsure(
            "leads",
            format!("{} overdue", count(number, "is", "are")),
            "frontdoor leads due",
        ),
    }
}

pub fn backups(settings: &Settings) -> Verdict {
    let Some(backups) = Backups::new(settings.backup.as_ref(), &settings.database) else {
        return match settings.database {
            DatabaseUrl::Sqlite(_) => unsure(
                "backup",
                "there are no daily copies",
                "set FRONTDOOR_BACKUP_DIR to a folder, best on another disk",
            ),
            DatabaseUrl::Postgres(_) => unsure(
                "backup",
                "not known from here: they are `pg_dump`'s or your provider's",
                "look there",
            ),
        };
    };
    let now = Timestamp::now();
    match backups.last_good(now) {
        Err(error) => bad(
            "backup",
            format!("cannot look into the folder: {error}"),
            "mend FRONTDOOR_BACKUP_DIR",
        ),
        Ok(None) => unsure(
            "backup",
            "none yet",
            "the server makes one at its start: systemctl restart frontdoor",
        ),
        Ok(Some(last)) if now.duration_since(last) > OVERDUE => bad(
            "backup",
            format!("the last one is {} old", span(last, now)),
            "the server's log says why: journalctl -u frontdoor",
        ),
        Ok(Some(last)) => good("backup", format!("the last one is {} old", span(last, now))),
    }
}
