//! The numbers: visits and their outcomes, answer times against the promise, the newsletter's
//! growth.

use axum::Json;
use axum::extract::Query;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Desk, DeskError, JsonResponse};
use crate::content::site;
use crate::store::{AnswerWait, Growth, Statistics};

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
    answered: usize,
    #[serde(flatten)]
    kept: PromisesKept,
    before: PromisesKept,
}

/// How many of a period's leads that were answered or are late were answered in time.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PromisesKept {
    pub in_time: usize,
    pub of: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct SubscriberGrowth {
    confirmed: u64,
    /// More (or fewer) than at the beginning of the period.
    more: i64,
    points: Vec<Growth>,
}

pub async fn show(desk: Desk, Query(Period { days }): Query<Period>) -> JsonResponse<Numbers> {
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
        answers: AnswerTimes::new(&statistics, begin, desk.promise()),
        subscribers: SubscriberGrowth {
            confirmed: confirmed[1],
            more: confirmed[1] as i64 - confirmed[0] as i64,
            points: store.growth(now).await?,
        },
        statistics,
    }))
}

impl AnswerTimes {
    fn new(statistics: &Statistics, begin: Timestamp, promise: SignedDuration) -> Self {
        let waits = statistics.answers.iter();
        let (before, these): (Vec<&AnswerWait>, Vec<&AnswerWait>) =
            waits.partition(|wait| wait.lead_created_at < begin);
        let tenths = |hours: f64| (hours * 10.0).round() / 10.0;
        let answered = these.iter().filter(|wait| wait.is_answered);
        let hours = answered.map(|wait| tenths(wait.waited.as_secs_f64() / 3600.0));
        let mut hours: Vec<_> = hours.collect();
        let (answered, median) = (hours.len(), median(hours.clone()));
        hours.truncate(ANSWERS);
        let kept = |waits: Vec<&AnswerWait>| {
            let (in_time, of) = AnswerWait::kept(waits, promise);
            PromisesKept { in_time, of }
        };
        Self {
            promise_hours: promise.as_hours(),
            hours,
            median_hours: median.map(tenths),
            answered,
            kept: kept(these),
            before: kept(before),
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
