//! What a collector learns, and what it never does.

use super::{Collector, traced};
use crate::support::client::{client, header};
use crate::support::database::Database;
use crate::support::process::{Process, get, post_lead};
use crate::support::receiver::{Answer, Receiver};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PROXYS: &str = "b7ad6b7169203331";

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_one_step_with_the_id_of_its_answer_and_nothing_about_who_asked() {
    let (database, collector) = (Database::sqlite(), Collector::accepting().await);
    let headers = ("FRONTDOOR_OTLP_HEADERS", "api-key=a%2Cb,x-scope=site");
    let server = traced(&database, &collector.url, &[headers]);
    let url = format!("http://{}/services?secret=1", server.address);
    let given = format!("00-{TRACE}-{PROXYS}-01");
    let answer = client().get(url).header("traceparent", given).send().await;
    let answer = answer.unwrap();
    assert_eq!(answer.status(), 200);
    assert!(answer.headers().get("traceparent").is_none());
    let step = collector.step("GET /services").await;
    assert_eq!(step.0["kind"], 2);
    assert_eq!(step.text("http.request.method"), "GET");
    assert_eq!(step.text("http.route"), "/services");
    assert_eq!(step.number("http.response.status_code"), 200);
    assert_eq!(
        step.text("frontdoor.request_id"),
        header(&answer, "x-request-id")
    );
    assert!(!step.has_failed());
    // Nobody but a proxy that is believed says which trace it is.
    assert_eq!(step.parent(), None);
    assert_ne!(step.trace(), TRACE);
    assert_eq!(collector.header("content-type"), "application/json");
    assert_eq!(collector.header("api-key"), "a,b");
    assert_eq!(collector.header("x-scope"), "site");
    for private in ["secret", "127.0.0.1", "?"] {
        assert!(!collector.text().contains(private), "{private}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_its_commit_and_its_delivery_are_one_trace() {
    for database in [Database::sqlite(), Database::postgres()] {
        let collector = Collector::accepting().await;
        let webhook = Receiver::start(|_| Answer::Status(500)).await;
        let settings = [("FRONTDOOR_WEBHOOK_URL", webhook.url.as_str())];
        let server = traced(&database, &collector.url, &settings);
        post_lead(server.address, &[]);
        let request = collector.step("POST /api/contacts").await;
        let commit = collector.step("store lead").await;
        let delivery = collector.step("deliver webhook").await;
        let outcome = collector.step("store outcome").await;
        for step in [&commit, &delivery, &outcome] {
            assert_eq!(step.trace(), request.trace(), "{step:?}");
        }
        assert_eq!(request.parent(), None);
        assert_eq!(commit.parent(), Some(request.id()));
        assert_eq!(delivery.parent(), Some(request.id()));
        assert_eq!(outcome.parent(), Some(delivery.id()));
        assert!(!request.has_failed() && !commit.has_failed() && delivery.has_failed());
        assert_eq!(delivery.text("frontdoor.delivery.outcome"), "failed");
        assert_eq!(delivery.text("frontdoor.delivery.kind"), "webhook");
        assert_eq!(delivery.number("frontdoor.delivery.attempt"), 1);
        let id = request.text("frontdoor.request_id");
        assert_eq!(delivery.text("frontdoor.request_id"), id);
        // The log has the id alone.
        let (log, _) = server.terminate();
        let told = log.iter().find(|line| line.contains("delivery failed"));
        let told: serde_json::Value = serde_json::from_str(told.unwrap()).unwrap();
        assert_eq!(told["request_id"], id);
        for private in ["ada@", "Ada", "Hello", "127.0.0.1"] {
            assert!(!collector.text().contains(private), "{private}");
        }
    }
}

/// Which knows the visitor's trace, and whether it is to be recorded.
#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_is_believed_says_which_trace_it_is() {
    let (database, collector) = (Database::sqlite(), Collector::accepting().await);
    let webhook = Receiver::accepting().await;
    let settings = [
        ("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1"),
        ("FRONTDOOR_WEBHOOK_URL", webhook.url.as_str()),
    ];
    let server = traced(&database, &collector.url, &settings);
    let post = async |traceparent: String| {
        let url = format!("http://{}/api/contacts", server.address);
        let form = crate::support::data::good_form().to_string();
        let request = client().post(url).body(form);
        let request = request.header("content-type", "application/json");
        let answer = request.header("traceparent", traceparent).send().await;
        assert_eq!(answer.unwrap().status(), 201);
    };
    let other = TRACE.replace('0', "1");
    post(format!("00-{other}-{PROXYS}-00")).await;
    webhook.wait_for_calls(1).await;
    post(format!("00-{TRACE}-{PROXYS}-01")).await;
    let request = collector.step("POST /api/contacts").await;
    assert_eq!((request.trace(), request.parent()), (TRACE, Some(PROXYS)));
    assert_eq!(collector.step("deliver webhook").await.trace(), TRACE);
    server.terminate();
    assert!(
        !collector.text().contains(&other),
        "it is not to be recorded"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_share_that_is_asked_for_is_sent() {
    let (database, collector) = (Database::sqlite(), Collector::accepting().await);
    let server = traced(
        &database,
        &collector.url,
        &[("FRONTDOOR_OTLP_RATIO", "0.5")],
    );
    for _ in 0..100 {
        get(server.address, "/about");
    }
    assert!(server.terminate().1.success());
    let sent = collector.steps().len();
    assert!((20..80).contains(&sent), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_sends_what_waits_and_without_a_collector_nothing_is_told() {
    let (database, collector) = (Database::sqlite(), Collector::accepting().await);
    let server = traced(&database, &collector.url, &[]);
    for _ in 0..1100 {
        get(server.address, "/about");
    }
    assert!(server.terminate().1.success());
    assert_eq!(collector.steps().len(), 1100);
    assert!(collector.calls() >= 3, "in batches");

    let settings = [("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0")];
    let silent = Process::start(&database.url(), &settings);
    let told = crate::support::client::metrics(silent.ops).await;
    assert!(!told.contains("trace"), "{told}");
}
