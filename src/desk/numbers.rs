//! The numbers: visits and what became of them, answers against the promise, the newsletter's growth.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::{Answered, Asked, Desk, Refusal};
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
#[derive(Default, Serialize)]
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

pub async fn show(State(desk): Desk, Asked(Period { days }): Asked<Period>) -> Answered<Numbers> {
    if !(1..=730).contains(&days) {
        let words = "The number of days must be 1 to 730.";
        return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, words));
    }
    let (store, now) = (&desk.parts.store, desk.parts.store.now());
    let statistics = store.statistics(days, now).await?;
    let begin = statistics.from.to_zoned(site().zone());
    let begin = begin.map_or(now, |begin| begin.timestamp());
    let confirmed = store.confirmed_at(&[begin, now]).await?;
    Ok(Json(Numbers {
        counting: desk.parts.settings.visits.count,
        answers: AnswerTimes::of(&statistics, desk.parts.settings.promise.promise),
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
        let (mut hours, mut kept, mut before) =
            (Vec::new(), PromisesKept::default(), PromisesKept::default());
        for (day, waited) in &statistics.answers {
            let of = if *day < statistics.from {
                &mut before
            } else {
                &mut kept
            };
            of.answered += 1;
            of.in_time += usize::from(*waited <= promise);
            if *day >= statistics.from {
                hours.push((waited.as_secs_f64() / 360.0).round() / 10.0);
            }
        }
        let mut sorted = hours.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            1 => sorted.get(middle).copied(),
            _ => (middle > 0).then(|| (sorted[middle - 1] + sorted[middle]) / 2.0),
        };
        hours.truncate(ANSWERS);
        Self {
            promise_hours: promise.as_hours(),
            hours,
            median_hours: median.map(|hours| (hours * 10.0).round() / 10.0),
            kept,
            before,
        }
    }
}
