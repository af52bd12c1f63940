//! Visits by day, page, source and campaign, and the statistics of visits and leads.
//!
//! A row is a sum: nothing in it is about one visitor. Counts wait in memory for some seconds.
//! Leads are counted live in their own table, by the day they arrived, so that the numbers stay
//! right when a change is undone, a lead is reopened or a person is forgotten.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::AddAssign;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;

use super::health::lock;
use super::leads::{AnswerWait, IS_HELD, answer_waits};
use super::tx::{Row, Tx, Value, args, record};
use super::{LeadState, Result, Store, StoreError};
use crate::content::site;
use crate::domain::short_line;

const FLUSH_EVERY: Duration = Duration::from_secs(5);
/// Beyond this number of different keys in memory, sources and campaigns are counted as [`OTHER`].
const MAX_KEYS: usize = 1_000;
/// Beyond this number of rows a day, new sources and campaigns are counted as [`OTHER`], so that
/// invented ones don't fill the disk.
const ROWS_A_DAY: usize = 1_000;
/// More than two years: the longest period, a year, is compared with the year before it.
const KEPT_DAYS: i64 = 800;
/// How many rows a list of sources, pages or campaigns has.
const LISTED: usize = 100;
/// The longest name of a source.
const MAX_SOURCE: usize = 100;
/// The name for sources and campaigns beyond the limit.
const OTHER: &str = "other";

/// Visits with the same key are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Key {
    /// In the site's time zone.
    day: Date,
    /// The path of the page where the visit began.
    page: String,
    /// See [`source_name`]; empty if the visit was direct or its source is unknown.
    source: String,
    /// Empty if there is none.
    campaign: String,
}

impl Key {
    /// The key to count under once there are too many different keys.
    fn as_other(&self) -> Self {
        let other = |text: &String| if text.is_empty() { "" } else { OTHER }.to_owned();
        Self {
            source: other(&self.source),
            campaign: other(&self.campaign),
            ..self.clone()
        }
    }
}

macro_rules! figures {
    ($($name:ident),+) => {
        /// Visits, and what became of them.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        pub struct Figures {
            $(pub $name: u64,)+
        }

        impl Figures {
            pub fn values(&self) -> [u64; [$(stringify!($name)),+].len()] {
                [$(self.$name),+]
            }
        }

        impl AddAssign for Figures {
            fn add_assign(&mut self, more: Self) {
                $(self.$name += more.$name;)+
            }
        }
    };
}
figures!(
    requested,
    seen,
    form_started,
    leads,
    answered,
    booked,
    booking_presses
);

type Counts = HashMap<Key, Figures>;

/// Counts in memory, on their way to the store.
pub struct VisitCounter {
    store: Store,
    pending: Mutex<Pending>,
}

struct Pending {
    /// As of the last flush, so that the clock isn't read for each visit.
    today: Date,
    counts: Counts,
}

impl Pending {
    fn figures(&mut self, key: Key) -> &mut Figures {
        let has_room = self.counts.len() < MAX_KEYS || self.counts.contains_key(&key);
        let key = if has_room { key } else { key.as_other() };
        self.counts.entry(key).or_default()
    }
}

impl VisitCounter {
    pub fn new(store: Store) -> Arc<Self> {
        let pending = Pending {
            today: today(store.now()),
            counts: Counts::default(),
        };
        Arc::new(Self {
            store,
            pending: Mutex::new(pending),
        })
    }

    /// Adds the figures to those of this page, host and campaign today.
    pub fn count(&self, page: &str, source: &str, campaign: &str, figures: Figures) {
        let source = source_name(source);
        let campaign = (!campaign.is_empty()).then(|| short_line(campaign));
        let campaign = campaign.flatten().unwrap_or_default();
        let mut pending = lock(&self.pending);
        let key = Key {
            day: pending.today,
            page: page.to_owned(),
            source: source.into_owned(),
            campaign,
        };
        *pending.figures(key) += figures;
    }

    /// Stores the counts every few seconds, and a last time when stopped.
    pub async fn run(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let mut is_running = true;
        while is_running {
            is_running = timeout(FLUSH_EVERY, stop.wait_for(|stop| *stop))
                .await
                .is_err();
            self.flush().await;
        }
    }

    /// Stores the counts. Those that can't be stored stay in memory.
    pub async fn flush(&self) {
        let today = today(self.store.now());
        let counts = {
            let mut pending = lock(&self.pending);
            pending.today = today;
            Arc::new(std::mem::take(&mut pending.counts))
        };
        if counts.is_empty() {
            return;
        }
        if let Err(error) = self.store.add_visits(counts.clone()).await {
            // The store logs its failure once.
            tracing::debug!(%error, "visits are counted in memory until the store answers");
            let mut pending = lock(&self.pending);
            for (key, figures) in counts.iter() {
                *pending.figures(key.clone()) += *figures;
            }
        }
    }
}

/// The figures of a period that ends today, and of the equally long period before it.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Statistics {
    pub days: u32,
    pub from: Date,
    pub to: Date,
    pub totals: Figures,
    pub before: Figures,
    pub by_day: Vec<DayFigures>,
    pub by_source: Vec<NamedFigures>,
    pub by_page: Vec<NamedFigures>,
    pub by_campaign: Vec<NamedFigures>,
    /// How long the leads of both periods waited for an answer, newest lead first.
    #[serde(skip)]
    pub answers: Vec<AnswerWait>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DayFigures {
    pub day: Date,
    #[serde(flatten)]
    pub figures: Figures,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NamedFigures {
    pub name: String,
    #[serde(flatten)]
    pub figures: Figures,
}

/// The host in lower case, without `www.` and port; empty if the text isn't a host.
pub fn source_name(host: &str) -> Cow<'_, str> {
    let host = host.split(':').next().unwrap_or_default();
    let (begin, rest) = host.split_at_checked(4).unwrap_or_default();
    let host = if begin.eq_ignore_ascii_case("www.") {
        rest
    } else {
        host
    };
    let is_plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_');
    if host.len() > MAX_SOURCE || !host.bytes().all(is_plain) {
        return "".into();
    }
    if host.bytes().any(|c| c.is_ascii_uppercase()) {
        host.to_ascii_lowercase().into()
    } else {
        host.into()
    }
}

impl Store {
    /// Adds these counts to those that are stored.
    async fn add_visits(&self, counts: Arc<Counts>) -> Result<()> {
        self.write(move |tx| {
            let Some(first) = counts.keys().map(|key| key.day).min() else {
                return Ok(());
            };
            let known = visits(tx, first)?.into_iter();
            let mut known: HashSet<Key> = known.map(|(key, _)| key).collect();
            // Sorted, so that all replicas lock the rows in the same order.
            let mut rows = BTreeMap::<_, Figures>::new();
            for (key, figures) in counts.iter() {
                let on_day = known.iter().filter(|row| row.day == key.day);
                let is_kept = known.contains(key) || on_day.count() < ROWS_A_DAY;
                let key = if is_kept { key.clone() } else { key.as_other() };
                known.insert(key.clone());
                *rows.entry(key).or_default() += *figures;
            }
            rows.iter().try_for_each(|(key, row)| add_row(tx, key, row))
        })
        .await
    }

    /// Deletes counts that are too old for any comparison.
    pub async fn remove_old_visits(&self, now: Timestamp) -> Result<u64> {
        let oldest = today(now).saturating_sub(KEPT_DAYS.days());
        let sql = "DELETE FROM visits WHERE day < $1";
        self.execute(sql, args![oldest.to_string()]).await
    }

    /// Statistics of the last `days` days, including today, in the site's time zone.
    pub async fn statistics(&self, days: u32, now: Timestamp) -> Result<Statistics> {
        let to = today(now);
        let from = to.saturating_sub((i64::from(days) - 1).days());
        let before = from.saturating_sub(i64::from(days).days());
        let empty = |day| DayFigures {
            day,
            figures: Figures::default(),
        };
        self.read_long(move |tx| {
            let all_days = from.series(1.day()).take(days as usize);
            let mut statistics = Statistics {
                days,
                from,
                to,
                by_day: all_days.map(empty).collect(),
                ..Statistics::default()
            };
            let mut rows = visits(tx, before)?;
            rows.extend(leads(tx, before)?);
            statistics.answers = answer_waits(tx, start_of(before), now)?;
            statistics.add(&rows);
            Ok(statistics)
        })
        .await
    }
}

impl Statistics {
    fn add(&mut self, rows: &[(Key, Figures)]) {
        let mut sums = [const { BTreeMap::<&str, Figures>::new() }; 3];
        for (key, figures) in rows {
            if key.day < self.from {
                self.before += *figures;
                continue;
            }
            self.totals += *figures;
            let index = (key.day - self.from).get_days() as usize;
            if let Some(day) = self.by_day.get_mut(index) {
                day.figures += *figures;
            }
            for (sum, name) in sums.iter_mut().zip([&key.source, &key.page, &key.campaign]) {
                *sum.entry(name).or_default() += *figures;
            }
        }
        let [source, page, campaign] = sums.map(|sum| {
            let named = sum.into_iter().map(|(name, figures)| NamedFigures {
                name: name.to_owned(),
                figures,
            });
            let mut list: Vec<_> = named.collect();
            let order = |f: &Figures| (f.booked, f.leads, f.requested);
            list.sort_by_key(|each| std::cmp::Reverse(order(&each.figures)));
            list.truncate(LISTED);
            list
        });
        (self.by_source, self.by_page, self.by_campaign) = (source, page, campaign);
    }
}

/// The beginning of a day in the site's time zone.
fn start_of(day: Date) -> Timestamp {
    let start = day.to_zoned(site().zone());
    start.map_or(Timestamp::MIN, |start| start.timestamp())
}

fn today(now: Timestamp) -> Date {
    now.to_zoned(site().zone()).date()
}

fn add_row(tx: &mut Tx<'_>, key: &Key, row: &Figures) -> Result<()> {
    let sql = "INSERT INTO visits (day, page, source, campaign, requested, seen, form_started,
            booking_presses) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (day, page, source, campaign) DO UPDATE SET
            requested = visits.requested + excluded.requested, seen = visits.seen + excluded.seen,
            form_started = visits.form_started + excluded.form_started,
            booking_presses = visits.booking_presses + excluded.booking_presses";
    let mut values = args![key.day.to_string(), &key.page, &key.source, &key.campaign].to_vec();
    let counts = [
        row.requested,
        row.seen,
        row.form_started,
        row.booking_presses,
    ];
    values.extend(counts.map(Value::from));
    tx.execute(sql, &values).map(drop)
}

fn visits(tx: &mut Tx<'_>, since: Date) -> Result<Vec<(Key, Figures)>> {
    let read = |row: &Row| -> Result<_> {
        let day: String = row.get("day")?;
        let key = Key {
            day: day
                .parse()
                .map_err(|_| StoreError::Unreadable("day".into()))?,
            page: row.get("page")?,
            source: row.get("source")?,
            campaign: row.get("campaign")?,
        };
        let figures: Result<_> = record!(row =>
            Figures: requested, seen, form_started, booking_presses;
            leads: 0, answered: 0, booked: 0);
        Ok((key, figures?))
    };
    let sql = "SELECT * FROM visits WHERE day >= $1";
    let rows = tx.query(sql, args![since.to_string()])?;
    rows.iter().map(read).collect()
}

/// Leads that are neither spam nor held, the newest first.
fn leads(tx: &mut Tx<'_>, since: Date) -> Result<Vec<(Key, Figures)>> {
    let zone = site().zone();
    let read = |row: &Row| -> Result<_> {
        let created_at: Timestamp = row.get("created_at")?;
        let answered_at: Option<Timestamp> = row.get("answered_at")?;
        let state: LeadState = row.get("state")?;
        let text = |column| -> Result<String> {
            Ok(row.get::<Option<String>>(column)?.unwrap_or_default())
        };
        let has_answer = matches!(state, LeadState::Answered | LeadState::Booked);
        let key = Key {
            day: created_at.to_zoned(zone.clone()).date(),
            page: text("landing_path")?,
            source: source_name(&text("referrer_host")?).into_owned(),
            campaign: text("utm_campaign")?,
        };
        let figures = Figures {
            leads: 1,
            answered: (has_answer || answered_at.is_some()).into(),
            booked: (state == LeadState::Booked).into(),
            ..Figures::default()
        };
        Ok((key, figures))
    };
    let sql = format!(
        "SELECT id, created_at, answered_at, state, landing_path, referrer_host, utm_campaign
        FROM contacts
        WHERE created_at >= $1 AND state <> 'spam' AND NOT ({IS_HELD}) ORDER BY created_at DESC"
    );
    let rows = tx.query(&sql, args![start_of(since)])?;
    Ok(tx.readable(&rows, "contacts", read))
}
