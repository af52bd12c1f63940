//! The releases of the site: which one is shown, what each changed, and rolling back.

use axum::Json;
use http::StatusCode;
use serde::{Deserialize, Serialize};

use super::{Desk, DeskError, JsonBody, JsonResponse};
use crate::http::{ReleaseRow, list_releases};
use crate::store::{BUILT_IN, shown_release};

pub async fn show(desk: Desk) -> JsonResponse<Vec<ReleaseRow>> {
    let stored = desk.store.releases().await?;
    let listed = list_releases(stored, desk.shared.parts.built_in);
    listed.map(Json).map_err(|error| {
        let message = format!("The pages inside the program can't be read: {error:#}.");
        DeskError::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    })
}

#[derive(Deserialize)]
pub struct RollBack {
    to: i64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RolledBack {
    message: String,
    /// The release that was shown before.
    undo: i64,
}

pub async fn roll_back(
    desk: Desk,
    JsonBody(RollBack { to }): JsonBody<RollBack>,
) -> JsonResponse<RolledBack> {
    let shown = shown_release(&desk.store.releases().await?);
    if !desk.store.show_release(to, desk.now).await? {
        let message = "This release is gone: only the latest are kept.";
        return Err(DeskError::not_found(message));
    }
    let by = desk.by.id;
    tracing::info!(release = to, by, "another release is shown, from the desk");
    let name = match to {
        BUILT_IN => "The pages inside the program are".to_owned(),
        id => format!("Release {id} is"),
    };
    Ok(Json(RolledBack {
        message: format!("{name} shown now."),
        undo: shown,
    }))
}
