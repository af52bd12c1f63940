//! The numbers: visits and what became of them, answers against the promise, the newsletter's growth.

use axum::Json;
use jiff::SignedDuration;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Answered, Asked, Desk, DeskError};
use crate::content::site;
use crate::store::{Growth, Statistics};

/// How many answers are shown one by one.
const ANSWERS: usize = 500;

#[derive(Deserialize)]
pub struct Period {
    days: u32,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Numbers {
    counting: bool,
    answers: AnswerTimes,
    subscribers: SubscriberGrowth,
    #[serde(flatten)]
    statistics: Statistics,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct AnswerTimes {
    promise_hours: i64,
    /// The newest first.
    hours: Vec<f64>,
    median_hours: Option<f64>,
    #[serde(flatten)]
    kept: PromisesKept,
    before: PromisesKept,
}

/// Of the leads of a period that were answered: how many in time.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct PromisesKept {
    in_time: usize,
    answered: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct SubscriberGrowth {
    confirmed: u64,
    /// Than when the period began.
    more: i64,
    points: Vec<Growth>,
}

pub async fn show(desk: Desk, Asked(Period { days }): Asked<Period>) -> Answered<Numbers> {
    if !(1..=730).contains(&days) {
        return Err(DeskError::invalid("The number of days must be 1 to 730."));
    }
    let (store, now) = (&desk.store, desk.now);
    let statistics = store.statistics(days, now).await?;
    let begin = statistics.from.to_zoned(site().zone());
    let begin = begin.map_or(now, |begin| begin.timestamp());
    let confirmed = store.confirmed_at(&[begin, now]).await?;
    Ok(Json(Numbers {
        counting: desk.settings().visits.count,
        answers: AnswerTimes::of(&statistics, desk.promise()),
        subscribers: SubscriberGrowth {
            confirmed: confirmed[1],
            more: confirmed[1] as i64 - confirmed[0] as i64,
            points: store.growth(now).await?,
        },
        statistics,
    }))
}

impl AnswerTimes {
    fn of(statistics: &Statistics, promise: SignedDuration) -> Self {
        let answers = statistics.answers.iter();
        let (before, these): (Vec<_>, Vec<_>) =
            answers.partition(|(day, _)| *day < statistics.from);
        let tenths = |hours: f64| (hours * 10.0).round() / 10.0;
        let hours = |(_, waited): &&Answer| tenths(waited.as_secs_f64() / 3600.0);
        let mut hours: Vec<_> = these.iter().map(hours).collect();
        let median = median(hours.clone());
        hours.truncate(ANSWERS);
        Self {
            promise_hours: promise.as_hours(),
            hours,
            median_hours: median.map(tenths),
            kept: PromisesKept::of(&these, promise),
            before: PromisesKept::of(&before, promise),
        }
    }
}

/// The day of the answer, and how long the visitor had waited.
type Answer = (Date, SignedDuration);

impl PromisesKept {
    fn of(answers: &[&Answer], promise: SignedDuration) -> Self {
        let in_time = answers.iter().filter(|(_, waited)| *waited <= promise);
        Self {
            in_time: in_time.count(),
            answered: answers.len(),
        }
    }
}

fn median(mut all: Vec<f64>) -> Option<f64> {
    all.sort_by(f64::total_cmp);
    let middle = all.len() / 2;
    match all.len() % 2 {
        1 => Some(all[middle]),
        _ if all.is_empty() => None,
        _ => Some(f64::midpoint(all[middle - 1], all[middle])),
    }
}
