//! Newsletter subscribers: signing up, confirming, unsubscribing and importing, with proof of
//! consent.

use std::time::Duration;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _};
use serde::Serialize;
use uuid::Uuid;

use super::deliveries::{self, RESTART, UNLEASED};
use super::select::Select;
use super::tx::{Row, Tx, Value, args, record};
use super::{Cursor, DeliveryKind, Result, Store, StoreError};
use crate::content::site;
use crate::domain::{
    Email, HoldReason, SecretToken, Subscription, email_key, invitation_pause, word_enum,
};

/// How long the link in a confirmation mail is valid.
pub const CONFIRM_LINK_TTL: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The columns of a consent, current or past.
const CONSENT: &str = "created_at, page, consent_version, consent_text, confirmed_at,
    unsubscribed_at, import_file, import_source";

word_enum!(
    SubscriberState {
        /// Requested, but not confirmed by the owner of the address.
        Pending = "pending",
        /// Gets every issue.
        Confirmed = "confirmed",
        /// Gets nothing.
        Unsubscribed = "unsubscribed",
    }
);

word_enum!(
    LinkPurpose {
        Confirm = "confirm",
        Unsubscribe = "unsubscribe",
    }
);

/// A consent and its later events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ConsentRecord {
    pub created_at: Timestamp,
    pub page: Option<String>,
    pub consent_version: u32,
    pub consent_text: Option<String>,
    pub confirmed_at: Option<Timestamp>,
    pub unsubscribed_at: Option<Timestamp>,
    /// The file from which a consent given elsewhere was imported.
    pub import_file: Option<String>,
    /// Where it was given, according to that file.
    pub import_source: Option<String>,
}

impl ConsentRecord {
    fn read(row: &Row) -> Result<Self> {
        record!(row => Self: created_at, page, consent_version, consent_text, confirmed_at,
            unsubscribed_at, import_file, import_source)
    }

    /// The proof, as labels and words.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        // With the offset, because the reader may live in another zone.
        let second = |time: Timestamp| {
            let there = time.to_zoned(site().zone());
            there.strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
        };
        let time = |time: Option<Timestamp>| time.map_or("never".to_owned(), second);
        let known = |text: &Option<String>| text.clone().unwrap_or("not known".into());
        let text = self.consent_text.as_deref();
        let text = text.unwrap_or("an older version; see the history of content/blog.toml");
        let mut facts = match &self.import_file {
            Some(file) => vec![
                ("Imported", second(self.created_at)),
                ("With the file", file.clone()),
                ("Source", known(&self.import_source)),
                ("Consent", "given elsewhere, as the owner says".into()),
            ],
            None => vec![
                ("Subscribed", second(self.created_at)),
                ("On the page", known(&self.page)),
                ("Wording", format!("version {}", self.consent_version)),
            ],
        };
        facts.extend([
            ("Text", text.to_owned()),
            ("Confirmed", time(self.confirmed_at)),
            ("Unsubscribed", time(self.unsubscribed_at)),
        ]);
        facts
    }
}

#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Subscriber {
    pub id: String,
    pub email: String,
    pub state: SubscriberState,
    #[serde(flatten)]
    pub consent: ConsentRecord,
    pub hold_reason: Option<String>,
    /// When the last confirmation mail was requested; `None` without a mail server.
    pub invited_at: Option<Timestamp>,
    /// How many confirmation mails were requested since the last confirmation.
    #[serde(skip)]
    pub invitations: u32,
    /// The mail server's codes of the last permanent refusal.
    pub refused_code: Option<String>,
    pub refused_at: Option<Timestamp>,
    /// Since when the address has been left out of every issue.
    pub suspended_at: Option<Timestamp>,
}

impl Subscriber {
    fn read(row: &Row) -> Result<Self> {
        record!(row => Self: id, email, state, hold_reason, invited_at, invitations, refused_code,
            refused_at, suspended_at; consent: ConsentRecord::read(row)?)
    }
}

/// Personal data must not reach a log through a stray `{:?}`.
impl std::fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Subscriber({}, {})", self.id, self.state.as_str())
    }
}

/// The result of a sign-up. The visitor must not learn which one it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subscribed {
    /// A confirmation mail is due.
    Invited,
    /// Stored, but there is no mail server to confirm it with.
    Unconfirmed,
    /// Already confirmed, held, or requested again too soon.
    Unchanged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    /// Following it would change something.
    Open,
    /// The subscriber has already unsubscribed.
    Done,
    /// Expired or used.
    Gone,
    Unknown,
}

/// The recipient of a confirmation mail, and the links of this one mail.
#[derive(Debug, Clone)]
pub struct Invitation {
    pub email: String,
    pub confirm: SecretToken,
    pub unsubscribe: SecretToken,
}

/// Which subscribers to list, newest first.
#[derive(Debug, Clone, Default)]
pub struct SubscriberFilter {
    pub state: Option<SubscriberState>,
    /// Only addresses suspended after a refusal.
    pub suspended: bool,
    pub since: Option<Timestamp>,
    /// A part of the address, in lower case.
    pub search: Option<String>,
    pub after: Option<Cursor>,
    pub limit: usize,
}

/// How many subscribers there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SubscriberCounts {
    /// Suspended ones included.
    pub confirmed: u64,
    pub pending: u64,
    pub unsubscribed: u64,
    pub suspended: u64,
}

/// The number of confirmed subscribers at the end of a month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Growth {
    /// `2026-11`
    pub month: String,
    pub confirmed: u64,
}

/// A person from the owner's file who consented elsewhere, with the proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub email: Email,
    /// The text that they agreed to, according to the owner.
    pub consent: String,
    pub file_name: String,
    /// Where they consented, according to the file.
    pub source: Option<String>,
    pub welcome: Welcome,
}

/// How an imported person becomes a subscriber.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Welcome {
    /// They confirm by a mail that is due after this delay.
    ByMail(Duration),
    /// They confirmed elsewhere, at the time in the file or else now.
    ConfirmedElsewhere(Option<Timestamp>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Imported {
    /// Stored, and asked to confirm.
    Invited,
    /// Stored as confirmed.
    Confirmed,
    /// Already confirmed.
    Known,
    /// Already asked to confirm.
    Waiting,
    /// Has unsubscribed and stays unsubscribed.
    Withdrawn,
    /// The mail server refuses the address; it stays suspended.
    Suspended,
}

impl Imported {
    /// Decides by what is stored about the address.
    pub fn decide(known: Option<&Subscriber>, welcome: &Welcome) -> Self {
        let known = known.map(|known| (known.state, known.suspended_at.is_some()));
        match (known, welcome) {
            (Some((SubscriberState::Unsubscribed, _)), _) => Self::Withdrawn,
            (Some((_, true)), _) => Self::Suspended,
            (Some((SubscriberState::Confirmed, _)), _) => Self::Known,
            (Some((SubscriberState::Pending, _)), Welcome::ByMail(_)) => Self::Waiting,
            (_, Welcome::ConfirmedElsewhere(_)) => Self::Confirmed,
            (None, Welcome::ByMail(_)) => Self::Invited,
        }
    }
}

impl Store {
    /// Stores a sign-up and, with `by_mail`, requests a confirmation mail, unless one was requested
    /// recently.
    pub async fn subscribe(
        &self,
        new: Subscription,
        by_mail: bool,
        now: Timestamp,
    ) -> Result<Subscribed> {
        self.write_at(now, move |tx| subscribe(tx, &new, by_mail))
            .await
    }

    /// Finds the address in any spelling.
    pub async fn subscriber(&self, email: &str) -> Result<Option<Subscriber>> {
        let sql = "SELECT subscribers.* FROM subscribers WHERE email_key = $1";
        let key = args![email_key(email)];
        Ok(self.query(sql, key, Subscriber::read).await?.pop())
    }

    pub async fn subscriber_by_id(&self, id: &str) -> Result<Option<Subscriber>> {
        let sql = "SELECT * FROM subscribers WHERE id = $1";
        Ok(self.query(sql, args![id], Subscriber::read).await?.pop())
    }

    pub async fn subscriber_counts(&self) -> Result<SubscriberCounts> {
        let sql = "SELECT count(CASE WHEN state = 'confirmed' THEN 1 END) AS confirmed,
                count(CASE WHEN state = 'pending' THEN 1 END) AS pending,
                count(CASE WHEN state = 'unsubscribed' THEN 1 END) AS unsubscribed,
                count(CASE WHEN state = 'confirmed' THEN suspended_at END) AS suspended
            FROM subscribers";
        let read = |row: &Row| record!(row => SubscriberCounts: confirmed, pending, unsubscribed, suspended);
        Ok(self.query(sql, &[], read).await?.remove(0))
    }

    /// How many subscribers were confirmed and hadn't unsubscribed at each of these times.
    pub async fn confirmed_at(&self, times: &[Timestamp]) -> Result<Vec<u64>> {
        let count = |index| {
            format!(
                "count(CASE WHEN confirmed_at <= ${index}
                    AND (unsubscribed_at IS NULL OR unsubscribed_at > ${index}) THEN 1 END)"
            )
        };
        let counts: Vec<_> = (1..=times.len()).map(count).collect();
        let sql = format!("SELECT {} FROM subscribers", counts.join(", "));
        let values: Vec<Value> = times.iter().map(|time| (*time).into()).collect();
        let indexes = 0..times.len();
        let read = move |row: &Row| indexes.clone().map(|index| row.at(index)).collect();
        Ok(self.query(&sql, &values, read).await?.remove(0))
    }

    /// The last twelve months, the current one last and as of now.
    pub async fn growth(&self, now: Timestamp) -> Result<Vec<Growth>> {
        let zone = site().zone();
        let first = now.to_zoned(zone.clone()).date().first_of_month();
        let months: Vec<_> = (0..12)
            .rev()
            .map(|back| first.saturating_sub(back.months()))
            .collect();
        let end = |month: &Date| {
            let next = month.saturating_add(1.month()).to_zoned(zone.clone());
            next.map_or(now, |next| next.timestamp().min(now))
        };
        let ends: Vec<_> = months.iter().map(end).collect();
        let counts = self.confirmed_at(&ends).await?.into_iter();
        let growth = months.iter().zip(counts).map(|(month, confirmed)| Growth {
            month: month.strftime("%Y-%m").to_string(),
            confirmed,
        });
        Ok(growth.collect())
    }

    pub async fn subscribers(&self, filter: SubscriberFilter) -> Result<Vec<Subscriber>> {
        let mut select = Select::new("SELECT subscribers.* FROM subscribers WHERE true");
        select.and_if("created_at >= ?", filter.since);
        select.and_if("state = ?", filter.state);
        if filter.suspended {
            select.and("suspended_at IS NOT NULL");
        }
        // Contains the text, in which `LIKE` would take some characters for patterns.
        select.and_if(
            "replace(lower(email), ?, '') <> lower(email)",
            filter.search,
        );
        let (after, limit) = (filter.after, filter.limit);
        select
            .newest(self, "subscribers", after, limit, Subscriber::read)
            .await
    }

    /// Consents that a subscriber withdrew before giving the current one, oldest first.
    pub async fn past_consents(&self, subscriber_id: &str) -> Result<Vec<ConsentRecord>> {
        let sql =
            format!("SELECT {CONSENT} FROM past_consents WHERE subscriber_id = $1 ORDER BY number");
        self.query(&sql, args![subscriber_id], ConsentRecord::read)
            .await
    }

    /// Returns what following a link would do; changes nothing.
    pub async fn link_state(
        &self,
        token: &SecretToken,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<LinkState> {
        let hash = token.hash();
        self.read(move |tx| Ok(link_state(tx, &hash, purpose, now)?.0))
            .await
    }

    /// Confirms or unsubscribes, by the `purpose`. Returns the link's state before:
    /// [`LinkState::Open`] means that it is done now.
    pub async fn follow_link(
        &self,
        token: &SecretToken,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<LinkState> {
        let hash = token.hash();
        self.write_at(now, move |tx| {
            let (state, id) = link_state(tx, &hash, purpose, now)?;
            if state != LinkState::Open {
                return Ok(state);
            }
            // Checks the state again: another replica may have followed a link meanwhile.
            let sql = match purpose {
                LinkPurpose::Confirm => {
                    "UPDATE subscribers SET state = 'confirmed', confirmed_at = $2,
                        invitations = 0, suspended_at = NULL, refusals = 0, refused_code = NULL,
                        refused_at = NULL, refused_issue = NULL
                    WHERE id = $1 AND state = 'pending'"
                }
                // The invitation count stays, so that unsubscribing can't be used to have more mail
                // sent to an address.
                LinkPurpose::Unsubscribe => {
                    "UPDATE subscribers SET state = 'unsubscribed', unsubscribed_at = $2
                    WHERE id = $1 AND state <> 'unsubscribed'"
                }
            };
            if tx.execute(sql, args![&id, now])? == 0 {
                return Ok(link_state(tx, &hash, purpose, now)?.0);
            }
            close_confirmation(tx, &id)?;
            Ok(LinkState::Open)
        })
        .await
    }

    /// Stores people who consented elsewhere, without overriding anyone's own decision. Importing
    /// the same people again changes nothing.
    pub async fn import_subscribers(
        &self,
        people: Vec<Import>,
        now: Timestamp,
    ) -> Result<Vec<Imported>> {
        self.write_at(now, move |tx| {
            people.iter().map(|each| import(tx, each)).collect()
        })
        .await
    }

    /// Resumes sending to an address that was suspended after a refusal; returns false if there is
    /// none.
    pub async fn resume_subscriber(&self, email: &str) -> Result<bool> {
        let sql = "UPDATE subscribers SET suspended_at = NULL, refusals = 0,
                refused_code = NULL, refused_at = NULL, refused_issue = NULL
            WHERE email_key = $1 AND suspended_at IS NOT NULL";
        Ok(self.execute(sql, args![email_key(email)]).await? > 0)
    }
}

/// A new address becomes pending and is invited to confirm. A pending one is invited again after a
/// pause, or at once if the first mail failed. An unsubscribed one starts over, and its withdrawn
/// consent is kept as a past one. A confirmed one isn't changed, unless it is suspended: then it
/// starts over, too. An address from a filled-in honeypot is stored but never invited.
fn subscribe(tx: &mut Tx<'_>, new: &Subscription, by_mail: bool) -> Result<Subscribed> {
    let (email, hold) = (new.email.as_str(), new.hold);
    let consent = ConsentRecord {
        created_at: tx.now,
        page: new.page.clone(),
        consent_version: new.consent.version,
        consent_text: new.consent.wording.clone(),
        ..ConsentRecord::default()
    };
    let Some(known) = find(tx, email)? else {
        let id = store_consent(tx, None, email, &consent, hold)?;
        return match new.hold {
            Some(_) => Ok(Subscribed::Unchanged),
            None => invite(tx, &id, by_mail, consent.created_at),
        };
    };
    let sql = "UPDATE subscribers SET last_asked_at = $2 WHERE id = $1";
    tx.execute(sql, args![&known.id, tx.now])?;
    let gets_issues = known.state == SubscriberState::Confirmed && known.suspended_at.is_none();
    if gets_issues || new.hold.is_some() {
        return Ok(Subscribed::Unchanged);
    }
    let pause = invitation_pause(known.invitations);
    let next_invitation = known.invited_at.map_or(tx.now, |time| time + pause);
    if known.state == SubscriberState::Pending && known.hold_reason.is_none() {
        match open_invitation(tx, &known.id)? {
            // No mail has arrived, so neither the pause between mails nor the retry delay applies.
            Some((delivery, true)) if by_mail => {
                store_consent(tx, Some(known.id), email, &consent, hold)?;
                tx.execute(&format!("{RESTART} WHERE id = $2"), args![tx.now, delivery])?;
                tx.wake();
                return Ok(Subscribed::Invited);
            }
            None if next_invitation <= tx.now => {}
            _ => return Ok(Subscribed::Unchanged),
        }
    }
    if known.state != SubscriberState::Pending {
        let sql = format!(
            "INSERT INTO past_consents (subscriber_id, number, {CONSENT})
            SELECT id, (SELECT coalesce(max(number), 0) FROM past_consents WHERE subscriber_id = $1) + 1,
                {CONSENT}
            FROM subscribers WHERE id = $1"
        );
        tx.execute(&sql, args![&known.id])?;
    }
    let id = store_consent(tx, Some(known.id), email, &consent, hold)?;
    // A person who has just unsubscribed and signs up again is invited, too, a little later.
    let due = next_invitation.clamp(tx.now, tx.now + pause);
    invite(tx, &id, by_mail, due)
}

/// Finds an address and locks it until the transaction ends.
fn find(tx: &mut Tx<'_>, email: &str) -> Result<Option<Subscriber>> {
    let key = email_key(email);
    tx.lock(&format!("subscriber {key}"))?;
    let sql = "SELECT subscribers.* FROM subscribers WHERE email_key = $1";
    let found = tx.first(sql, args![key])?;
    found.as_ref().map(Subscriber::read).transpose()
}

/// Stores the consent that counts from now on, in a new row or in the row with this id. Returns the
/// id.
fn store_consent(
    tx: &mut Tx<'_>,
    id: Option<String>,
    email: &str,
    consent: &ConsentRecord,
    hold: Option<HoldReason>,
) -> Result<String> {
    let id = id.unwrap_or_else(|| Uuid::now_v7().to_string());
    // The address as typed, in lower case: mail servers may not know the key's spelling.
    let (email, key) = (email.to_lowercase(), email_key(email));
    let state = match consent.confirmed_at {
        Some(_) => SubscriberState::Confirmed,
        None => SubscriberState::Pending,
    };
    let mut values = args![&id, email, key, state, hold, consent.created_at].to_vec();
    values.extend_from_slice(args![consent.consent_version, consent.confirmed_at]);
    values.extend_from_slice(args![&consent.page, &consent.consent_text]);
    values.extend_from_slice(args![&consent.import_file, &consent.import_source]);
    tx.execute(
        "INSERT INTO subscribers (id, email, email_key, state, hold_reason, created_at,
            last_asked_at, consent_version, confirmed_at, page, consent_text, import_file,
            import_source)
        VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9, $10, $11, $12)
        ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at,
            state = excluded.state, page = excluded.page,
            consent_version = excluded.consent_version, consent_text = excluded.consent_text,
            hold_reason = excluded.hold_reason, import_file = excluded.import_file,
            import_source = excluded.import_source, confirmed_at = excluded.confirmed_at,
            unsubscribed_at = NULL",
        &values,
    )?;
    Ok(id)
}

/// The delivery of a confirmation mail that isn't known to have arrived, and whether it has failed
/// and isn't being sent now.
fn open_invitation(tx: &mut Tx<'_>, id: &str) -> Result<Option<(String, bool)>> {
    let sql = format!(
        "SELECT id, (state = 'given_up' OR attempts > 0) AND {UNLEASED} AS failed
        FROM deliveries
        WHERE subscriber_id = $2 AND kind = 'confirm' AND state IN ('pending', 'given_up')
        ORDER BY state = 'pending' DESC, id DESC LIMIT 1"
    );
    let found = tx.first(&sql, args![tx.now, id])?;
    found
        .map(|row| Ok((row.get("id")?, row.get("failed")?)))
        .transpose()
}

fn invite(tx: &mut Tx<'_>, id: &str, by_mail: bool, due: Timestamp) -> Result<Subscribed> {
    if !by_mail {
        return Ok(Subscribed::Unconfirmed);
    }
    deliveries::add(tx, DeliveryKind::Confirm, Some(id), Some(due))?;
    let sql = "UPDATE subscribers SET invited_at = $2, invitations = invitations + 1 WHERE id = $1";
    tx.execute(sql, args![id, due])?;
    Ok(Subscribed::Invited)
}

/// The links of a confirmation mail that is about to be sent. Each attempt has its own, so that no
/// token has to be stored; earlier ones stay valid, because one of those mails may have arrived
/// after all.
pub(super) fn invitation(tx: &mut Tx<'_>, delivery_id: &str) -> Result<Invitation> {
    let sql = "SELECT id, email FROM subscribers
        WHERE id = (SELECT subscriber_id FROM deliveries WHERE id = $1)";
    let row = tx.first(sql, args![delivery_id])?;
    let row = row.ok_or_else(|| StoreError::Unreadable("it has no subscriber".into()))?;
    let id: String = row.get("id")?;
    let (confirm, unsubscribe) = (SecretToken::random(), SecretToken::random());
    add_link(tx, &confirm, &id, LinkPurpose::Confirm)?;
    add_link(tx, &unsubscribe, &id, LinkPurpose::Unsubscribe)?;
    Ok(Invitation {
        email: row.get("email")?,
        confirm,
        unsubscribe,
    })
}

/// Only a confirmation link expires.
pub(super) fn add_link(
    tx: &mut Tx<'_>,
    token: &SecretToken,
    subscriber_id: &str,
    purpose: LinkPurpose,
) -> Result<()> {
    let end = (purpose == LinkPurpose::Confirm).then(|| tx.now + CONFIRM_LINK_TTL);
    let sql = "INSERT INTO mail_links (hash, subscriber_id, purpose, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5)";
    let values = args![token.hash(), subscriber_id, purpose, tx.now, end];
    tx.execute(sql, values).map(drop)
}

/// The state of a link, and the id of its subscriber.
fn link_state(
    tx: &mut Tx<'_>,
    hash: &str,
    purpose: LinkPurpose,
    now: Timestamp,
) -> Result<(LinkState, String)> {
    let sql = "SELECT subscribers.id AS id, subscribers.state AS state,
            used_at IS NOT NULL OR (expires_at IS NOT NULL AND expires_at <= $3) AS is_over
        FROM mail_links JOIN subscribers ON subscribers.id = mail_links.subscriber_id
        WHERE hash = $1 AND purpose = $2";
    let Some(row) = tx.first(sql, args![hash, purpose, now])? else {
        return Ok((LinkState::Unknown, String::new()));
    };
    let is_over: bool = row.get("is_over")?;
    let state = match (purpose, row.get("state")?) {
        (LinkPurpose::Unsubscribe, SubscriberState::Unsubscribed) => LinkState::Done,
        (LinkPurpose::Unsubscribe, _) => LinkState::Open,
        (LinkPurpose::Confirm, SubscriberState::Pending) if !is_over => LinkState::Open,
        (LinkPurpose::Confirm, _) => LinkState::Gone,
    };
    Ok((state, row.get("id")?))
}

/// Invalidates confirmation links and deletes a pending confirmation mail, because the subscriber
/// has confirmed or unsubscribed.
fn close_confirmation(tx: &mut Tx<'_>, id: &str) -> Result<()> {
    let sql = "UPDATE mail_links SET used_at = $2
        WHERE subscriber_id = $1 AND purpose = 'confirm' AND used_at IS NULL";
    tx.execute(sql, args![id, tx.now])?;
    let sql = "DELETE FROM deliveries
        WHERE subscriber_id = $1 AND kind = 'confirm' AND state IN ('pending', 'given_up')";
    tx.execute(sql, args![id]).map(drop)
}

fn import(tx: &mut Tx<'_>, new: &Import) -> Result<Imported> {
    let email = new.email.as_str();
    let known = find(tx, email)?;
    let outcome = Imported::decide(known.as_ref(), &new.welcome);
    let mut consent = ConsentRecord {
        created_at: tx.now,
        consent_text: Some(new.consent.clone()),
        import_file: Some(new.file_name.clone()),
        import_source: new.source.clone(),
        ..ConsentRecord::default()
    };
    match (outcome, &new.welcome) {
        (Imported::Invited, Welcome::ByMail(pause)) => {
            let id = store_consent(tx, None, email, &consent, None)?;
            invite(tx, &id, true, consent.created_at + *pause)?;
        }
        (Imported::Confirmed, Welcome::ConfirmedElsewhere(time)) => {
            consent.confirmed_at = Some(time.unwrap_or(tx.now));
            let known = known.map(|known| known.id);
            let id = store_consent(tx, known, email, &consent, None)?;
            let sql = "UPDATE subscribers SET invitations = 0 WHERE id = $1";
            tx.execute(sql, args![&id])?;
            close_confirmation(tx, &id)?;
        }
        _ => {}
    }
    Ok(outcome)
}
