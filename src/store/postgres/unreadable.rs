//! Leads and deliveries that cannot be read: their columns have types, so only few
//! values can be wrong, and the server itself finds them.

use tokio_postgres::types::Type;

use super::Postgres;
use super::row::{self, LEAD};
use crate::store::columns::DELIVERY_COLUMNS;
use crate::store::{DeliveryKind, DeliveryState, LeadState, Result, Unreadable};

/// Nobody reads of more.
const MOST: usize = 1_000;

impl Postgres {
    pub async fn unreadable(&self) -> Result<Vec<Unreadable>> {
        let leads = format!(
            "SELECT {} FROM contacts
            WHERE state <> ALL ($1) OR isfinite(created_at) IS NOT TRUE
                OR NOT isfinite(released_at) OR NOT isfinite(answered_at) LIMIT {MOST}",
            *LEAD
        );
        let states = words(LeadState::ALL, LeadState::as_str);
        let found = self.rows(&leads, &[(&states, Type::TEXT_ARRAY)]).await?;
        let mut all = row::read_all("contacts", &found, row::lead).unreadable;
        let deliveries = format!(
            "SELECT {DELIVERY_COLUMNS}, NULL AS person FROM deliveries
            WHERE kind <> ALL ($1) OR state <> ALL ($2) OR attempts < 0
                OR NOT isfinite(created_at) OR NOT isfinite(next_attempt_at)
                OR NOT isfinite(finished_at) LIMIT {MOST}"
        );
        let kinds = words(DeliveryKind::ALL, DeliveryKind::as_str);
        let states = words(DeliveryState::ALL, DeliveryState::as_str);
        let values = [
            (&kinds as _, Type::TEXT_ARRAY),
            (&states as _, Type::TEXT_ARRAY),
        ];
        let found = self.rows(&deliveries, &values).await?;
        all.extend(row::read_all("deliveries", &found, row::delivery).unreadable);
        Ok(all)
    }
}

fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|each| word(*each)).collect()
}
