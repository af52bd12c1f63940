//! The links in mails to subscribers.

use std::time::Duration;

use jiff::Timestamp;

use super::{Result, Store, on_engine};
use crate::domain::{LinkToken, stored_enum};

/// How long the link in a confirmation mail works.
pub const CONFIRM_LINK_LASTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);

stored_enum!(
    /// What a link in a mail is for.
    LinkPurpose {
        Confirm = "confirm",
        Unsubscribe = "unsubscribe",
    }
);

/// What a link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    /// Following it would change something.
    Open,
    /// What it asks for is the case already.
    Done,
    /// Too old, or used before.
    Gone,
    Unknown,
}

/// Who gets a confirmation mail, with the links of this one mail.
#[derive(Debug, Clone)]
pub struct Invitation {
    pub email: String,
    pub confirm: LinkToken,
    pub unsubscribe: LinkToken,
}

impl Store {
    /// What following a link would do; changes nothing.
    pub async fn look_at_link(
        &self,
        token: &LinkToken,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<LinkState> {
        on_engine!(self, db => db.look_at_link(token.hash(), purpose, now).await)
    }

    /// Does what a link is for. Returns what it found: [`LinkState::Open`]
    /// means that it is done now.
    pub async fn follow_link(
        &self,
        token: &LinkToken,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<LinkState> {
        on_engine!(self, db => db.follow_link(token.hash(), purpose, now).await)
    }
}
