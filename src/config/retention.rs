//! How long what visitors send is kept. What is not set is what the privacy
//! policy of the pages prints that are shown (`content/retention.toml`).

use jiff::SignedDuration;

use super::parse::Parsed;
use super::setting::settings;
use crate::content::{RETENTION, Retention};
use crate::store::OldRecords;

/// `None`: for ever.
pub type Period = Option<SignedDuration>;

settings! {
    RetentionArgs in "Retention" => RetentionSettings {
        /// Days after the last contact for which answered, booked and closed
        /// leads are kept; 0: for ever
        #[arg(env = "FRONTDOOR_KEEP_LEADS_DAYS", value_name = "DAYS")]
        keep_leads_days => leads: Option<Period> = days, or none as "the privacy policy's";

        /// Days for which leads that were marked as spam are kept; 0: for ever
        #[arg(env = "FRONTDOOR_KEEP_SPAM_DAYS", value_name = "DAYS")]
        keep_spam_days => spam: Option<Period> = days, or none as "the privacy policy's";

        /// Days for which newsletter sign-ups that nobody confirmed are kept, at
        /// least 7; 0: for ever
        #[arg(env = "FRONTDOOR_KEEP_UNCONFIRMED_DAYS", value_name = "DAYS")]
        keep_unconfirmed_days => unconfirmed: Option<Period> = while_links_work, or none as "the privacy policy's";

        /// Days for which the proof of a consent is kept after it was withdrawn;
        /// 0: for ever
        #[arg(env = "FRONTDOOR_KEEP_UNSUBSCRIBED_DAYS", value_name = "DAYS")]
        keep_unsubscribed_days => unsubscribed: Option<Period> = days, or none as "the privacy policy's";

        /// Days for which deliveries are listed after they arrived or were given
        /// up; 0: for ever
        #[arg(env = "FRONTDOOR_KEEP_DELIVERIES_DAYS", value_name = "DAYS")]
        keep_deliveries_days => deliveries: Option<Period> = days, or none as "the privacy policy's";

        /// Days for which links of confirmation mails are kept after they stopped
        /// working; 0: for ever
        #[arg(env = "FRONTDOOR_KEEP_LINKS_DAYS", value_name = "DAYS")]
        keep_links_days => links: Option<Period> = days, or none as "the privacy policy's";

        /// Days for which it is kept what the mail server said when it refused an
        /// address; 0: for ever
        #[arg(env = "FRONTDOOR_KEEP_REFUSALS_DAYS", value_name = "DAYS")]
        keep_refusals_days => refusals: Option<Period> = days, or none as "the privacy policy's";

        /// Days for which newsletter issues that were sent at a set time, or called
        /// off, are kept as they were; 0: for ever
        #[arg(env = "FRONTDOOR_KEEP_SCHEDULES_DAYS", value_name = "DAYS")]
        keep_schedules_days => schedules: Option<Period> = days, or none as "the privacy policy's";
    }
}

/// In days: so long the link to confirm works.
pub const SHORTEST_UNCONFIRMED: u32 = 7;
const MOST: u32 = 36_500;

impl RetentionSettings {
    pub fn period(&self, of: OldRecords) -> Period {
        let set = self.set(of);
        set.unwrap_or_else(|| promised(of, &RETENTION))
    }

    fn set(&self, of: OldRecords) -> Option<Period> {
        match of {
            OldRecords::Leads => self.leads,
            OldRecords::Spam => self.spam,
            OldRecords::Unconfirmed => self.unconfirmed,
            OldRecords::Unsubscribed | OldRecords::PastConsents => self.unsubscribed,
            OldRecords::Deliveries => self.deliveries,
            OldRecords::Links => self.links,
            OldRecords::Refusals | OldRecords::RefusedIssues => self.refusals,
            OldRecords::Schedules => self.schedules,
        }
    }

    /// As if all that a policy says were set.
    fn of(policy: &Retention) -> Self {
        let days = |days| Some(period(days));
        Self {
            leads: days(policy.leads),
            spam: days(policy.spam),
            unconfirmed: days(policy.unconfirmed),
            unsubscribed: days(policy.unsubscribed),
            deliveries: days(policy.deliveries),
            links: days(policy.links),
            refusals: days(policy.refusals),
            schedules: days(policy.schedules),
        }
    }

    /// What is kept for longer than the privacy policy of the present pages says.
    pub fn beyond_the_policy(&self) -> impl Iterator<Item = OldRecords> + '_ {
        let policy = RetentionArgs::default().load().ok();
        OldRecords::ALL.into_iter().filter(move |of| {
            let promised = policy.as_ref().and_then(|policy| policy.period(*of));
            let is_longer = |ours| promised.is_some_and(|promised| ours > promised);
            self.period(*of).map_or(promised.is_some(), is_longer)
        })
    }
}

/// By the policy of a site.
pub fn promised(of: OldRecords, policy: &Retention) -> Period {
    RetentionSettings::of(policy).set(of).flatten()
}

fn days(text: &str) -> Parsed<Period> {
    let number: Option<u32> = text.parse().ok().filter(|days| *days <= MOST);
    let number = number.ok_or("must be a whole number of days from 0 (for ever) to 36500")?;
    Ok(period(number))
}

fn while_links_work(text: &str) -> Parsed<Period> {
    match text.parse::<u32>() {
        Ok(1..SHORTEST_UNCONFIRMED) => Err("must be 0 (for ever) or at least 7 days".into()),
        _ => days(text),
    }
}

fn period(days: u32) -> Period {
    (days > 0).then(|| SignedDuration::from_hours(24 * i64::from(days)))
}
