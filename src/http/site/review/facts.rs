//! What the server says by itself must be fit to be said.

use jiff::tz::TimeZone;
use lettre::Address;

use crate::config::SHORTEST_UNCONFIRMED;
use crate::content::Facts;

pub fn faults(facts: &Facts) -> Vec<String> {
    let (site, kept) = (&facts.site, &facts.retention);
    let mut faults = Vec::new();
    if TimeZone::get(&site.time_zone).is_err() {
        let zone = &site.time_zone;
        faults.push(format!("this program does not know the time zone {zone}"));
    }
    if site.email.parse::<Address>().is_err() {
        let email = &site.email;
        faults.push(format!(
            "no mail can go from or to the site's e-mail {email:?}"
        ));
    }
    if (1..SHORTEST_UNCONFIRMED).contains(&kept.unconfirmed) {
        faults.push(format!(
            "unconfirmed sign-ups are kept for less than the {SHORTEST_UNCONFIRMED} days in which they can be confirmed"
        ));
    }
    faults
}
