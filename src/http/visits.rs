//! Counts visits, without anything that tells one visitor from another.
//!
//! A visit is a page that a person's browser asks for from outside the site. It is counted by day,
//! page, referring host and campaign; the request's address and agent are used only to answer it, so
//! there is no limit by address here either. A page's script adds what only the browser knows: that
//! the page was seen, that the form was begun, that a booking link was pressed.

use std::sync::Arc;

use axum::body::Body;
use http::header::{HOST, HeaderName, HeaderValue, REFERER, USER_AGENT};
use http::{HeaderMap, Method, Request, StatusCode, Uri};

use super::edge::client::{SEC_FETCH_SITE, is_same_origin};
use super::edge::response::{self, Answer};
use super::forms::body::{self, Limit};
use super::forms::{ApiRequest, Refusal};
use super::site::resource::Resource;
use crate::content::site;
use crate::store::{Figures, VisitCounter, source_name};

/// More than the longest path of a page.
const LIMIT: Limit = Limit {
    bytes: 512,
    refusal: "Body is larger than 512 bytes",
};

const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_GPC: HeaderName = HeaderName::from_static("sec-gpc");
const DNT: HeaderName = HeaderName::from_static("dnt");
const SEC_PURPOSE: HeaderName = HeaderName::from_static("sec-purpose");
const PURPOSE: HeaderName = HeaderName::from_static("purpose");

pub const SEEN: &str = "/api/visits/seen";
pub const FORM: &str = "/api/visits/form";
pub const BOOKING: &str = "/api/visits/booking";

/// Words in the agents of programs that ask for pages: crawlers, previews, monitors, libraries.
const PROGRAMS: &str =
    "bot crawl spider http @ headless lighthouse preview monitor checker fetch feed scan ptst";
/// Words in the agents of all browsers, text browsers included.
const BROWSERS: &str = "gecko webkit presto lynx links w3m";

/// Counts a page that is being answered, if it begins a visit.
pub fn note_request<B>(
    visits: &VisitCounter,
    page: &Resource,
    request: &Request<B>,
    status: StatusCode,
) {
    let headers = request.headers();
    let is_shown = matches!(status, StatusCode::OK | StatusCode::NOT_MODIFIED);
    let is_page = page.listed && is_shown && *request.method() == Method::GET;
    if is_page && is_visit(headers) {
        let referrer = headers.get(REFERER).and_then(|value| value.to_str().ok());
        let one = Figures {
            requested: 1,
            ..Figures::default()
        };
        let source = referrer.and_then(host_of).unwrap_or_default();
        count(visits, page, source, headers, request.uri(), one);
    }
}

fn count(
    visits: &VisitCounter,
    page: &Resource,
    source: &str,
    headers: &HeaderMap,
    uri: &Uri,
    figures: Figures,
) {
    let source = if is_own(source, headers) { "" } else { source };
    let campaign = in_query(uri, "utm_campaign").unwrap_or_default();
    visits.count(&page.path, source, &campaign, figures);
}

/// What a page's script tells, with the page's path as the
/// body. The answer is the same whether or not it is counted.
pub async fn tell(request: Arc<ApiRequest>, body: Body) -> Answer {
    let (parts, headers, uri) = (&request.parts, &request.head.headers, &request.head.uri);
    if !is_same_origin(headers, &request.client) {
        return response::bare(StatusCode::FORBIDDEN);
    }
    let path = match body::read(body, LIMIT, parts.body_timeout).await {
        Ok(path) => path,
        Err(bad) => {
            let refusal = Refusal::from(bad);
            return refusal.finish(response::bare(refusal.status));
        }
    };
    let mut one = Figures::default();
    *match uri.path() {
        SEEN => &mut one.seen,
        FORM => &mut one.form_started,
        BOOKING => &mut one.booking_presses,
        path => unreachable!("nothing is told at {path}"),
    } = 1;
    let pages = parts.site.pages();
    let page = std::str::from_utf8(&path)
        .ok()
        .and_then(|path| pages.get(path));
    if let Some(visits) = &parts.visits
        && let Some(page) = page.filter(|page| page.listed)
        && is_person(headers)
    {
        let source = in_query(uri, "r").unwrap_or_default();
        count(visits, page, &source, headers, uri, one);
    }
    response::bare(StatusCode::NO_CONTENT)
}

/// Whether a person's browser asks for a page from outside, and not ahead of time.
fn is_visit(headers: &HeaderMap) -> bool {
    let is_from_outside = || match word(headers, &SEC_FETCH_SITE) {
        Some(site) => site != b"same-origin",
        // Older browsers, and all of them over plain HTTP.
        None => !headers
            .get(REFERER)
            .and_then(|referrer| host_of(referrer.to_str().ok()?))
            .is_some_and(|host| is_own(host, headers)),
    };
    headers.contains_key(USER_AGENT)
        && matches!(word(headers, &SEC_FETCH_MODE), None | Some(b"navigate"))
        && !headers.contains_key(SEC_PURPOSE)
        && !headers.contains_key(PURPOSE)
        && is_from_outside()
        && is_person(headers)
}

/// Whether it is a browser whose owner hasn't asked not to be counted.
fn is_person(headers: &HeaderMap) -> bool {
    let agent = headers
        .get(USER_AGENT)
        .and_then(|agent| agent.to_str().ok());
    let mut refusals = [SEC_GPC, DNT].into_iter();
    !refusals.any(|name| word(headers, &name) == Some(b"1"))
        && agent.is_some_and(|agent| !is_program(agent))
}

fn is_program(agent: &str) -> bool {
    // A maker of phones.
    let agent = agent.to_ascii_lowercase().replace("cubot", "");
    let has = |words: &str| words.split(' ').any(|word| agent.contains(word));
    has(PROGRAMS) || !has(BROWSERS)
}

fn word<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    headers.get(name).map(HeaderValue::as_bytes)
}

/// Whether the host is the site itself: by the request, or by its public address.
fn is_own(host: &str, headers: &HeaderMap) -> bool {
    let asked = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = source_name(host);
    let mut own = asked.into_iter().chain(host_of(&site().url));
    own.any(|own| source_name(own) == host)
}

fn host_of(url: &str) -> Option<&str> {
    url.split('/').nth(2)
}

fn in_query(uri: &Uri, wanted: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(uri.query()?.as_bytes());
    pairs.find_map(|(name, value)| (name == wanted).then(|| value.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_their_agent_and_people_are_not_taken_for_them() {
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        let programs = [
            "curl/8.5.0".to_owned(),
            "Wget/1.21.4".into(),
            "python-requests/2.32.3".into(),
            "Go-http-client/2.0".into(),
            "Java/17.0.1".into(),
            "WhatsApp/2.23.20.0".into(),
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)".into(),
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)".into(),
            format!("Mozilla/5.0 {webkit}; compatible; bingbot/2.0) Chrome/116.0 Safari/537.36"),
            format!("Mozilla/5.0 {webkit}; compatible; GPTBot/1.2; +https://openai.com/gptbot)"),
            format!("Mozilla/5.0 (X11; Linux x86_64) {webkit} HeadlessChrome/120.0 Safari/537.36"),
            format!("Mozilla/5.0 (Linux) {webkit} Chrome/119.0 Safari/537.36 Chrome-Lighthouse"),
            String::new(),
        ];
        for agent in programs {
            assert!(is_program(&agent), "{agent}");
        }
        let people = [
            format!(
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) {webkit} Chrome/130.0 Safari/537.36"
            ),
            format!("Mozilla/5.0 (Linux; Android 14; wv) {webkit} Chrome/130.0 [FB_IAB/FB4A;]"),
            format!("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) {webkit} LinkedInApp"),
            "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0".into(),
            "Opera/9.80 (Android; Opera Mini/36.2) Presto/2.12.423 Version/12.16".into(),
            format!("Mozilla/5.0 (Linux; Android 11; CUBOT X50) {webkit} Chrome/130.0"),
            "Lynx/2.9.0dev.12 libwww-FM/2.14".into(),
        ];
        for agent in people {
            assert!(!is_program(&agent), "{agent}");
        }
    }
}
