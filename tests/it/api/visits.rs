//! Visits are counted without keeping anything about the visitors: which requests count, what a page's
//! script reports, and three thousand visits.

use std::fs::File;

use reqwest::Method;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{
    Database, TIMEOUT, TestApp, address_in, ends_in_time, metrics, serve, terminate, until,
};

const CHROME: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
    Chrome/130.0.0.0 Safari/537.36";
const GOOGLEBOT: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

type Headers<'a> = &'a [(&'a str, &'a str)];

const OUTSIDE: Headers = &[
    ("user-agent", CHROME),
    ("sec-fetch-mode", "navigate"),
    ("sec-fetch-site", "cross-site"),
];

/// As a browser sends it from outside, with these headers changed or added; an empty one is left out.
async fn ask(app: &TestApp, method: Method, path: &str, changes: Headers<'_>) -> u16 {
    let is_changed = |name: &str| changes.iter().any(|(changed, _)| *changed == name);
    let kept = OUTSIDE.iter().filter(|(name, _)| !is_changed(name));
    let headers = kept.chain(changes).filter(|(_, value)| !value.is_empty());
    let request = app.request(method, path);
    let request = headers.fold(request, |request, (name, value)| {
        request.header(*name, *value)
    });
    request.send().await.unwrap().status().as_u16()
}

/// What is stored once the server has stopped: page, source, campaign and the four counts.
async fn stored(mut app: TestApp) -> Vec<Vec<String>> {
    app.stop().await.unwrap();
    let rows = "SELECT page, source, campaign, requested, seen, form_started, booking_presses
        FROM visits ORDER BY campaign, page, source";
    app.sql().rows(rows)
}

#[tokio::test]
async fn a_visit_is_a_page_that_a_persons_browser_asks_for_from_outside() {
    let app = TestApp::start().await;
    let own = format!("http://{}/blog", app.address);
    let no_fetch = [("sec-fetch-mode", ""), ("sec-fetch-site", "")];
    let older = |referrer| [no_fetch[0], no_fetch[1], ("referer", referrer)];
    // Each under a campaign of its own.
    let visit = async |name: &str, method: Method, path: &str, changes: Headers<'_>| {
        let path = format!("{path}?utm_source=x&utm_campaign={name}");
        ask(&app, method, &path, changes).await;
    };
    visit("outside", Method::GET, "/pricing", &[]).await;
    visit("older", Method::GET, "/", &no_fetch).await;
    let linked = older("https://www.news.example/a?b=private");
    visit("older-link", Method::GET, "/", &linked).await;
    visit("older-inside", Method::GET, "/", &older(&own)).await;
    visit("head", Method::HEAD, "/", &[]).await;
    visit("post", Method::POST, "/", &[]).await;
    for (name, header, value) in [
        ("same-site", "sec-fetch-site", "same-site"),
        ("typed", "sec-fetch-site", "none"),
        ("known", "if-none-match", "*"),
        ("tracks", "dnt", "0"),
        // The rest isn't counted.
        ("inside", "sec-fetch-site", "same-origin"),
        ("fetched", "sec-fetch-mode", "cors"),
        ("ahead", "sec-purpose", "prefetch"),
        ("rendered", "sec-purpose", "prefetch;prerender"),
        ("purpose", "purpose", "prefetch"),
        ("gpc", "sec-gpc", "1"),
        ("dnt", "dnt", "1"),
        ("nameless", "user-agent", ""),
        ("curl", "user-agent", "curl/8.5.0"),
        ("crawler", "user-agent", GOOGLEBOT),
    ] {
        visit(name, Method::GET, "/", &[(header, value)]).await;
    }
    for path in [
        "/none",
        "/blog/none",
        "/feed.xml",
        "/contact/sent",
        "/checkout/success",
        "/newsletter/confirm",
        "/api/none",
    ] {
        visit("no-page", Method::GET, path, &[]).await;
    }
    let rows = stored(app).await;
    let campaigns: Vec<_> = rows.iter().map(|row| &*row[2]).collect();
    let counted = "known older older-link outside same-site tracks typed";
    assert_eq!(campaigns.join(" "), counted);
    for row in &rows {
        assert_eq!(row[3..], ["1", "0", "0", "0"], "{row:?}");
    }
    let of = |campaign| rows.iter().find(|row| row[2] == campaign).unwrap()[..2].to_vec();
    assert_eq!(of("outside"), ["/pricing", ""]);
    assert_eq!(of("older-link"), ["/", "news.example"]);
}

#[tokio::test]
async fn a_script_reports_only_pages_of_the_site_and_nothing_of_visitors_who_opt_out() {
    let app = TestApp::start().await;
    let own = format!("http://{}", app.address);
    let tell = async |what: &str, body: &str, changes: Headers<'_>| {
        let request = app.request(Method::POST, &format!("/api/visits/{what}"));
        let mut request = request.header("user-agent", CHROME).header("origin", &own);
        for (name, value) in changes {
            request = request.header(*name, *value);
        }
        let sent = request.body(body.to_owned()).send().await.unwrap();
        sent.status().as_u16()
    };
    let from = |what| format!("{what}?r=www.News.example&utm_campaign=fall");
    for (what, body, changes, status) in [
        (&*from("seen"), "/pricing", &[][..], 204),
        (&from("form"), "/pricing", &[], 204),
        (&from("booking"), "/pricing", &[], 204),
        (&from("booking"), "/pricing", &[], 204),
        (&format!("seen?r={}", app.address), "/about", &[], 204),
        ("seen", "/unknown", &[], 204),
        ("seen", "/contact/sent", &[], 204),
        ("seen", "/feed.xml", &[], 204),
        ("seen", "\u{fffd}", &[], 204),
        ("seen", "/", &[("sec-gpc", "1")], 204),
        ("seen", "/", &[("dnt", "1")], 204),
        ("seen", "/", &[("sec-fetch-site", "cross-site")], 403),
        ("seen", &"/".repeat(513), &[], 413),
        ("left", "/", &[], 404),
    ] {
        let answer = tell(what, body, changes).await;
        assert_eq!(answer, status, "{what} {body:.20} {changes:?}");
    }
    assert_eq!(app.get("/api/visits/seen").await.status(), 405);
    let rows = stored(app).await;
    let about = ["/about", "", "", "0", "1", "0", "0"];
    let pricing = ["/pricing", "news.example", "fall", "0", "1", "1", "2"];
    assert_eq!(rows, [about, pricing]);
}

#[tokio::test]
async fn nothing_is_counted_when_counting_is_off_and_the_pages_do_not_tell() {
    let app = TestApp::with(|args| args.visits.count = Some("off".into())).await;
    assert_eq!(ask(&app, Method::GET, "/", &[]).await, 200);
    let html = app.get("/").await.text().await.unwrap();
    assert!(html.contains("&quot;uncounted&quot;:true"));
    let own = [("sec-fetch-site", "")];
    let told = ask(&app, Method::POST, "/api/visits/seen", &own).await;
    assert_eq!(told, 204);
    assert_eq!(stored(app).await, Vec::<Vec<String>>::new());
}

/// The requests of one visitor in the journey, and which counts they should add to.
fn requests(nth: usize) -> (String, [u64; 2]) {
    let page = ["/", "/pricing", "/services", "/about"][nth % 4];
    let source = ["www.search.example", "news.example", ""][nth % 3];
    let send = |line: &str, agent: &str, headers: &str, body: &str| {
        // The page is known, so that the answer is short.
        format!(
            "{line} HTTP/1.1\r\nhost: site.example\r\norigin: http://site.example\r\n\
            if-none-match: *\r\nx-forwarded-for: 203.0.113.{}\r\n\
            user-agent: {agent} Marker/{nth}\r\n{headers}content-length: {}\r\n\r\n{body}",
            nth % 256,
            body.len()
        )
    };
    let from = |site: &str| format!("sec-fetch-mode: navigate\r\nsec-fetch-site: {site}\r\n");
    let outside = match source {
        "" => from("none"),
        host => from("cross-site") + &format!("referer: https://{host}/\r\n"),
    };
    let get = |agent: &str, more: &str| {
        send(
            &format!("GET {page}"),
            agent,
            &format!("{outside}{more}"),
            "",
        )
    };
    let inside = || send("GET /contact", CHROME, &from("same-origin"), "");
    let seen = format!("POST /api/visits/seen?r={source}&utm_campaign=");
    match nth % 10 {
        0..=2 => (
            get(CHROME, "") + &send(&seen, CHROME, "", page) + &inside(),
            [1, 1],
        ),
        // Without script, or gone before it was seen.
        3 | 4 => (get(CHROME, ""), [1, 0]),
        5 => (inside(), [0, 0]),
        6 => (get(GOOGLEBOT, ""), [0, 0]),
        7 => (get(CHROME, "sec-purpose: prefetch\r\n"), [0, 0]),
        8 => (get(CHROME, "sec-gpc: 1\r\n"), [0, 0]),
        _ => (get("curl/8.5.0", ""), [0, 0]),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_thousand_visits_are_counted_exactly_and_leave_nothing_of_the_visitors() {
    let database = Database::sqlite();
    let log = database.path("log");
    let mut server = serve(&database.url());
    server.env("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1");
    server.env("FRONTDOOR_LOG", "trace");
    server.stdout(File::create(&log).unwrap());
    let mut child = server.spawn().unwrap();
    let logged = || std::fs::read_to_string(&log).unwrap();
    let address_of = |words: &str| {
        let log = logged();
        log.lines().find_map(|line| address_in(line, words))
    };
    until("it listens", async || {
        address_of("health and metrics").is_some()
    })
    .await;
    let address = address_of("listening").unwrap();

    let mut expected = [0; 2];
    for some in (0..3_000).collect::<Vec<_>>().chunks(1_000) {
        let mut sent = String::new();
        for nth in some {
            let (requests, counts) = requests(*nth);
            sent += &requests;
            expected = [expected[0] + counts[0], expected[1] + counts[1]];
        }
        sent += "GET /none HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n";
        let (mut from, mut to) = TcpStream::connect(address).await.unwrap().into_split();
        let sending = tokio::spawn(async move { to.write_all(sent.as_bytes()).await });
        let mut answers = Vec::new();
        let read = tokio::time::timeout(TIMEOUT, from.read_to_end(&mut answers)).await;
        read.unwrap().unwrap();
        sending.await.unwrap().unwrap();
    }
    let metrics = metrics(address_of("health and metrics").unwrap()).await;
    terminate(&child);
    assert!(ends_in_time(&mut child) && child.wait().unwrap().success());

    let stats = database
        .run(&["stats", "--days", "1", "--by", "source", "--json"])
        .json();
    let [requested, seen] = expected;
    assert_eq!((requested, seen), (1_500, 900));
    assert_eq!(stats["totals"]["requested"], requested);
    assert_eq!(stats["totals"]["seen"], seen);
    assert_eq!(stats["counting"], true);
    let names = stats["by"].as_array().unwrap().iter();
    let mut names: Vec<_> = names.map(|row| row["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["", "news.example", "search.example"]);

    let mut places = vec![
        ("metrics".to_owned(), metrics),
        ("log".to_owned(), logged()),
    ];
    let sql = database.sql();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    for table in sql.rows(tables).concat() {
        let rows = sql.rows(&format!("SELECT * FROM {table}"));
        places.push((table, format!("{rows:?}")));
    }
    for file in database.files() {
        let bytes = std::fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        places.push((file.display().to_string(), text));
    }
    for (place, text) in places {
        for trace in ["203.0.113.", "Marker/", "Chrome/130", "Googlebot"] {
            assert!(!text.contains(trace), "{trace} is in {place}");
        }
    }
}
