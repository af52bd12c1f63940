//! Connecting to a server: with and without TLS, with a password, to the first
//! host or the next one, beside the tables of other programs.

use frontdoor::store::{OpenMode, Store};
use tokio::time::timeout;

use super::{parsed, refusal, server_address};
use crate::support::{Authority, Database, Server, TIMEOUT, TcpProxy, until};

#[tokio::test]
async fn tls_is_used_and_checked_as_sslmode_says() {
    const ENCRYPTED: &str = "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE application_name = 'frontdoor'";
    let server = Server::create().await;
    let folders = [(), ()].map(|()| tempfile::tempdir().unwrap());
    let [authority, other] = folders
        .each_ref()
        .map(|folder| Authority::new(folder.path()));
    let (certificate, key) = authority.sign("localhost", None, None);
    server.put("server.crt", &certificate.pem());
    server.put("server.key", &key.serialize_pem());
    let plain = format!("{}?sslmode=prefer", server.url("postgres"));
    Store::migrate(&parsed(&plain)).await.unwrap();
    server.set("ssl = on");

    let root = |authority: &Authority| format!("&sslrootcert={}", authority.root.display());
    let (trusted, other) = (root(&authority), root(&other));
    let address = server.address;
    let ip = format!("host={}", address.ip());
    let named = format!("host=localhost&hostaddr={}", address.ip());
    let (plain, encrypted, refused) = (Some("f"), Some("t"), None);
    let session = server.session("postgres");
    for (host, mode, root, expected) in [
        (&ip, "disable", "", plain),
        (&ip, "prefer", "", encrypted),
        (&ip, "require", "", encrypted),
        (&ip, "require", &*other, refused),
        (&ip, "verify-ca", "", refused),
        (&ip, "verify-ca", &trusted, encrypted),
        (&ip, "verify-full", &trusted, refused),
        (&named, "verify-full", &trusted, encrypted),
    ] {
        let how = format!("{host}&port={}&sslmode={mode}{root}", address.port());
        let url = format!("postgres:///postgres?user=postgres&{how}");
        let Some(expected) = expected else {
            let why = refusal(&url, OpenMode::Existing).await;
            assert!(why.contains("certificate is"), "{how}: {why}");
            continue;
        };
        let store = Store::open(&parsed(&url), OpenMode::Existing).await;
        let store = store.unwrap_or_else(|error| panic!("{how}: {error}"));
        store.probe().await.unwrap();
        assert_eq!(session.rows(ENCRYPTED), [[expected]], "{how}");
        store.close().await.unwrap();
        let are_closed = async || session.rows(ENCRYPTED).is_empty();
        until("its connections are closed", are_closed).await;
    }
    let missing = format!(
        "{}?sslmode=verify-ca&sslrootcert=/nowhere.pem",
        server.url("postgres")
    );
    let why = refusal(&missing, OpenMode::Existing).await;
    assert!(why.contains("sslrootcert /nowhere.pem"), "{why}");
}

#[tokio::test]
async fn a_refused_login_is_explained_without_the_password() {
    let server = Server::create().await;
    let session = server.session("postgres");
    session.run("CREATE ROLE good LOGIN PASSWORD 'h4sh'");
    session.run("CREATE ROLE late LOGIN PASSWORD 'h4sh' VALID UNTIL '2001-01-01'");
    session.run("CREATE DATABASE theirs");
    let rules = "host all postgres all trust\nhost all nobody all reject\n\
        host all all all scram-sha-256\n";
    server.put("pg_hba.conf", rules);
    let address = server.address;
    let url = |who: &str, name: &str| format!("postgres://{who}@{address}/{name}");
    let asks = parsed(&url("good", "postgres"));
    let is_refused = async || Store::check(&asks).await.is_err();
    until("the rules hold", is_refused).await;
    let wrong = "the password is wrong, or has expired";
    for (who, name, says) in [
        ("late:h4sh", "theirs", wrong),
        ("good:h4shh", "theirs", wrong),
        ("good", "theirs", "the server asks for a password"),
        ("nobody:h4sh", "theirs", "may not log in"),
        ("good:h4sh", "nowhere", "no database of that name"),
        ("good:h4sh", "theirs", "the role lacks a right"),
    ] {
        // A busy machine may take too long to answer.
        until(says, async || {
            let why = refusal(&url(who, name), OpenMode::Create).await;
            assert!(!why.contains("h4sh"), "{why}");
            why.contains(says)
        })
        .await;
    }
    session.run("ALTER DATABASE theirs OWNER TO good");
    let migrated = Store::migrate(&parsed(&url("good:h4sh", "theirs"))).await;
    assert!(migrated.is_ok(), "{migrated:?}");
}

#[tokio::test]
async fn of_several_hosts_the_first_that_answers_is_used() {
    let database = Database::postgres();
    let there = server_address();
    let silent = TcpProxy::start().await;
    silent.forward_to(there);
    silent.stall();
    let gone = TcpProxy::start().await;
    let hosts = format!("{},{},{there}", gone.address, silent.address);
    let url = parsed(&format!("postgres://postgres@{hosts}/{}", database.name()));
    let opened = timeout(TIMEOUT, Store::open(&url, OpenMode::Create)).await;
    let store = opened.unwrap().unwrap();
    assert_eq!(store.probe().await, Ok(()));
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_commit_is_on_disk_whatever_the_database_is_set_to_and_a_read_only_one_is_refused() {
    let database = Database::postgres();
    let sql = database.sql();
    let set = |how| sql.run(&format!("ALTER DATABASE {} SET {how}", database.name()));
    set("synchronous_commit = off");
    let store = database.create().await;
    sql.run(
        "CREATE TABLE seen (how text);
         CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit'));
             RETURN NULL; END $$;
         CREATE TRIGGER look AFTER UPDATE ON store_state FOR EACH ROW EXECUTE FUNCTION look()",
    );
    store.probe().await.unwrap();
    assert_eq!(sql.rows("SELECT DISTINCT how FROM seen"), [["on"]]);
    store.close().await.unwrap();
    set("default_transaction_read_only = on");
    for mode in [OpenMode::Create, OpenMode::Existing] {
        let why = refusal(&database.url(), mode).await;
        assert!(why.contains("read-only"), "{why}");
    }
}

#[tokio::test]
async fn a_table_of_another_program_is_named_and_left_alone_and_another_schema_can_be_ours() {
    for (table, says) in [
        ("schema_migrations (version varchar)", "schema_migrations"),
        ("subscribers (name text)", "search_path"),
    ] {
        let database = Database::postgres();
        let sql = database.sql();
        sql.run(&format!("CREATE SCHEMA site; CREATE TABLE {table}"));
        let why = refusal(&database.url(), OpenMode::Create).await;
        assert!(why.contains(says), "{why}");
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
        assert_eq!(sql.number(tables), 1, "{table}");
        let ours = format!("{}?options=-c%20search_path%3Dsite", database.url());
        let store = Store::open(&parsed(&ours), OpenMode::Create).await.unwrap();
        assert_eq!(store.probe().await, Ok(()));
        store.close().await.unwrap();
    }
}
