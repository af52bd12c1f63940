//! Counts visits, without anything that tells one visitor from another.
//!
//! A visit begins when a person's browser requests a page from outside the site. It is counted by
//! day, page, referring host and campaign. The request's address and agent are used only to answer
//! it, so there is no limit per address here either. A page's script reports what only the browser
//! knows: that the page was seen, that the form was begun, that a booking link was pressed.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use axum::body::Body;
use http::header::{HOST, REFERER};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};

use super::edge::client::is_same_origin;
use super::edge::response::{self, HttpResponse};
use super::request::ApiRequest;
use super::site::resource::Resource;
use crate::content::site;
use crate::store::{Figures, VisitCounter, source_name};

/// The most bytes of a report, which is a page's path.
const LIMIT: usize = 512;

/// Text browsers, and Opera before it became a Chromium. All others name Gecko somewhere.
const BROWSERS_WITHOUT_GECKO: [&str; 5] = ["Opera/", "Lynx/", "Links", "ELinks/", "w3m/"];
/// Words in the agents of programs that request pages: crawlers, previews, monitors, libraries.
const PROGRAMS: &str = "bot crawl spider http headless lighthouse preview monitor checker fetch \
    feed scan ptst";
/// A brand of phones, not a bot.
const CUBOT: &str = "cubot";

/// Finds all these words in one pass, because it runs for each visit.
static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build([CUBOT].into_iter().chain(PROGRAMS.split(' ')))
        .expect("some words")
});

/// Counts a page request if it begins a visit.
pub fn count_request<B>(
    visits: &VisitCounter,
    page: &Resource,
    request: &Request<B>,
    status: StatusCode,
) {
    let is_shown = matches!(status, StatusCode::OK | StatusCode::NOT_MODIFIED);
    if !page.listed || !is_shown || *request.method() != Method::GET {
        return;
    }
    let visitor = Visitor::from_headers(request.headers());
    if visitor.begins_visit() {
        let one = Figures {
            requested: 1,
            ..Figures::default()
        };
        add(
            visits,
            page,
            visitor.referring_host(),
            &visitor,
            request.uri(),
            one,
        );
    }
}

fn add(
    visits: &VisitCounter,
    page: &Resource,
    source: &str,
    visitor: &Visitor<'_>,
    uri: &Uri,
    figures: Figures,
) {
    let source = visitor.source(source).unwrap_or_default();
    let campaign = in_query(uri, "utm_campaign").unwrap_or_default();
    visits.count(&page.path, source, &campaign, figures);
}

/// Counts what a page's script reports; the body is the page's path. The response is the same
/// whether or not the report is counted.
pub async fn count(
    figure: fn(&mut Figures) -> &mut u64,
    request: &ApiRequest,
    body: Body,
) -> HttpResponse {
    let (state, headers, uri) = (&request.state, &request.head.headers, &request.head.uri);
    if !is_same_origin(headers, &request.client) {
        return response::bare(StatusCode::FORBIDDEN);
    }
    let path = match request.read(body, LIMIT).await {
        Ok(path) => path,
        Err(refusal) => return refusal.finish(response::bare(refusal.status)),
    };
    let mut one = Figures::default();
    *figure(&mut one) = 1;
    let (visitor, pages) = (Visitor::from_headers(headers), state.releases.pages());
    let page = std::str::from_utf8(&path)
        .ok()
        .and_then(|path| pages.get(path));
    if let Some(visits) = &state.visits
        && let Some(page) = page.filter(|page| page.listed)
        && visitor.is_person()
    {
        let source = in_query(uri, "r").unwrap_or_default();
        add(visits, page, &source, &visitor, uri, one);
    }
    response::bare(StatusCode::NO_CONTENT)
}

/// What a request's headers say about its sender, read in one pass.
struct Visitor<'a> {
    headers: &'a HeaderMap,
    agent: &'a [u8],
    mode: Option<&'a [u8]>,
    site: Option<&'a [u8]>,
    /// The user has opted out of being counted (`Sec-GPC` or `DNT`).
    refuses: bool,
    is_ahead: bool,
}

impl<'a> Visitor<'a> {
    fn from_headers(headers: &'a HeaderMap) -> Self {
        let mut visitor = Self {
            headers,
            agent: b"",
            mode: None,
            site: None,
            refuses: false,
            is_ahead: false,
        };
        for (name, value) in headers {
            let bytes = value.as_bytes();
            match name.as_str() {
                "user-agent" => visitor.agent = bytes,
                "sec-fetch-mode" => visitor.mode = Some(bytes),
                "sec-fetch-site" => visitor.site = Some(bytes),
                "sec-gpc" | "dnt" => visitor.refuses |= bytes == b"1",
                "sec-purpose" | "purpose" => visitor.is_ahead = true,
                _ => {}
            }
        }
        visitor
    }

    /// The host in `Referer`; empty if there is none.
    fn referring_host(&self) -> &'a str {
        let url = self.headers.get(REFERER).map(HeaderValue::to_str);
        host_of(url.and_then(Result::ok).unwrap_or_default())
    }

    /// Whether a person's browser requests the page from outside the site, and not ahead of time.
    fn begins_visit(&self) -> bool {
        let is_from_outside = match self.site {
            Some(site) => site != b"same-origin",
            // Older browsers send no `Sec-Fetch-Site`, nor does any browser over plain HTTP.
            None => self.source(self.referring_host()).is_some(),
        };
        matches!(self.mode, None | Some(b"navigate"))
            && !self.is_ahead
            && is_from_outside
            && self.is_person()
    }

    /// Whether the agent is a browser's, and its user hasn't opted out of being counted.
    fn is_person(&self) -> bool {
        !self.refuses && !is_program(self.agent)
    }

    /// The referring host, unless it is the site itself, by the request's `Host` or its public URL.
    fn source<'b>(&self, host: &'b str) -> Option<&'b str> {
        if self.site == Some(b"cross-site") || host.is_empty() {
            return Some(host);
        }
        let name = source_name(host);
        let is_own = |own: &str| source_name(own) == name;
        let own = self.headers.get(HOST).map(HeaderValue::to_str);
        let own = own.and_then(Result::ok).unwrap_or_default();
        (!is_own(own) && !is_own(host_of(&site().url))).then_some(host)
    }
}

fn is_program(agent: &[u8]) -> bool {
    let agent = str::from_utf8(agent).unwrap_or_default();
    let is_browser = agent.contains("Gecko")
        || BROWSERS_WITHOUT_GECKO
            .iter()
            .any(|name| agent.starts_with(name));
    if !is_browser {
        return true;
    }
    let lower = agent.to_ascii_lowercase();
    // Crawlers name an e-mail address for complaints.
    lower.contains('@')
        || WORDS
            .find_iter(&lower)
            .any(|found| &lower[found.range()] != CUBOT)
}

fn host_of(url: &str) -> &str {
    url.split('/').nth(2).unwrap_or_default()
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
            assert!(is_program(agent.as_bytes()), "{agent}");
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
            assert!(!is_program(agent.as_bytes()), "{agent}");
        }
    }
}
