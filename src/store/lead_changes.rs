//! The owner's changes to a lead: its state, a note, releasing it, and undoing the latest change.
//! The command line, the desk and the links in mails all use this module.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::leads::withdraw_notice_if_none_is_left;
use super::spam::{self, SpamLabel};
use super::tx::{Row, Tx, args, record};
use super::{DeliveryKind, LEAVES_AFTER, LeadState, Result, Store};
use crate::domain::{Note, word_enum};

word_enum!(
    /// The kind of an entry in a lead's history.
    LeadEvent {
        /// Its state was changed.
        State = "state",
        Noted = "noted",
        /// It was held, and its deliveries may be sent now.
        Released = "released",
        Replied = "replied",
        /// Its call was moved to another time.
        Moved = "moved",
        /// The previous change was undone.
        Undone = "undone",
    }
);

/// A change that the owner makes to a lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeadAction {
    Mark(LeadState),
    /// `None` deletes the note.
    Note(Option<Note>),
    /// Lets a held lead's deliveries be sent.
    Release,
}

/// The result of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionOutcome {
    Done(LeadChanged),
    /// There was nothing to change: the lead has this state or note, or isn't held.
    Already,
    /// Spam can't be released; it has to be reopened first.
    IsSpam,
    UnknownLead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadChanged {
    /// Its number among the lead's changes, for [`Store::undo_change`].
    pub number: u32,
    pub from: LeadState,
    /// Deliveries that are held until the lead is reopened.
    pub kept_back: u64,
    /// Deliveries that were held and are pending now.
    pub sent_on: u64,
}

/// One entry of a lead's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeadChange {
    pub what: LeadEvent,
    /// The lead's state after the change.
    pub state: LeadState,
    pub changed_at: Timestamp,
    /// The name of the desk's session; `None` for the command line.
    pub who: Option<String>,
}

impl LeadChange {
    fn read(row: &Row) -> Result<Self> {
        let what: Option<LeadEvent> = row.get("what")?;
        record!(row => Self: state, changed_at, who; what: what.unwrap_or(LeadEvent::State))
    }
}

/// The columns that a change may touch, as they were before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Before {
    state: LeadState,
    answered_at: Option<Timestamp>,
    note: Option<String>,
    released_at: Option<Timestamp>,
    label: Option<SpamLabel>,
}

impl Store {
    /// Makes a change, which may also train the spam filter. Deliveries of spam are held until the
    /// lead is reopened.
    pub async fn act_on_lead(
        &self,
        id: &str,
        action: LeadAction,
        who: Option<&str>,
        now: Timestamp,
    ) -> Result<ActionOutcome> {
        let (id, who) = (id.to_owned(), who.map(str::to_owned));
        self.write_at(now, move |tx| act(tx, &id, &action, who.as_deref()))
            .await
    }

    /// Undoes a lead's change. Returns false if that is impossible, as after a later change.
    pub async fn undo_change(
        &self,
        id: &str,
        number: u32,
        who: Option<&str>,
        now: Timestamp,
    ) -> Result<bool> {
        let (id, who) = (id.to_owned(), who.map(str::to_owned));
        self.write_at(now, move |tx| undo(tx, &id, number, who.as_deref()))
            .await
    }

    /// A lead's history, latest last.
    pub async fn lead_changes(&self, id: &str) -> Result<Vec<LeadChange>> {
        let sql = "SELECT contact_id AS id, state, changed_at, who, what FROM contact_changes
            WHERE contact_id = $1 ORDER BY number";
        self.query_readable("contact_changes", sql, args![id], LeadChange::read)
            .await
    }
}

pub(super) fn act(
    tx: &mut Tx<'_>,
    id: &str,
    action: &LeadAction,
    who: Option<&str>,
) -> Result<ActionOutcome> {
    let Some((before, hold_reason)) = lock_lead(tx, id)? else {
        return Ok(ActionOutcome::UnknownLead);
    };
    let from = before.state;
    let (mut kept_back, mut sent_on) = (0, 0);
    // At the desk, ten seconds are left to undo it.
    let leaves_at = who.map_or(tx.now, |_| tx.now + LEAVES_AFTER);
    let (event, state) = match action {
        LeadAction::Mark(state) if *state == from => return Ok(ActionOutcome::Already),
        LeadAction::Mark(state) => {
            set_state(tx, id, from, *state)?;
            match state {
                LeadState::Spam => kept_back = hold_deliveries(tx, id)?,
                LeadState::New if from == LeadState::Spam => {
                    sent_on = release_deliveries(tx, id, DeliveryKind::ALL, leaves_at)?;
                }
                LeadState::New => drop_held(tx, id)?,
                LeadState::Answered | LeadState::Booked | LeadState::Closed => {
                    delete_reminders(tx, id)?;
                    // Mails about an answered message would only confuse.
                    sent_on = release_deliveries(tx, id, &[DeliveryKind::LeadWebhook], leaves_at)?;
                }
            }
            (LeadEvent::State, *state)
        }
        LeadAction::Note(note) => {
            let note = note.as_ref().map(Note::as_str);
            if note == before.note.as_deref() {
                return Ok(ActionOutcome::Already);
            }
            let sql = "UPDATE contacts SET note = $2 WHERE id = $1";
            tx.execute(sql, args![id, note])?;
            (LeadEvent::Noted, from)
        }
        LeadAction::Release if from == LeadState::Spam => return Ok(ActionOutcome::IsSpam),
        LeadAction::Release if hold_reason.is_none() || before.released_at.is_some() => {
            return Ok(ActionOutcome::Already);
        }
        LeadAction::Release => {
            let sql = "UPDATE contacts SET released_at = $2 WHERE id = $1";
            tx.execute(sql, args![id, tx.now])?;
            spam::set_label(tx, id, Some(SpamLabel::Genuine))?;
            sent_on = release_deliveries(tx, id, DeliveryKind::ALL, leaves_at)?;
            (LeadEvent::Released, from)
        }
    };
    withdraw_notice_if_none_is_left(tx)?;
    let number = record_change(tx, id, event, state, who, Some(&before))?;
    Ok(ActionOutcome::Done(LeadChanged {
        number,
        from,
        kept_back,
        sent_on,
    }))
}

/// A booked call answers the visitor, too. The new state also labels the message for the spam
/// filter. A genuine one is no longer held.
fn set_state(tx: &mut Tx<'_>, id: &str, from: LeadState, to: LeadState) -> Result<()> {
    let sql = "UPDATE contacts SET state = $2, answered_at = CASE $2
            WHEN 'new' THEN NULL
            WHEN 'answered' THEN coalesce(answered_at, $3)
            WHEN 'booked' THEN coalesce(answered_at, $3)
            ELSE answered_at END
        WHERE id = $1";
    tx.execute(sql, args![id, to, tx.now])?;
    let label = match (from, to) {
        (_, LeadState::Spam) => SpamLabel::Spam,
        (LeadState::Spam, _) | (_, LeadState::Answered | LeadState::Booked) => SpamLabel::Genuine,
        (_, LeadState::New | LeadState::Closed) => return Ok(()),
    };
    if label == SpamLabel::Genuine {
        let sql = "UPDATE contacts SET released_at = $2
            WHERE id = $1 AND hold_reason IS NOT NULL AND released_at IS NULL";
        tx.execute(sql, args![id, tx.now])?;
    }
    spam::set_label(tx, id, Some(label))
}

/// Deletes reminders and notices of cancelled calls. One that is being sent may still arrive. A
/// lead that is reopened gets a new reminder.
fn delete_reminders(tx: &mut Tx<'_>, id: &str) -> Result<()> {
    let sql = "DELETE FROM deliveries WHERE contact_id = $1
        AND state IN ('pending', 'held') AND kind IN ('due_mail', 'due_webhook', 'call_cancelled')";
    if tx.execute(sql, args![id])? > 0 {
        let sql = "UPDATE contacts SET reminded_at = NULL WHERE id = $1";
        tx.execute(sql, args![id])?;
    }
    Ok(())
}

fn undo(tx: &mut Tx<'_>, id: &str, number: u32, who: Option<&str>) -> Result<bool> {
    let Some((after, _)) = lock_lead(tx, id)? else {
        return Ok(false);
    };
    let sql = "SELECT before FROM contact_changes WHERE contact_id = $1 AND number = $2
        AND number = (SELECT max(number) FROM contact_changes WHERE contact_id = $1)";
    let Some(row) = tx.first(sql, args![id, number])? else {
        return Ok(false);
    };
    let before: Option<String> = row.get("before")?;
    let Some(before) = before.and_then(|json| serde_json::from_str::<Before>(&json).ok()) else {
        return Ok(false);
    };
    let sql = "UPDATE contacts SET state = $2, answered_at = $3, note = $4, released_at = $5
        WHERE id = $1";
    let Before { state, note, .. } = &before;
    let (answered_at, released_at) = (before.answered_at, before.released_at);
    tx.execute(sql, args![id, *state, answered_at, note, released_at])?;
    spam::set_label(tx, id, before.label)?;
    if *state == LeadState::Spam || after.released_at != before.released_at {
        hold_deliveries(tx, id)?;
    } else if after.state == LeadState::Spam {
        let leaves_at = tx.now;
        release_deliveries(tx, id, DeliveryKind::ALL, leaves_at)?;
    }
    record_change(tx, id, LeadEvent::Undone, *state, who, None)?;
    Ok(true)
}

/// Locks the lead's row. Returns it, and why the lead is or was held.
fn lock_lead(tx: &mut Tx<'_>, id: &str) -> Result<Option<(Before, Option<String>)>> {
    // Locked first, as `forget` does, to avoid a deadlock.
    tx.lock(spam::WORDS)?;
    let sql = "SELECT state, answered_at, note, released_at, spam_lesson, hold_reason
        FROM contacts WHERE id = $1 {for_update}";
    let Some(row) = tx.first(sql, args![id])? else {
        return Ok(None);
    };
    let lesson: Option<String> = row.get("spam_lesson")?;
    let label = lesson.and_then(|lesson| lesson.split_once(':')?.0.parse().ok());
    let before: Result<_> =
        record!(row => Before: state, answered_at, note, released_at; label: label);
    Ok(Some((before?, row.get("hold_reason")?)))
}

/// Holds the lead's pending deliveries. The success of one that is being sent is still recorded,
/// but a failure isn't retried. A notice of held leads stays, as it is also about other leads.
fn hold_deliveries(tx: &mut Tx<'_>, id: &str) -> Result<u64> {
    let sql = "UPDATE deliveries SET state = 'held', next_attempt_at = NULL
        WHERE contact_id = $1 AND state = 'pending' AND kind <> 'held_notice'";
    tx.execute(sql, args![id])
}

/// Makes held deliveries of these kinds pending, unless the lead itself is held.
fn release_deliveries(
    tx: &mut Tx<'_>,
    id: &str,
    kinds: &[DeliveryKind],
    leaves_at: Timestamp,
) -> Result<u64> {
    let sql = format!(
        "UPDATE deliveries SET state = 'pending', next_attempt_at = $2
        WHERE contact_id = $1 AND state = 'held' AND kind IN ({})
            AND NOT EXISTS (SELECT 1 FROM contacts
                WHERE id = $1 AND hold_reason IS NOT NULL AND released_at IS NULL)",
        DeliveryKind::sql_list(|kind| kinds.contains(&kind))
    );
    tx.wake();
    tx.execute(&sql, args![id, leaves_at])
}

/// Deletes the deliveries that are still held although the lead isn't: "we'll answer soon" would
/// only confuse somebody who has had an answer.
fn drop_held(tx: &mut Tx<'_>, id: &str) -> Result<()> {
    let sql = "DELETE FROM deliveries WHERE contact_id = $1 AND state = 'held'
        AND NOT EXISTS (SELECT 1 FROM contacts
            WHERE id = $1 AND hold_reason IS NOT NULL AND released_at IS NULL)";
    tx.execute(sql, args![id]).map(drop)
}

/// Records that a reply from the desk, sent at this time, answered the visitor. Somebody who
/// answers spam doesn't take it for spam, unless they marked it after that.
pub(super) fn record_reply(tx: &mut Tx<'_>, id: &str, who: &str, sent_at: Timestamp) -> Result<()> {
    let Some((before, _)) = lock_lead(tx, id)? else {
        return Ok(());
    };
    let sql = "SELECT 1 FROM contact_changes WHERE contact_id = $1 AND changed_at > $2";
    let is_waiting = match before.state {
        LeadState::New => true,
        LeadState::Spam => !tx.exists(sql, args![id, sent_at])?,
        LeadState::Answered | LeadState::Booked | LeadState::Closed => false,
    };
    let (state, who) = (before.state, Some(who));
    record_change(tx, id, LeadEvent::Replied, state, who, None)?;
    if is_waiting {
        let answered = LeadAction::Mark(LeadState::Answered);
        act(tx, id, &answered, who)?;
    }
    Ok(())
}

/// Records that a booking service moved the lead's call.
pub(super) fn record_move(tx: &mut Tx<'_>, id: &str, who: &str) -> Result<()> {
    if let Some((before, _)) = lock_lead(tx, id)? {
        let (event, state) = (LeadEvent::Moved, before.state);
        record_change(tx, id, event, state, Some(who), None)?;
    }
    Ok(())
}

/// Returns the number of the change.
fn record_change(
    tx: &mut Tx<'_>,
    id: &str,
    what: LeadEvent,
    state: LeadState,
    who: Option<&str>,
    before: Option<&Before>,
) -> Result<u32> {
    let before = before.and_then(|before| serde_json::to_string(before).ok());
    let sql = "INSERT INTO contact_changes (contact_id, number, state, changed_at, who, what, before)
        VALUES ($1, (SELECT coalesce(max(number), 0) FROM contact_changes WHERE contact_id = $1) + 1,
            $2, $3, $4, $5, $6)
        RETURNING number";
    let values = args![id, state, tx.now, who, what, before];
    tx.value(sql, values)
}
