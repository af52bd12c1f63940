//! The ways to a server: with and without TLS, with a password, through the
//! first host or the next one.

use frontdoor::store::{OpenMode, Store};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::time::timeout;

use super::place::{Place, server_address};
use super::{parsed, refusal, session};
use crate::replicas::wire::Wire;
use crate::support::database::Database;
use crate::support::network::Network;
use crate::support::process::{frontdoor, run};
use crate::support::wait::{PATIENCE, until};

/// Whether the program's sessions are encrypted.
const ENCRYPTED: &str = "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
    WHERE application_name = 'frontdoor'";

/// Certificate of an authority of our own, and of a server called `localhost`
/// with its key.
fn certificates() -> [String; 3] {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let (key, server_key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let root = params.self_signed(&key).unwrap().pem();
    let server = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let server = server.signed_by(&server_key, &Issuer::new(params, key));
    [root, server.unwrap().pem(), server_key.serialize_pem()]
}

#[tokio::test]
async fn tls_is_used_and_checked_as_sslmode_says() {
    let place = Place::new().await;
    let [root, certificate, key] = certificates();
    place.server.put("server.crt", &certificate);
    place.server.put("server.key", &key);
    let plain = format!("{}?sslmode=prefer", place.url());
    Store::migrate(&parsed(&plain)).await.unwrap();
    let session = place.server.session("postgres");
    session.run("ALTER SYSTEM SET ssl = on");
    session.run("SELECT pg_reload_conf()");

    let folder = tempfile::tempdir().unwrap();
    let trusted = folder.path().join("root.pem");
    let other = folder.path().join("other.pem");
    std::fs::write(&trusted, root).unwrap();
    std::fs::write(&other, &certificates()[0]).unwrap();
    let (trusted, other) = (trusted.display(), other.display());
    let (ip, port) = (place.server.address.ip(), place.server.address.port());
    let by_name = format!("host=localhost&hostaddr={ip}&sslmode=verify-full");
    for (how, encrypted) in [
        ("sslmode=disable".into(), Some("f")),
        ("sslmode=allow".into(), Some("f")),
        (format!("host={ip}"), Some("t")),
        (format!("host={ip}&sslmode=prefer"), Some("t")),
        (format!("host={ip}&sslmode=require"), Some("t")),
        (
            format!("host={ip}&sslmode=require&sslrootcert={trusted}"),
            Some("t"),
        ),
        (
            format!("host={ip}&sslmode=require&sslrootcert={other}"),
            None,
        ),
        (format!("host={ip}&sslmode=verify-ca"), None),
        (
            format!("host={ip}&sslmode=verify-ca&sslrootcert={trusted}"),
            Some("t"),
        ),
        (
            format!("host={ip}&sslmode=verify-full&sslrootcert={trusted}"),
            None,
        ),
        (format!("{by_name}&sslrootcert={trusted}"), Some("t")),
        (format!("{by_name}&sslrootcert={other}"), None),
    ] {
        let how = match how.contains("host=") {
            true => how,
            false => format!("host={ip}&{how}"),
        };
        let url = format!("postgres:///postgres?user=postgres&port={port}&{how}");
        match encrypted {
            None => {
                let refused = refusal(&url, OpenMode::Existing).await.to_string();
                assert!(
                    refused.contains("certificate is not trusted"),
                    "{how}: {refused}"
                );
            }
            Some(encrypted) => {
                let opened = Store::open(&parsed(&url), OpenMode::Existing).await;
                let store = opened.unwrap_or_else(|error| panic!("{how}: {error}"));
                store.probe().await.unwrap();
                assert_eq!(session.rows(ENCRYPTED), [[encrypted]], "{how}");
                store.close().await.unwrap();
                let gone = "SELECT count(*) FROM pg_stat_activity
                    WHERE application_name = 'frontdoor'";
                until("its connections are closed", async || {
                    session.rows(gone) == [["0"]]
                })
                .await;
            }
        }
    }
    // What the server's rules leave open is found by itself.
    for (rule, how) in [("hostssl", "allow"), ("hostnossl", "prefer")] {
        let rules = format!("{rule} all postgres all trust\n");
        place.server.put("pg_hba.conf", &rules);
        let url = format!("{}?sslmode={how}", place.url());
        until(rule, async || Store::check(&parsed(&url)).await.is_ok()).await;
    }
    let missing = format!("{}?sslmode=verify-ca&sslrootcert=/nowhere.pem", place.url());
    let refused = refusal(&missing, OpenMode::Existing).await.to_string();
    assert!(refused.contains("sslrootcert /nowhere.pem"), "{refused}");
}

#[tokio::test]
async fn whom_the_server_does_not_let_in_is_told_why_in_one_line() {
    let place = Place::new().await;
    let session = place.server.session("postgres");
    for one in [
        "ROLE good LOGIN PASSWORD 'h4sh'",
        "ROLE late LOGIN PASSWORD 'h4sh' VALID UNTIL '2001-01-01'",
        "DATABASE theirs",
    ] {
        session.run(&format!("CREATE {one}"));
    }
    let rules = "host all postgres all trust\nhost all nobody all reject\n\
        host all all all scram-sha-256\n";
    place.server.put("pg_hba.conf", rules);
    let address = place.server.address;
    let url = |who: &str, database: &str| format!("postgres://{who}@{address}/{database}");
    until("the rules hold", async || {
        Store::check(&parsed(&url("good", "postgres")))
            .await
            .is_err()
    })
    .await;
    for (url, says) in [
        (
            url("late:h4sh", "theirs"),
            "the password is wrong, or has expired",
        ),
        (
            url("good:h4shh", "theirs"),
            "the password is wrong, or has expired",
        ),
        (url("good", "theirs"), "the server asks for a password"),
        (url("nobody:h4sh", "theirs"), "may not log in"),
        (url("good:h4sh", "nowhere"), "no database of that name"),
        (url("good:h4sh", "theirs"), "the role lacks a right"),
    ] {
        for command in ["check", "migrate", "serve"] {
            // A tool never gets as far as the tables.
            let says = match (command, says) {
                ("check", "the role lacks a right") => "there is no database",
                _ => says,
            };
            let try_once = || run(frontdoor(&[command]).env("DATABASE_URL", &url));
            let mut said = try_once();
            // By a busy machine.
            while said.err.contains("does not answer in time") {
                said = try_once();
            }
            assert_eq!(said.code, 1, "{command} {url}");
            said.complains(says);
            assert_eq!(said.err.lines().count(), 1, "{}", said.err);
            assert!(!said.err.contains("h4sh") && !said.out.contains("h4sh"));
        }
    }
    session.run("ALTER DATABASE theirs OWNER TO good");
    assert!(
        Store::migrate(&parsed(&url("good:h4sh", "theirs")))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn of_several_hosts_the_first_that_takes_writes_is_used() {
    let database = Database::postgres();
    let (network, there) = (Network::new(), server_address());
    let silent = Wire::at(network.address()).await;
    silent.lead_to(there);
    silent.go_dead();
    // Leads nowhere.
    let gone = Wire::at(network.address()).await;
    let (silent, gone) = (silent.address, gone.address);
    for first in [
        format!("{gone}"),
        format!("{silent}"),
        format!("{gone},{silent}"),
    ] {
        let url = format!("postgres://postgres@{first},{there}/{}", database.name());
        let url = parsed(&url);
        let opened = timeout(PATIENCE, Store::open(&url, OpenMode::Create)).await;
        let store = opened.expect(&first).unwrap();
        assert_eq!(store.probe().await, Ok(()));
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_server_that_takes_no_writes_is_refused() {
    let database = Database::postgres();
    database.create().await.close().await.unwrap();
    let how = "SET default_transaction_read_only = on";
    session(&database).run(&format!("ALTER DATABASE {} {how}", database.name()));
    for mode in [OpenMode::Create, OpenMode::Existing] {
        let refused = refusal(&database.url(), mode).await.to_string();
        assert!(refused.contains("read-only"), "{refused}");
    }
}

#[tokio::test]
async fn a_commit_is_on_disk_whatever_the_database_is_set_to() {
    let database = Database::postgres();
    let past = session(&database);
    let how = "SET synchronous_commit = off";
    past.run(&format!("ALTER DATABASE {} {how}", database.name()));
    let store = database.create().await;
    past.run(
        "CREATE TABLE seen (how text);
         CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit'));
             RETURN NULL; END $$;
         CREATE TRIGGER look AFTER UPDATE ON store_state FOR EACH ROW EXECUTE FUNCTION look()",
    );
    store.probe().await.unwrap();
    assert_eq!(past.rows("SELECT DISTINCT how FROM seen"), [["on"]]);
}
