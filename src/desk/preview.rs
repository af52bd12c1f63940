//! Previews of mails. Each is kept for a while at an address of its own, and shown in a frame under
//! a policy that lets nothing in it run or load.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use axum::body::Body;
use axum::extract::{Path, Query};
use axum::response::IntoResponse;
use http::Response;
use http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use serde::Deserialize;
use uuid::Uuid;

use super::{Desk, DeskError};

/// The number of kept previews: a browser needs only the latest, but two people may be writing.
const KEPT: usize = 20;

/// Allows the inline styles and pictures of mails, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox";

const IF_DARK: &str = "@media (prefers-color-scheme: dark)";

#[derive(Default)]
pub struct Previews(Mutex<VecDeque<(String, String)>>);

impl Previews {
    /// Keeps a mail and returns its address.
    pub fn keep(&self, html: String) -> String {
        let id = Uuid::new_v4().simple().to_string();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT {
            kept.pop_front();
        }
        let url = format!("/api/desk/preview/{id}");
        kept.push_back((id, html));
        url
    }

    fn find(&self, id: &str) -> Option<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(known, _)| known == id);
        found.map(|(_, html)| html.clone())
    }
}

#[derive(Deserialize)]
pub struct Scheme {
    /// `light` or `dark`: shows the mail as a system with this preference does.
    scheme: Option<String>,
}

pub async fn show(
    desk: Desk,
    Path(id): Path<String>,
    Query(Scheme { scheme }): Query<Scheme>,
) -> Result<Response<Body>, DeskError> {
    let html = desk.shared.previews.find(&id);
    let html = html.ok_or_else(|| DeskError::not_found("This preview is gone."))?;
    let html = match scheme.as_deref() {
        Some("dark") => html
            .replace(IF_DARK, "@media all")
            .replace("light dark", "dark"),
        Some("light") => html
            .replace(IF_DARK, "@media not all")
            .replace("light dark", "light"),
        _ => html,
    };
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "SAMEORIGIN"),
        (
            HeaderName::from_static("cross-origin-embedder-policy"),
            "require-corp",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    Ok((headers, html).into_response())
}
