//! The promise with several machines: replicas are killed, the database is
//! restarted, cut off and lost while visitors send. Nobody's message may be
//! lost or doubled, and each reaches the automation, never twice at a time. No
//! form fails while replicas are replaced by a new version.
//! Once through, or for five minutes in the long form.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::automation::{self, Taken};
use super::cluster::Cluster;
use super::load::Load;
use super::replica::Replica;
use super::verdict::judge;
use crate::support::long;
use crate::support::network::Network;
use crate::support::nginx::Nginx;
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
    let mut house = House::start().await;
    // First: what it had in hand is taken up when its leases have ended.
    house.kill_a_replica(0).await;
    house.replace_every_replica().await;
    house.restart_the_primary().await;
    house.cut_the_wire().await;
    house.fail_over_after_silence().await;
    if long::asked() {
        long_form(&mut house).await;
    }
    house.finish().await;
}

/// Every kind of trouble in turn, on servers that change their parts.
async fn long_form(house: &mut House) {
    for round in 0.. {
        house.add_a_standby().await;
        if house.begun.elapsed() > LONG {
            return;
        }
        house.kill_a_replica(round % 3).await;
        house.replace_every_replica().await;
        house.let_the_wire_go_dead().await;
        house.restart_the_standby().await;
        house.restart_the_primary().await;
        house.cut_the_wire().await;
        house.fail_over_with((round + 1) % 3).await;
    }
}

/// Everything an owner of several machines runs: a primary and its standby,
/// three replicas of the program, nginx before them and an automation behind;
/// and visitors, who never stop.
struct House {
    cluster: Cluster,
    replicas: Vec<Replica>,
    taken: Arc<Mutex<Taken>>,
    load: Arc<Load>,
    visitors: JoinSet<()>,
    network: Network,
    begun: Instant,
    nginx: Nginx,
}

impl House {
    /// All replicas start at once, on an empty database.
    async fn start() -> Self {
        let network = Network::new();
        let (webhook, taken) = automation::start().await;
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
        let house = Self {
            load,
            visitors,
            cluster,
            replicas,
            taken,
            network,
            begun: Instant::now(),
            nginx,
        };
        house.all_ready(200).await;
        house.calm().await;
        house
    }

    async fn kill_a_replica(&mut self, which: usize) {
        self.replicas[which].kill();
        self.calm().await;
        self.replicas[which].start();
        self.all_ready(200).await;
        self.calm().await;
        self.tell("a replica was killed and started again");
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
        let seen = self.all_down().await;
        self.cluster.primary.start_again().await;
        self.recovered(seen, "the primary was restarted").await;
    }

    /// Nothing can be committed safely meanwhile.
    async fn restart_the_standby(&mut self) {
        self.cluster.standby.as_mut().expect("a standby").stop();
        let seen = self.all_down().await;
        let standby = self.cluster.standby.as_mut();
        standby.expect("a standby").start_again().await;
        self.recovered(seen, "the standby was restarted").await;
    }

    async fn cut_the_wire(&self) {
        self.cluster.wire().cut();
        self.recovered(Instant::now(), "every connection was cut")
            .await;
    }

    /// No connection is closed, and no byte arrives.
    async fn let_the_wire_go_dead(&self) {
        self.cluster.wire().go_dead();
        let seen = self.all_down().await;
        self.cluster.wire().come_back();
        self.recovered(seen, "the wire was dead").await;
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
        let seen = self.all_down().await;
        self.cluster.promote().await;
        self.recovered(seen, what).await;
    }

    async fn add_a_standby(&mut self) {
        self.cluster.add_standby(&self.network).await;
        self.calm().await;
        self.tell("a new standby is in step");
    }

    /// The visitors leave, every delivery arrives, and so does the truth.
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

    /// `seen`: nobody can have been thanked later for what came before it.
    async fn recovered(&self, seen: Instant, what: &str) {
        let back = Instant::now();
        let (first, before) = self.load.first_thanked(seen).await;
        let after = first.saturating_duration_since(back);
        let without = before.map_or(after, |before| first - before);
        self.all_ready(200).await;
        self.calm().await;
        self.tell(&format!(
            "{what}; the first lead {after:.1?} after the database was back, none for {without:.1?}"
        ));
    }

    /// Every replica says that it cannot store; since when that is so.
    async fn all_down(&self) -> Instant {
        self.all_ready(503).await;
        Instant::now()
    }

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
