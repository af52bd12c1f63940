//! The links in mails share the connections to the server with leads.

use frontdoor::domain::LinkToken;
use tokio::task::JoinSet;

use super::session;
use crate::support::app::TestApp;
use crate::support::client::client;
use crate::support::data::good_form;
use crate::support::database::Database;
use crate::support::wait::until;

const WAITING: &str = "SELECT count(*) FROM pg_locks WHERE NOT granted
    AND relation = 'mail_links'::regclass";

#[tokio::test(flavor = "multi_thread")]
async fn leads_are_stored_while_links_wait_for_the_server() {
    let database = Database::postgres();
    let url = database.url();
    let app = TestApp::with(|args| args.database.database_url = Some(url)).await;
    let gate = session(&database);
    gate.run("BEGIN");
    gate.run("LOCK TABLE mail_links IN ACCESS EXCLUSIVE MODE");
    let mut visits = JoinSet::new();
    for _ in 0..100 {
        let token = LinkToken::random();
        let link = format!(
            "http://{}/newsletter/confirm?token={}",
            app.address,
            token.as_str()
        );
        visits.spawn(client().get(link).send());
    }
    let watch = session(&database);
    until("a link waits", async || watch.rows(WAITING)[0][0] != "0").await;
    for _ in 0..20 {
        assert_eq!(app.send(&good_form()).await.status(), 201);
    }
    gate.run("ROLLBACK");
    for answer in visits.join_all().await {
        let status = answer.unwrap().status();
        assert!(status == 404 || status == 503, "{status}");
    }
}
