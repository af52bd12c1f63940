//! Several replicas of the program over PostgreSQL, behind nginx, as
//! `docs/scale.md` describes them. Replicas are killed, the database is
//! restarted, cut off and lost while visitors send: nobody's message may be lost
//! or doubled, each reaches the automation, never twice at a time, and no form
//! fails while replicas are replaced by a new version. Once through, or for five
//! minutes in the long form, which is part of `make chaos`.

mod changeover;
mod cluster;
mod load;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cluster::{Cluster, Replica};
use load::{Load, Memory, Taken};
use tokio::task::JoinSet;

use crate::support::long;
use crate::support::network::Network;
use crate::support::nginx::Nginx;
use crate::support::postgres::Session;
use crate::support::wait::until_within;

const LONG: Duration = Duration::from_secs(5 * 60);
const REPLICAS: usize = 3;

/// Between two events so many visitors are thanked.
const CALM: usize = 40;
const SHORT_CALM: usize = 15;

/// A delivery in the hands of somebody who was killed waits for the end of its
/// lease, and may then fail once.
const LAST_DELIVERY: Duration = Duration::from_secs(180);

#[tokio::test(flavor = "multi_thread")]
async fn no_lead_is_lost_or_doubled_when_replicas_and_database_servers_are_lost() {
    let mut setup = Setup::start().await;
    // First: what it had in hand is taken up when its leases have ended.
    setup.kill_a_replica(0).await;
    setup.replace_every_replica().await;
    setup.restart_the_primary().await;
    setup.cut_the_wire().await;
    setup.fail_over_after_silence().await;
    if long::asked() {
        long_form(&mut setup).await;
    }
    setup.finish().await;
}

/// Every kind of trouble in turn, on servers that change their parts.
async fn long_form(setup: &mut Setup) {
    for round in 0.. {
        setup.add_a_standby().await;
        if setup.begun.elapsed() > LONG {
            return;
        }
        setup.kill_a_replica(round % 3).await;
        setup.replace_every_replica().await;
        setup.let_the_wire_go_dead().await;
        setup.restart_the_standby().await;
        setup.restart_the_primary().await;
        setup.cut_the_wire().await;
        setup.fail_over_with((round + 1) % 3).await;
    }
}

/// Everything an owner of several machines runs: a primary and its standby,
/// three replicas of the program, nginx before them and an automation behind;
/// and visitors, who never stop.
struct Setup {
    cluster: Cluster,
    replicas: Vec<Replica>,
    taken: Arc<Mutex<Taken>>,
    load: Arc<Load>,
    visitors: JoinSet<()>,
    network: Network,
    begun: Instant,
    nginx: Nginx,
}

impl Setup {
    /// All replicas start at once, on an empty database.
    async fn start() -> Self {
        let network = Network::new();
        let (webhook, taken) = load::automation().await;
        let cluster = Cluster::start(&network).await;
        let mut replicas: Vec<_> = (0..REPLICAS)
            .map(|_| Replica::new(&network, &cluster.url(), &webhook))
            .collect();
        std::thread::scope(|scope| {
            for replica in &mut replicas {
                scope.spawn(|| replica.start());
            }
        });
        let addresses: Vec<_> = replicas.iter().map(|each| each.address).collect();
        let nginx = Nginx::start(network.address(), &addresses).await;
        let (load, visitors) = Load::start(nginx.address);
        let setup = Self {
            load,
            visitors,
            cluster,
            replicas,
            taken,
            network,
            begun: Instant::now(),
            nginx,
        };
        setup.all_ready(200).await;
        setup.calm().await;
        setup
    }

    async fn kill_a_replica(&mut self, which: usize) {
        self.replicas[which].kill();
        self.calm().await;
        self.replicas[which].start();
        self.recovered("a replica was killed and started again")
            .await;
    }

    /// One after the other, as for a new version: no form fails.
    async fn replace_every_replica(&mut self) {
        for replica in &self.replicas {
            replica.until_visited().await;
        }
        let before = self.load.memory().troubles();
        let mut logs = Vec::new();
        for which in 0..REPLICAS {
            let mut replica = self.replicas.remove(which);
            let replacing = tokio::task::spawn_blocking(|| {
                let log = replica.stop();
                replica.start();
                (replica, log)
            });
            let (replica, log) = replacing.await.unwrap();
            self.replicas.insert(which, replica);
            logs.extend(log);
            self.all_ready(200).await;
            self.replicas[which].until_visited().await;
        }
        self.calm().await;
        if self.load.memory().troubles() > before {
            logs.extend(self.replicas.iter_mut().flat_map(Replica::stop));
            let (answers, proxy) = (&self.load.memory().answers, self.nginx.log());
            panic!("a form failed: {answers:?}\n{proxy}\n{logs:#?}");
        }
        self.tell("every replica was replaced");
    }

    async fn restart_the_primary(&mut self) {
        self.cluster.primary.stop();
        self.all_ready(503).await;
        self.cluster.primary.start_again().await;
        self.recovered("the primary was restarted").await;
    }

    /// Nothing can be committed safely meanwhile.
    async fn restart_the_standby(&mut self) {
        self.cluster.standby.as_mut().expect("a standby").stop();
        self.all_ready(503).await;
        let standby = self.cluster.standby.as_mut();
        standby.expect("a standby").start_again().await;
        self.recovered("the standby was restarted").await;
    }

    async fn cut_the_wire(&self) {
        self.cluster.wire().cut();
        self.recovered("every connection was cut").await;
    }

    /// No connection is closed, and no byte arrives.
    async fn let_the_wire_go_dead(&self) {
        self.cluster.wire().go_dead();
        self.all_ready(503).await;
        self.cluster.wire().come_back();
        self.recovered("the wire was dead").await;
    }

    /// The primary is lost some time after its standby has last heard of it:
    /// nobody may have been thanked for what came between.
    async fn fail_over_after_silence(&mut self) {
        self.cluster.silence_primary();
        tokio::select! {
            () = self.cluster.until_commits_wait(REPLICAS) => {}
            () = self.calm() => {}
        }
        self.fail_over("the standby, out of touch, was promoted")
            .await;
    }

    /// A machine is lost that had the primary and a replica.
    async fn fail_over_with(&mut self, lost: usize) {
        self.replicas[lost].kill();
        self.fail_over("the primary was killed, the standby promoted")
            .await;
        self.replicas[lost].start();
        self.all_ready(200).await;
    }

    async fn fail_over(&mut self, what: &str) {
        self.cluster.kill_primary();
        self.all_ready(503).await;
        self.cluster.promote().await;
        self.recovered(what).await;
    }

    async fn add_a_standby(&mut self) {
        self.cluster.add_standby(&self.network).await;
        self.calm().await;
        self.tell("a new standby is in step");
    }

    /// The visitors leave, every delivery arrives, and all is compared.
    async fn finish(mut self) {
        self.load.end();
        self.visitors.join_all().await;
        let database = self.cluster.session();
        let open = "SELECT 1 FROM deliveries WHERE state <> 'delivered' LIMIT 1";
        let arrived = async || database.rows(open).is_empty();
        until_within(LAST_DELIVERY, "the last delivery", arrived).await;
        self.load.send_again().await;
        judge(&database, &self.load.memory(), &self.taken.lock().unwrap());
        // Without it nobody waits for its last requests.
        drop(self.nginx);
        for replica in &mut self.replicas {
            replica.stop();
        }
    }

    async fn recovered(&self, what: &str) {
        let back = Instant::now();
        self.load.until_thanked(1).await;
        let next = back.elapsed();
        self.all_ready(200).await;
        self.calm().await;
        self.tell(&format!(
            "{what}; the next lead was stored after {next:.1?}"
        ));
    }

    /// Every replica that runs says whether it can store.
    async fn all_ready(&self, status: u16) {
        for replica in &self.replicas {
            replica.until_ready(status).await;
        }
    }

    async fn calm(&self) {
        let visitors = long::or_short(CALM, SHORT_CALM);
        self.load.until_thanked(visitors).await;
    }

    fn tell(&self, what: &str) {
        println!("{:5.1} s: {what}", self.begun.elapsed().as_secs_f64());
    }
}

/// Prints the figures; those that are promises must be none.
fn judge(database: &Session, visitors: &Memory, taken: &Taken) {
    let rows = pairs(database, "SELECT message, id FROM contacts");
    let stored = rows.len();
    // One id of each form.
    let leads: HashMap<_, _> = rows.into_iter().collect();
    // Their ids, and the words they carry; a lead that has none counts as one.
    let sql = "SELECT coalesce(deliveries.id, contacts.id), message
        FROM contacts LEFT JOIN deliveries ON contact_id = contacts.id";
    let deliveries: HashMap<_, _> = pairs(database, sql).into_iter().collect();

    let keyed = visitors.keyed.iter();
    let lost_keyed = keyed.filter(|(words, id)| leads.get(*words) != Some(id));
    let plain = |thanked: bool, is_stored: bool| {
        let forms = visitors.plain.iter();
        let is_meant =
            |form: &(&String, &bool)| *form.1 == thanked && leads.contains_key(form.0) == is_stored;
        forms.filter(is_meant).count()
    };
    let sent = deliveries.iter();
    let undelivered = sent.filter(|(id, words)| taken.accepted.get(*id) != Some(words));
    let accepted = taken.accepted.keys();
    let invented = accepted.filter(|id| !deliveries.contains_key(*id));
    let promises = [
        ("lost", lost_keyed.count() + plain(true, false)),
        ("doubled", stored - leads.len()),
        ("undelivered", undelivered.count()),
        ("invented", invented.count()),
        ("sent twice at a time", taken.overlapping),
        ("told another id than before", visitors.contradicted),
    ];
    println!("answers by status (0: none): {:?}", visitors.answers);
    println!(
        "{} acknowledged, {stored} stored ({} of them after an answer that left it open); \
         {} deliveries accepted ({} sent again); {}",
        visitors.keyed.len() + plain(true, true) + plain(true, false),
        plain(false, true),
        taken.accepted.len(),
        taken.repeated,
        promises
            .map(|(what, number)| format!("{number} {what}"))
            .join(", "),
    );
    for (what, number) in promises {
        assert_eq!(number, 0, "{what}");
    }
}

fn pairs(database: &Session, sql: &str) -> Vec<(String, String)> {
    let rows = database.rows(sql).into_iter();
    let pair = |row| <[String; 2]>::try_from(row).expect("two columns").into();
    rows.map(pair).collect()
}
