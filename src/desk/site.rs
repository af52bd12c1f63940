//! The releases of the site: which one is shown, what each changed, and going back.

use axum::Json;
use axum::extract::{Extension, State};
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Answered, By, Desk, JsonBody, Refusal};
use crate::http::Release;
use crate::store::{BUILT_IN, ReleaseChanges, StoredRelease};

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Site {
    releases: Vec<ReleaseRow>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ReleaseRow {
    id: i64,
    /// Nothing for the pages inside the program.
    published_at: Option<Timestamp>,
    who: Option<String>,
    shown: bool,
    pages: u64,
    bytes: u64,
    /// Against the release before.
    changes: Option<ReleaseChanges>,
}

/// The published releases, the newest first, and the pages inside the program.
pub async fn show(State(desk): Desk) -> Answered<Site> {
    let mut stored = desk.parts.store.releases().await?;
    let shown = stored.first().map_or(BUILT_IN, |first| first.id);
    stored.retain(|each| each.id != BUILT_IN);
    stored.sort_by_key(|each| std::cmp::Reverse(each.id));
    let row = |each: StoredRelease| ReleaseRow {
        shown: each.id == shown,
        id: each.id,
        published_at: Some(each.published_at),
        who: each.who,
        pages: each.pages,
        bytes: each.bytes,
        changes: each.changes,
    };
    let mut releases: Vec<_> = stored.into_iter().map(row).collect();
    let built_in = Release::built_in(desk.parts.built_in).map_err(|error| {
        let words = format!("The pages inside the program can't be read: {error:#}.");
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, words)
    })?;
    releases.push(ReleaseRow {
        id: BUILT_IN,
        published_at: None,
        who: None,
        shown: shown == BUILT_IN,
        pages: built_in.pages() as u64,
        bytes: desk.parts.built_in.len() as u64,
        changes: None,
    });
    Ok(Json(Site { releases }))
}

#[derive(Deserialize)]
pub struct RollBack {
    to: i64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RolledBack {
    said: String,
    /// The release that was shown before.
    undo: i64,
}

pub async fn roll_back(
    State(desk): Desk,
    Extension(by): By,
    JsonBody(RollBack { to }): JsonBody<RollBack>,
) -> Answered<RolledBack> {
    let store = &desk.parts.store;
    let shown = store
        .releases()
        .await?
        .first()
        .map_or(BUILT_IN, |first| first.id);
    if !store.show_release(to, store.now()).await? {
        let words = "This release is gone: only the latest are kept.";
        return Err(Refusal::new(StatusCode::NOT_FOUND, words));
    }
    tracing::info!(
        release = to,
        by = by.id,
        "another release is shown, from the desk"
    );
    let name = match to {
        BUILT_IN => "The pages inside the program are".to_owned(),
        id => format!("Release {id} is"),
    };
    Ok(Json(RolledBack {
        said: format!("{name} shown now."),
        undo: shown,
    }))
}
