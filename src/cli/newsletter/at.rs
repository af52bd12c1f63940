//! `frontdoor newsletter send --at`: an issue is stored as it is now, and the
//! server sends it at its time.

use jiff::civil::DateTime;
use jiff::tz::AmbiguousOffset;
use jiff::{SignedDuration, Timestamp};

use super::list::short;
use super::question;
use crate::cli::Failure;
use crate::cli::output::{count, print};
use crate::cli::table::harmless_line;
use crate::content::{SITE, Site};
use crate::store::{NewSchedule, Store};

/// What is later than that is a slip.
const LATEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// The time that the owner says, if it is to come.
pub fn time(text: &str) -> Result<Timestamp, Failure> {
    let time = parse(text, &SITE).and_then(|time| to_come(time, Timestamp::now()));
    time.map_err(|problem| Failure::Usage(format!("--at {}: {problem}", harmless_line(text))))
}

fn parse(text: &str, site: &Site) -> Result<Timestamp, String> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    let local: DateTime = text
        .parse()
        .ok()
        .filter(|_| text.contains(':'))
        .ok_or("must be like 2026-11-20 09:00 or 2026-11-20T09:00:00-05:00")?;
    let zoned = site.zone().to_ambiguous_timestamp(local);
    let zone = &site.time_zone;
    match zoned.offset() {
        AmbiguousOffset::Unambiguous { .. } => zoned
            .unambiguous()
            .map_err(|_| "is too far away".to_owned()),
        AmbiguousOffset::Gap { .. } => Err(format!("the clocks in {zone} leave that time out")),
        AmbiguousOffset::Fold { .. } => Err(format!(
            "the clocks in {zone} show that time twice: write it with its offset, like {}",
            "2026-11-01T01:30:00-04:00"
        )),
    }
}

fn to_come(time: Timestamp, now: Timestamp) -> Result<Timestamp, String> {
    match time.duration_since(now) {
        left if left <= SignedDuration::ZERO => Err("is in the past".into()),
        left if left > LATEST => Err("is more than a year away".into()),
        _ => Ok(time),
    }
}

/// In the site's zone.
pub fn shown(time: Timestamp) -> String {
    let there = time.to_zoned(SITE.zone());
    format!("on {}", there.strftime("%Y-%m-%d at %H:%M (%Z)"))
}

pub async fn schedule(store: &Store, new: NewSchedule, yes: bool) -> Result<(), Failure> {
    let (issue, when) = (new.issue.clone(), shown(new.send_at));
    let counts = store.issue_counts(&issue.id).await?;
    let waiting = counts.waiting;
    if waiting == 0 && counts.sent > 0 {
        return Err(Failure::Failed(
            "nobody is left who does not have it: nothing is scheduled".into(),
        ));
    }
    question::ask(store, &issue, waiting, Some(&when), yes).await?;
    store.schedule(new, store.now()).await?;
    let people = count(waiting, "subscriber", "subscribers");
    Ok(print(&format!(
        "Will be sent {when} by the server, to {people} as of now; its id is {}\n",
        short(&issue.id)
    ))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        let mut site = SITE.clone();
        site.time_zone = "America/Toronto".into();
        site
    }

    #[test]
    fn a_time_is_of_the_sites_zone_unless_it_says_otherwise() {
        for (text, meant) in [
            ("2026-11-20 09:00", "2026-11-20T14:00:00Z"),
            ("2026-07-20 09:00:30", "2026-07-20T13:00:30Z"),
            ("2026-07-20T09:00", "2026-07-20T13:00:00Z"),
            ("2026-11-20T09:00:00+01:00", "2026-11-20T08:00:00Z"),
            ("2026-11-20T09:00:00Z", "2026-11-20T09:00:00Z"),
        ] {
            assert_eq!(parse(text, &site()), Ok(meant.parse().unwrap()), "{text}");
        }
        for text in ["", "tomorrow", "2026-11-20", "09:00", "2026-02-30 09:00"] {
            assert!(parse(text, &site()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_that_the_clocks_leave_out_or_show_twice_is_refused() {
        let gap = parse("2026-03-08 02:30", &site()).unwrap_err();
        assert!(gap.contains("leave that time out"), "{gap}");
        let fold = parse("2026-11-01 01:30", &site()).unwrap_err();
        assert!(fold.contains("with its offset"), "{fold}");
    }

    #[test]
    fn only_a_time_to_come_within_a_year_is_taken() {
        let now = "2026-11-20T09:00:00Z".parse().unwrap();
        let at = |text: &str| to_come(text.parse().unwrap(), now);
        assert!(at("2026-11-20T09:00:00Z").unwrap_err().contains("past"));
        assert!(at("2026-11-20T09:00:01Z").is_ok());
        assert!(at("2028-01-01T00:00:00Z").unwrap_err().contains("year"));
    }
}
