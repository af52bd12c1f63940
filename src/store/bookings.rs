//! Calls booked at Cal.com or Calendly, and the leads they belong to.
//!
//! Events arrive late, twice or in any order. Each is a fact that is true from then on: a booking
//! was made for a time, is cancelled, or replaces another. One row per booking holds these facts,
//! and only a new fact changes the lead, so every order leads to the same result.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::deliveries;
use super::lead_changes::{act, record_move};
use super::tx::{Row, Tx, Value, args, record, text_list};
use super::{
    ActionOutcome, DeliveryKind, LeadAction, LeadState, NewLead, Result, Store, leads, spam,
};
use crate::domain::{email_key, span, word_enum};

word_enum!(
    BookingService {
        Cal = "cal",
        Calendly = "calendly",
    }
);

impl BookingService {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cal => "Cal.com",
            Self::Calendly => "Calendly",
        }
    }
}

word_enum!(
    /// How a booking's lead was found.
    MatchedBy {
        /// The lead's id, which our booking links carry.
        Token = "token",
        /// The booker's address.
        Address = "address",
        /// No lead was found: the booking created one.
        Booking = "booking",
    }
);

word_enum!(
    /// Why an event was refused.
    BookingRefusal {
        Signature = "signature",
        /// The event was signed long ago, or by a clock that is ahead.
        Time = "time",
        Shape = "shape",
        /// The call was booked by somebody who is unknown here and has no usable address.
        Booker = "booker",
    }
);

/// A service's report about one booking.
#[derive(Debug, Clone)]
pub struct BookingEvent {
    pub service: BookingService,
    /// The service's id of the booking.
    pub id: String,
    /// When it happened, by the service's clock.
    pub at: Timestamp,
    pub fact: BookingFact,
    /// The id that the booking link carried.
    pub token: Option<String>,
    /// The booker, who becomes a lead if none is known; `None` without a usable address.
    pub booker: Option<NewLead>,
}

#[derive(Debug, Clone)]
pub enum BookingFact {
    Booked {
        /// `None` if the service leaves it out.
        starts_at: Option<Timestamp>,
        /// The booking that this one moves to another time.
        replaces: Option<String>,
    },
    Cancelled {
        /// The booking with the new time, if the call was only moved; empty if it isn't named.
        replaced_by: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BookedCall {
    /// The id of its lead.
    pub lead: String,
    pub name: String,
    pub at: Timestamp,
    pub matched_by: MatchedBy,
    pub service: BookingService,
}

/// When a service's events were last accepted and last refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookingHealth {
    pub taken_at: Option<Timestamp>,
    pub refused_at: Option<Timestamp>,
    pub refusal: Option<BookingRefusal>,
}

/// A condition: the call takes place as far as we know.
const ACTIVE: &str = "bookings.cancelled_at IS NULL AND bookings.replaced_by IS NULL";

/// Strangers can cause refusals, so at most one is stored in this time.
const REFUSAL_PAUSE: SignedDuration = SignedDuration::from_mins(1);

/// After this time without an event, the service may have stopped sending them.
const QUIET: SignedDuration = SignedDuration::from_hours(7 * 24);

/// What became of a service's event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookingOutcome {
    Taken,
    /// The booker became a lead.
    NewLead,
    /// It belongs to no lead, and none can be made of it: see [`BookingRefusal::Booker`].
    NobodyKnown,
}

struct Booking {
    contact_id: Option<String>,
    /// The service reported the booking itself, not only its end.
    is_announced: bool,
    is_cancelled: bool,
    replaced_by: Option<String>,
}

impl Store {
    /// Records a service's event, which is `None` if it isn't about a booking. With `notify`, the
    /// owner gets mail about a cancelled call.
    pub async fn take_booking(
        &self,
        service: BookingService,
        event: Option<BookingEvent>,
        notify: bool,
        now: Timestamp,
    ) -> Result<BookingOutcome> {
        self.write_at(now, move |tx| {
            let outcome = match &event {
                Some(event) => apply(tx, event, notify)?,
                None => BookingOutcome::Taken,
            };
            if outcome != BookingOutcome::NobodyKnown {
                let sql = "INSERT INTO booking_services (service, taken_at) VALUES ($1, $2)
                    ON CONFLICT (service) DO UPDATE SET taken_at = excluded.taken_at";
                tx.execute(sql, args![service, now])?;
            }
            Ok(outcome)
        })
        .await
    }

    pub async fn record_refused_booking(
        &self,
        service: BookingService,
        why: BookingRefusal,
        now: Timestamp,
    ) -> Result<()> {
        let is_new = move |tx: &mut Tx<'_>| {
            let recent = "SELECT 1 FROM booking_services WHERE service = $1 AND refused_at > $2";
            Ok(!tx.exists(recent, args![service, now - REFUSAL_PAUSE])?)
        };
        self.write_if(is_new, move |tx| {
            let sql = "INSERT INTO booking_services (service, refused_at, refusal)
                VALUES ($1, $2, $3) ON CONFLICT (service) DO UPDATE
                SET refused_at = excluded.refused_at, refusal = excluded.refusal";
            tx.execute(sql, args![service, now, why]).map(drop)
        })
        .await
    }

    pub async fn booking_health(&self, service: BookingService) -> Result<BookingHealth> {
        let sql = "SELECT taken_at, refused_at, refusal FROM booking_services WHERE service = $1";
        let read = |row: &Row| record!(row => BookingHealth: taken_at, refused_at, refusal);
        let found = self.query(sql, args![service], read).await?.pop();
        Ok(found.unwrap_or_default())
    }

    /// The calls from one time to another, earliest first.
    pub async fn calls(&self, from: Timestamp, until: Timestamp) -> Result<Vec<BookedCall>> {
        let which = "starts_at >= $1 AND starts_at < $2";
        self.calls_where(which, args![from, until]).await
    }

    /// All calls of these leads, earliest first.
    pub async fn calls_of(&self, leads: &[&str]) -> Result<Vec<BookedCall>> {
        let which = "contact_id IN {list $1} AND starts_at IS NOT NULL";
        self.calls_where(which, &[text_list(leads)]).await
    }

    /// The service whose booking made this lead.
    pub async fn booked_through(&self, lead: &str) -> Result<Option<BookingService>> {
        let sql = "SELECT service FROM bookings WHERE contact_id = $1 AND matched_by = 'booking'
            ORDER BY created_at LIMIT 1";
        Ok(self.query(sql, args![lead], |row| row.at(0)).await?.pop())
    }

    async fn calls_where(&self, which: &str, values: &[Value]) -> Result<Vec<BookedCall>> {
        let sql = format!(
            "SELECT bookings.id, contacts.id AS lead, name, starts_at AS at, matched_by, service
            FROM bookings JOIN contacts ON contacts.id = contact_id
            WHERE {which} AND {ACTIVE} AND contacts.state <> 'spam'
            ORDER BY starts_at, bookings.id"
        );
        let read = |row: &Row| record!(row => BookedCall: lead, name, at, matched_by, service);
        self.query_readable("bookings", &sql, values, read).await
    }
}

fn apply(tx: &mut Tx<'_>, event: &BookingEvent, notify: bool) -> Result<BookingOutcome> {
    // Locked first, as changes of leads and `forget` do, to avoid a deadlock.
    tx.lock(spam::WORDS)?;
    let (service, id) = (event.service, &event.id);
    let before = booking_row(tx, service, id)?;
    let (starts_at, replaces) = match &event.fact {
        BookingFact::Booked {
            starts_at,
            replaces,
        } => (starts_at, replaces.as_deref()),
        BookingFact::Cancelled { replaced_by } => {
            if !before.is_cancelled {
                cancel(tx, event, before, replaced_by.as_deref(), notify)?;
            }
            return Ok(BookingOutcome::Taken);
        }
    };
    if let Some(old) = replaces {
        booking_row(tx, service, old)?;
        let sql = "UPDATE bookings SET replaced_by = $3 WHERE service = $1 AND id = $2";
        tx.execute(sql, args![service, old, id])?;
    }
    if before.is_announced {
        // Only the time may be new.
        let values = args![service, id, *starts_at, event.at];
        let sql = "UPDATE bookings SET starts_at = $3
            WHERE service = $1 AND id = $2 AND told_at < $4 AND starts_at <> $3";
        if let (1.., Some(lead)) = (tx.execute(sql, values)?, &before.contact_id) {
            record_move(tx, lead, service.name())?;
        }
        let sql = "UPDATE bookings SET starts_at = coalesce($3, starts_at), told_at = $4
            WHERE service = $1 AND id = $2 AND told_at < $4";
        tx.execute(sql, values)?;
        return Ok(BookingOutcome::Taken);
    }
    let newer = before.replaced_by.as_deref();
    let mut lead = related_lead(tx, service, replaces.or(newer))?;
    if lead.is_none() {
        lead = find_lead(tx, event)?;
    }
    // If a newer booking replaces this one, the newer one creates the lead.
    let new_booker = event.booker.as_ref();
    let new_booker = new_booker.filter(|_| lead.is_none() && newer.is_none());
    if let Some(booker) = new_booker {
        let key = email_key(booker.contact.email.as_str());
        lead = Some((leads::add(tx, booker, &key)?.id, MatchedBy::Booking));
    } else if lead.is_none() && newer.is_none() {
        // Its row stays empty: the service may tell of it again.
        return Ok(BookingOutcome::NobodyKnown);
    }
    let (lead, matched_by) = lead.unzip();
    let sql = "UPDATE bookings SET starts_at = $3, told_at = $4, contact_id = $5, matched_by = $6
        WHERE service = $1 AND id = $2";
    let values = args![service, id, *starts_at, event.at, &lead, matched_by];
    tx.execute(sql, values)?;
    if let (Some(lead), None) = (lead, newer) {
        mark_booked(tx, &lead, service, replaces.is_some())?;
        if before.is_cancelled {
            reopen(tx, &lead, service, notify)?;
        }
    }
    Ok(match new_booker {
        Some(_) => BookingOutcome::NewLead,
        None => BookingOutcome::Taken,
    })
}

fn cancel(
    tx: &mut Tx<'_>,
    event: &BookingEvent,
    before: Booking,
    replaced_by: Option<&str>,
    notify: bool,
) -> Result<()> {
    let (service, id) = (event.service, &event.id);
    let sql = "UPDATE bookings SET cancelled_at = $3, replaced_by = coalesce(replaced_by, $4)
        WHERE service = $1 AND id = $2";
    tx.execute(sql, args![service, id, event.at, replaced_by])?;
    let is_only_moved = before.replaced_by.is_some() || replaced_by.is_some();
    if is_only_moved {
        return Ok(());
    }
    let lead = match before.contact_id {
        Some(lead) => Some(lead),
        // The call may have been booked before its service was set up here.
        None => find_lead(tx, event)?.map(|(lead, _)| lead),
    };
    match lead {
        Some(lead) => reopen(tx, &lead, service, notify),
        None => Ok(()),
    }
}

/// Reads the booking's row; an unknown booking gets an empty one.
fn booking_row(tx: &mut Tx<'_>, service: BookingService, id: &str) -> Result<Booking> {
    let sql = "INSERT INTO bookings (service, id, created_at) VALUES ($1, $2, $3)
        ON CONFLICT DO NOTHING";
    tx.execute(sql, args![service, id, tx.now])?;
    let sql = "SELECT contact_id, told_at IS NOT NULL AS is_announced,
            cancelled_at IS NOT NULL AS is_cancelled, replaced_by
        FROM bookings WHERE service = $1 AND id = $2";
    let row = tx.query(sql, args![service, id])?.remove(0);
    record!(row => Booking: contact_id, is_announced, is_cancelled, replaced_by)
}

/// A lead's id, and how it was found.
type Match = Option<(String, MatchedBy)>;

/// The lead of the booking that this one replaces, or that replaced it.
fn related_lead(tx: &mut Tx<'_>, service: BookingService, id: Option<&str>) -> Result<Match> {
    let sql = "SELECT contact_id, matched_by FROM bookings
        WHERE service = $1 AND id = $2 AND contact_id IS NOT NULL";
    match tx.first(sql, args![service, id])? {
        Some(row) => Ok(Some((row.get("contact_id")?, row.get("matched_by")?))),
        None => Ok(None),
    }
}

/// Finds the lead by the token, then by the address, unless the owner has marked it as spam: then
/// the call gets a lead of its own.
fn find_lead(tx: &mut Tx<'_>, event: &BookingEvent) -> Result<Match> {
    let sql = "SELECT id FROM contacts WHERE id = $1 AND state <> 'spam'";
    if let Some(lead) = tx.column(sql, args![&event.token])?.pop() {
        return Ok(Some((lead, MatchedBy::Token)));
    }
    let booker = event.booker.as_ref();
    let key = booker.map(|booker| email_key(booker.contact.email.as_str()));
    let sql = "SELECT id FROM contacts WHERE email_key = $1 AND state <> 'spam'
        ORDER BY created_at DESC, id DESC LIMIT 1";
    let found = tx.column(sql, args![&key])?.pop();
    Ok(found.map(|lead| (lead, MatchedBy::Address)))
}

/// Marks the lead as booked. A held lead is released: a booking proves that it is from a person.
fn mark_booked(tx: &mut Tx<'_>, lead: &str, by: BookingService, is_moved: bool) -> Result<()> {
    let who = Some(by.name());
    if act(tx, lead, &LeadAction::Release, who)? == ActionOutcome::IsSpam {
        return Ok(());
    }
    let booked = act(tx, lead, &LeadAction::Mark(LeadState::Booked), who)?;
    if is_moved && booked == ActionOutcome::Already {
        record_move(tx, lead, by.name())?;
    }
    Ok(())
}

/// Reopens the lead of a cancelled call, unless another call is ahead or the owner has changed its
/// state: the visitor waits again, for the promised time, and the owner gets mail.
fn reopen(tx: &mut Tx<'_>, lead: &str, by: BookingService, notify: bool) -> Result<()> {
    let sql = format!(
        "SELECT 1 FROM contacts WHERE id = $1 AND state = 'booked' AND NOT EXISTS (
            SELECT 1 FROM bookings WHERE contact_id = $1 AND {ACTIVE} AND starts_at > $2)"
    );
    if !tx.exists(&sql, args![lead, tx.now])? {
        return Ok(());
    }
    let mark_new = LeadAction::Mark(LeadState::New);
    act(tx, lead, &mark_new, Some(by.name()))?;
    let sql = "UPDATE contacts SET reopened_at = $2, reminded_at = NULL WHERE id = $1";
    tx.execute(sql, args![lead, tx.now])?;
    // A lead has at most one reminder of each kind: the old ones make room for the next.
    let sql =
        "DELETE FROM deliveries WHERE contact_id = $1 AND kind IN ('due_mail', 'due_webhook')";
    tx.execute(sql, args![lead])?;
    if notify {
        let (kind, due) = (DeliveryKind::CallCancelled, Some(tx.now));
        deliveries::add(tx, kind, Some(lead), due)?;
    }
    Ok(())
}

impl BookingHealth {
    /// Whether the service works, the facts in words, and a remedy, which may be empty.
    pub fn in_words(
        &self,
        service: BookingService,
        now: Timestamp,
    ) -> (bool, String, &'static str) {
        let (name, is_calendly) = (service.name(), service == BookingService::Calendly);
        match (self.refused_at, self.taken_at) {
            (Some(refused), _) if self.refused_at > self.taken_at => {
                let why = match self.refusal {
                    Some(BookingRefusal::Time) => "its time is far from this server's",
                    Some(BookingRefusal::Shape) => "its body isn't what this service publishes",
                    Some(BookingRefusal::Booker) => {
                        "somebody booked a call without a usable mail address, so look there"
                    }
                    Some(BookingRefusal::Signature) | None => {
                        "it isn't signed with the secret that is set here"
                    }
                };
                let remedy = if is_calendly {
                    "docs/bookings.md; after 24 hours of refusals Calendly switches the \
                        subscription off, and it has to be made again"
                } else {
                    "compare the webhook at Cal.com with docs/bookings.md"
                };
                let ago = span(refused, now);
                let what = format!("The last event of {name} was refused {ago} ago: {why}.");
                (false, what, remedy)
            }
            (_, Some(last)) => {
                let remedy = if is_calendly && now.duration_since(last) > QUIET {
                    "if calls were booked since, Calendly has switched the subscription off: \
                        make it again, as in docs/bookings.md"
                } else {
                    ""
                };
                let ago = span(last, now);
                (
                    true,
                    format!("The last event of {name} came {ago} ago."),
                    remedy,
                )
            }
            (_, None) => {
                let what = format!("{name} hasn't told of any booking yet.");
                let remedy = "book a call as a test, or see docs/bookings.md";
                (false, what, remedy)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_counts_until_an_event_is_taken_and_silence_is_told_with_its_remedy() {
        let now: Timestamp = "2026-03-08T12:00:00Z".parse().unwrap();
        let ago = |hours: i64| Some(now - SignedDuration::from_hours(hours));
        let (unsigned, off) = (
            "was refused 2h ago: it isn't signed",
            "switched the subscription off",
        );
        for (taken_at, refused_at, expected) in [
            (
                None,
                None,
                (false, "hasn't told of any booking yet", "as a test"),
            ),
            (ago(30), ago(2), (false, unsigned, "24 hours")),
            (ago(2), ago(30), (true, "came 2h ago", "")),
            (ago(24 * 8), None, (true, "came 8d ago", off)),
        ] {
            let health = BookingHealth {
                taken_at,
                refused_at,
                refusal: refused_at.map(|_| BookingRefusal::Signature),
            };
            let (is_well, what, remedy) = health.in_words(BookingService::Calendly, now);
            assert_eq!(is_well, expected.0, "{what}");
            assert!(
                what.contains(expected.1) && remedy.contains(expected.2),
                "{what} {remedy}"
            );
            assert_eq!(remedy.is_empty(), expected.2.is_empty(), "{remedy}");
        }
    }
}
