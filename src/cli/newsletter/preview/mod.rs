//! `frontdoor newsletter preview`: the mail in a browser, on this machine only,
//! read anew for every look at it.

mod frame;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use axum::Router;
use axum::body::Body;
use axum::extract::{self, RawQuery, State};
use axum::response::IntoResponse;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::Args;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST};
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tower::ServiceExt as _;

use self::frame::View;
use super::send::{page, read};
use crate::cli::output::print;
use crate::cli::stop::stop_signal;
use crate::cli::{Failure, facts};
use crate::config::{SiteArgs, SiteSettings};
use crate::content::SITE;
use crate::http::Release;
use crate::listener::{self, Handler, Limits};
use crate::mail::{MailText, to_visitors};
use crate::newsletter::Issue;
use crate::store::{DatabaseUrl, OpenMode, Store, StoreError};

const SCRIPT: &str = include_str!("reload.js");

#[derive(Args, Debug)]
pub struct PreviewIssue {
    /// The issue: Markdown, its first heading is the subject; or a post of the
    /// blog
    #[arg(value_name = "FILE.md")]
    file: PathBuf,

    /// The port on this machine; 0: any that is free
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    port: u16,

    #[command(flatten)]
    site: SiteArgs,
}

pub async fn run(
    args: &PreviewIssue,
    carried: &'static [u8],
    database: &DatabaseUrl,
) -> Result<(), Failure> {
    let shown = args.file.display();
    std::fs::metadata(&args.file).with_context(|| format!("cannot read {shown}"))?;
    let release = release(&args.site.load()?, carried, database).await?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let listener = listener::bind(address);
    let listener = listener.with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr().context("cannot listen")?;
    let stop = stop_signal(|| {})?;
    print(&format!(
        "{shown} is shown on http://{address}/ until you press Ctrl+C\n"
    ))?;
    let preview = Preview::new(args.file.clone(), release, address);
    listener::serve(listener, preview, Limits::default(), vec![], stop).await;
    Ok(())
}

/// In whose name the mail speaks. Before there is a database, that is the program's own.
async fn release(
    site: &SiteSettings,
    carried: &'static [u8],
    database: &DatabaseUrl,
) -> Result<Release, Failure> {
    let store = match Store::open(database, OpenMode::Existing).await {
        Ok(store) => Some(store),
        Err(StoreError::Missing { .. }) => None,
        Err(_) if site.release.is_some() => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(store) = &store {
        facts::of(store).await?;
    }
    facts::in_force(site)?;
    let release = facts::release(site, carried, store.as_ref()).await?;
    if let Some(store) = store {
        store.close().await?;
    }
    Ok(release)
}

/// What is shown: the file, as it would go out of this release.
struct Draft {
    file: PathBuf,
    release: Release,
}

impl Draft {
    /// A post need not be on the site yet.
    fn read(&self) -> Result<Issue, Failure> {
        read(&self.file, |path| {
            let page = page(&self.release, path, Timestamp::now());
            Some(page.unwrap_or_default())
        })
    }
}

#[derive(Clone)]
struct Preview {
    pages: Router,
    /// By which browsers of this machine ask for it, and nobody else's page.
    hosts: Arc<[String]>,
}

impl Preview {
    fn new(file: PathBuf, release: Release, address: SocketAddr) -> Self {
        let pages = Router::new()
            .route("/", get(frame))
            .route("/mail", get(mail))
            .route("/picture/{number}", get(picture))
            .route("/version", get(version))
            .route("/reload.js", get(script))
            .with_state(Arc::new(Draft { file, release }));
        let port = address.port();
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
        Self {
            pages,
            hosts: hosts.into(),
        }
    }
}

impl Handler for Preview {
    type Body = Body;

    async fn handle(&self, request: Request<Incoming>, _peer: SocketAddr) -> Response<Body> {
        let host = request
            .headers()
            .get(HOST)
            .and_then(|host| host.to_str().ok());
        if !host.is_some_and(|host| self.hosts.iter().any(|ours| ours == host)) {
            return StatusCode::MISDIRECTED_REQUEST.into_response();
        }
        let Ok(response) = self.pages.clone().oneshot(request.map(Body::new)).await;
        response
    }

    fn connections_changed(&self, _by: i64) {}
}

type Shown = State<Arc<Draft>>;

fn answer(kind: &str, policy: &str, body: impl Into<Body>) -> Response<Body> {
    let headers = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, body.into()).into_response()
}

/// The mail and what is around it.
async fn frame(State(draft): Shown, RawQuery(query): RawQuery) -> Response<Body> {
    let view = View::read(query.as_deref());
    let page = match draft.read() {
        Ok(issue) => frame::page(&view, &written(&issue)),
        Err(wrong) => frame::complaint(&wrong.to_string()),
    };
    let policy = "default-src 'none'; frame-src 'self'; script-src 'self'; connect-src 'self'; \
        style-src 'unsafe-inline'";
    answer("text/html; charset=utf-8", policy, page)
}

async fn mail(State(draft): Shown, RawQuery(query): RawQuery) -> Response<Body> {
    let view = View::read(query.as_deref());
    let html = match draft.read() {
        Ok(issue) => frame::as_seen(&view, &written(&issue), &issue.pictures),
        Err(wrong) => frame::complaint(&wrong.to_string()),
    };
    let policy = format!(
        "default-src 'none'; img-src 'self' {}; style-src 'unsafe-inline'; sandbox",
        SITE.url
    );
    answer("text/html; charset=utf-8", &policy, html)
}

async fn picture(State(draft): Shown, number: extract::Path<usize>) -> Response<Body> {
    let pictures = draft.read().map(|issue| issue.pictures).unwrap_or_default();
    match pictures.into_iter().nth(number.0) {
        Some(picture) => answer(&picture.media_type, "default-src 'none'", picture.bytes),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Another one whenever the mail would look different.
async fn version(State(draft): Shown) -> Response<Body> {
    let mut hash = Sha256::new();
    match draft.read() {
        Ok(issue) => {
            hash.update(&issue.html);
            hash.update(&issue.subject);
        }
        Err(wrong) => hash.update(wrong.to_string()),
    }
    let version = URL_SAFE_NO_PAD.encode(hash.finalize());
    answer("text/plain; charset=utf-8", "default-src 'none'", version)
}

async fn script() -> Response<Body> {
    let kind = "text/javascript; charset=utf-8";
    answer(kind, "default-src 'none'", SCRIPT)
}

/// As a subscriber gets it, but for the link to leave.
fn written(issue: &Issue) -> MailText {
    let link = format!("{}/newsletter/unsubscribe?token=preview", SITE.url);
    to_visitors::issue(&SITE, &issue.subject, &issue.text, &issue.html, &link)
}
