//! The owner's desk: signed-in browsers, the links that sign them in, the links in mails that mark
//! one lead without a session, and the draft of an issue.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use serde::Serialize;
use sha2::Sha256;
use uuid::Uuid;

use super::replies::is_changed_elsewhere;
use super::tx::{Row, Tx, args, record};
use super::{LeadState, Result, Store};
use crate::domain::SecretToken;

/// Key of a lock: the draft is checked and written in one step.
const ISSUE_DRAFT: &str = "issue_draft";

/// The name of a browser if its link was made for nobody by name.
pub const UNNAMED: &str = "Owner";

/// How long a link that signs in is valid; it works once.
pub const DESK_LINK_TTL: Duration = Duration::from_secs(10 * 60);
/// A session ends after this time without use.
pub const DESK_SESSION_TTL: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// A session's use is stored at most this often, so that reading the desk seldom writes.
const NOTED_EVERY: Duration = Duration::from_secs(20);
/// A browser reports every ten seconds that somebody is writing.
const WRITING_TTL: Duration = Duration::from_secs(25);

/// A browser that is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DeskSession {
    pub id: String,
    /// The name given to the link that signed it in.
    pub name: String,
    pub created_at: Timestamp,
    pub used_at: Timestamp,
    #[serde(skip)]
    writing_to: Option<String>,
    #[serde(skip)]
    writing_at: Option<Timestamp>,
}

impl DeskSession {
    fn read(row: &Row) -> Result<Self> {
        record!(row => Self: id, name, created_at, used_at, writing_to, writing_at)
    }

    /// The lead that somebody is writing to in this browser.
    pub fn writing_to(&self, now: Timestamp) -> Option<&str> {
        let since = self.writing_at?;
        let lead = self.writing_to.as_deref()?;
        (since + WRITING_TTL > now).then_some(lead)
    }
}

/// The draft of the next issue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct IssueDraft {
    pub text: String,
    pub kept_at: Option<Timestamp>,
    /// The id of the issue that was last sent as a test.
    #[serde(skip)]
    pub tested: Option<String>,
    pub tested_at: Option<Timestamp>,
}

/// The key of the links that mark a lead. A link carries a keyed hash of its lead and of the state
/// that it sets. So links aren't stored, nobody can make one from another, and a link ends with its
/// lead.
pub struct MarkLinkKey(Vec<u8>);

impl MarkLinkKey {
    fn mac(&self, lead: &str, state: LeadState) -> Hmac<Sha256> {
        let mut mac = Hmac::new_from_slice(&self.0).expect("a key of any length will do");
        mac.update(format!("{} {lead}", state.as_str()).as_bytes());
        mac
    }

    /// The path, at the desk, that marks this lead.
    pub fn path(&self, lead: &str, state: LeadState) -> String {
        let mac = self.mac(lead, state).finalize().into_bytes();
        let mac = URL_SAFE_NO_PAD.encode(mac);
        format!("mark/{}/{lead}/{mac}", state.as_str())
    }

    /// Whether we made the link with these parts.
    pub fn is_ours(&self, lead: &str, state: LeadState, mac: &str) -> bool {
        let given = URL_SAFE_NO_PAD.decode(mac);
        given.is_ok_and(|given| self.mac(lead, state).verify_slice(&given).is_ok())
    }
}

impl Store {
    /// Adds a link that signs one browser in, under this name.
    pub async fn add_desk_link(
        &self,
        link: &SecretToken,
        name: &str,
        now: Timestamp,
    ) -> Result<()> {
        let (hash, name) = (link.hash(), name.to_owned());
        self.write_at(now, move |tx| {
            tx.execute("DELETE FROM desk_links WHERE expires_at <= $1", args![now])?;
            let sql = "INSERT INTO desk_links (hash, name, expires_at) VALUES ($1, $2, $3)";
            tx.execute(sql, args![&hash, &name, now + DESK_LINK_TTL])
                .map(drop)
        })
        .await
    }

    /// Uses up a link and signs a browser in with `key`. Returns `None` if the link is unknown,
    /// used or expired.
    pub async fn open_desk(
        &self,
        link: &SecretToken,
        key: &SecretToken,
        now: Timestamp,
    ) -> Result<Option<DeskSession>> {
        let (link, key) = (link.hash(), key.hash());
        self.write_at(now, move |tx| {
            let unused = "DELETE FROM desk_sessions WHERE used_at <= $1";
            tx.execute(unused, args![now - DESK_SESSION_TTL])?;
            let sql = "DELETE FROM desk_links WHERE hash = $1 AND expires_at > $2 RETURNING name";
            let Some(link) = tx.first(sql, args![&link, now])? else {
                return Ok(None);
            };
            let name: String = link.get("name")?;
            let id = Uuid::new_v4().simple().to_string()[..8].to_owned();
            let sql = "INSERT INTO desk_sessions (id, hash, name, created_at, used_at)
                VALUES ($1, $2, $3, $4, $4)";
            tx.execute(sql, args![&id, &key, &name, now])?;
            find(tx, &key, now)
        })
        .await
    }

    /// The session with this key, if it hasn't expired; its use is noted.
    pub async fn desk_session(
        &self,
        key: &SecretToken,
        now: Timestamp,
    ) -> Result<Option<DeskSession>> {
        let hash = key.hash();
        let found = {
            let hash = hash.clone();
            self.read(move |tx| find(tx, &hash, now)).await?
        };
        if let Some(session) = &found
            && session.used_at + NOTED_EVERY < now
        {
            let sql = "UPDATE desk_sessions SET used_at = $2 WHERE hash = $1";
            self.execute(sql, args![&hash, now]).await?;
        }
        Ok(found)
    }

    /// All sessions that haven't expired, the latest used first.
    pub async fn desk_sessions(&self, now: Timestamp) -> Result<Vec<DeskSession>> {
        let sql = "SELECT * FROM desk_sessions WHERE used_at > $1 ORDER BY used_at DESC, id";
        let since = now - DESK_SESSION_TTL;
        self.query(sql, args![since], DeskSession::read).await
    }

    /// Ends one session, or all; returns how many.
    pub async fn revoke_desk_sessions(&self, id: Option<&str>) -> Result<u64> {
        match id {
            Some(id) => {
                let sql = "DELETE FROM desk_sessions WHERE id = $1";
                self.execute(sql, args![id]).await
            }
            // Unused links are deleted, too: whoever is to be locked out may have made them.
            None => {
                self.write(|tx| {
                    tx.execute("DELETE FROM desk_links", &[])?;
                    tx.execute("DELETE FROM desk_sessions", &[])
                })
                .await
            }
        }
    }

    /// Notes that somebody is writing to a lead in this browser, or has stopped.
    pub async fn record_writing(
        &self,
        session: &str,
        lead: Option<&str>,
        now: Timestamp,
    ) -> Result<()> {
        let sql = "UPDATE desk_sessions SET writing_at = $3,
                writing_to = (SELECT id FROM contacts WHERE id = $2)
            WHERE id = $1";
        self.execute(sql, args![session, lead, now]).await.map(drop)
    }

    /// The key of the links that mark a lead, which is created on first use.
    pub async fn link_key(&self) -> Result<MarkLinkKey> {
        let find = |tx: &mut Tx<'_>| tx.column("SELECT secret FROM link_key", &[]);
        if let Some(key) = self.read(find).await?.pop() {
            return Ok(MarkLinkKey(key));
        }
        let new = rand::random::<[u8; 32]>();
        let created = self.write(move |tx| {
            // Another replica may have created it first.
            let sql =
                "INSERT INTO link_key (id, secret) VALUES (1, $1) ON CONFLICT (id) DO NOTHING";
            tx.execute(sql, args![&new[..]])?;
            tx.value("SELECT secret FROM link_key", &[])
        });
        created.await.map(MarkLinkKey)
    }

    pub async fn issue_draft(&self) -> Result<IssueDraft> {
        let sql = "SELECT text, kept_at, tested, tested_at FROM issue_draft";
        let read = |row: &Row| record!(row => IssueDraft: text, kept_at, tested, tested_at);
        let found = self.query(sql, &[], read).await?.pop();
        Ok(found.unwrap_or_default())
    }

    /// Keeps the draft, unless the stored one is neither this one nor `before`, which is what the
    /// owner's browser read; `None` replaces whatever is stored. Returns whether it was kept.
    pub async fn keep_issue_draft(
        &self,
        text: &str,
        before: Option<&str>,
        now: Timestamp,
    ) -> Result<bool> {
        let (text, before) = (text.to_owned(), before.map(str::to_owned));
        self.write_at(now, move |tx| {
            tx.lock(ISSUE_DRAFT)?;
            let stored: Option<String> = tx.column("SELECT text FROM issue_draft", &[])?.pop();
            if is_changed_elsewhere(stored.as_deref(), before.as_deref(), &text) {
                return Ok(false);
            }
            keep_issue_draft(tx, &text)?;
            Ok(true)
        })
        .await
    }

    /// Notes that this issue was sent as a test.
    pub async fn record_tested(&self, issue: &str, now: Timestamp) -> Result<()> {
        let sql = "UPDATE issue_draft SET tested = $1, tested_at = $2";
        self.execute(sql, args![issue, now]).await.map(drop)
    }
}

pub(super) fn keep_issue_draft(tx: &mut Tx<'_>, text: &str) -> Result<()> {
    let sql = "INSERT INTO issue_draft (id, text, kept_at) VALUES (1, $1, $2)
        ON CONFLICT (id) DO UPDATE SET text = excluded.text, kept_at = excluded.kept_at";
    tx.execute(sql, args![text, tx.now]).map(drop)
}

fn find(tx: &mut Tx<'_>, hash: &str, now: Timestamp) -> Result<Option<DeskSession>> {
    let sql = "SELECT * FROM desk_sessions WHERE hash = $1 AND used_at > $2";
    let found = tx.first(sql, args![hash, now - DESK_SESSION_TTL])?;
    found.as_ref().map(DeskSession::read).transpose()
}
