//! Everything an owner of several machines runs: a primary and its standby,
//! three replicas of the program, nginx before them and an automation behind;
//! and visitors, who never stop.

use std::fmt::Display;
use std::time::{Duration, Instant};

use super::automation::Automation;
use super::cluster::Cluster;
use super::load::{Load, Memory, Outage};
use super::replica::Replica;
use super::verdict::Verdict;
use crate::support::long;
use crate::support::network::Network;
use crate::support::nginx::Nginx;
use crate::support::wait::until_within;

const REPLICAS: usize = 3;

/// Between two events so many visitors are thanked.
const CALM: usize = 40;
const SHORT_CALM: usize = 15;

/// A delivery in the hands of somebody who was killed waits for the end of its
/// lease, and may then fail once.
const LAST_DELIVERY: Duration = Duration::from_secs(180);

pub struct House {
    cluster: Cluster,
    replicas: Vec<Replica>,
    automation: Automation,
    load: Load,
    network: Network,
    begun: Instant,
    nginx: Nginx,
}

impl House {
    /// All replicas start at once, on an empty database.
    pub async fn start() -> Self {
        let network = Network::new();
        let automation = Automation::start().await;
        let cluster = Cluster::start(&network).await;
        let mut replicas: Vec<_> = (0..REPLICAS)
            .map(|_| Replica::new(&network, &cluster.url(), &automation.url))
            .collect();
        std::thread::scope(|scope| {
            for replica in &mut replicas {
                scope.spawn(|| replica.start());
            }
        });
        let addresses: Vec<_> = replicas.iter().map(|each| each.address).collect();
        let nginx = Nginx::start(network.address(), &addresses).await;
        let house = Self {
            load: Load::start(nginx.address),
            cluster,
            replicas,
            automation,
            network,
            begun: Instant::now(),
            nginx,
        };
        house.all_ready(200).await;
        house.calm().await;
        house
    }

    pub async fn kill_a_replica(&mut self, which: usize) {
        self.replicas[which].kill();
        self.calm().await;
        self.replicas[which].start();
        self.all_ready(200).await;
        self.calm().await;
        self.tell("a replica was killed and started again");
    }

    /// One after the other, as for a new version: no form fails.
    pub async fn replace_every_replica(&mut self) {
        for replica in &self.replicas {
            replica.until_visited().await;
        }
        let before = self.load.troubles();
        for which in 0..REPLICAS {
            let mut replica = self.replicas.remove(which);
            let replaced = tokio::task::spawn_blocking(|| {
                replica.stop();
                replica.start();
                replica
            });
            self.replicas.insert(which, replaced.await.unwrap());
            self.all_ready(200).await;
            self.replicas[which].until_visited().await;
        }
        self.calm().await;
        let failed = self.load.troubles() - before;
        assert_eq!(failed, 0, "the proxy says:\n{}", self.nginx.log());
        self.tell("every replica was replaced");
    }

    pub async fn restart_the_primary(&mut self) {
        self.cluster.stop_primary();
        let seen = self.all_down().await;
        self.cluster.start_primary().await;
        self.recovered(seen, "the primary was restarted").await;
    }

    /// Nothing can be committed safely meanwhile.
    pub async fn restart_the_standby(&mut self) {
        self.cluster.stop_standby();
        let seen = self.all_down().await;
        self.cluster.start_standby().await;
        self.recovered(seen, "the standby was restarted").await;
    }

    pub async fn end_every_session(&mut self) {
        let ended = self.cluster.end_sessions();
        let what = format!("{ended} sessions were ended by the server");
        self.recovered(Instant::now(), &what).await;
    }

    pub async fn cut_the_wire(&mut self) {
        self.cluster.wire().cut();
        self.recovered(Instant::now(), "every connection was cut")
            .await;
    }

    /// No connection is closed, and no byte arrives.
    pub async fn let_the_wire_go_dead(&mut self) {
        self.cluster.wire().go_dead();
        let seen = self.all_down().await;
        self.cluster.wire().come_back();
        self.recovered(seen, "the wire was dead").await;
    }

    pub async fn fail_over(&mut self) {
        self.cluster.kill_primary();
        self.take_over("the primary was killed, the standby promoted")
            .await;
    }

    /// The primary is lost some time after its standby has last heard of it:
    /// nobody may have been thanked for what came between.
    pub async fn fail_over_after_silence(&mut self) {
        self.cluster.silence_primary();
        tokio::select! {
            () = self.cluster.until_commits_wait(REPLICAS) => {}
            () = self.calm() => {}
        }
        self.cluster.kill_primary();
        self.take_over("the standby, out of touch, was promoted")
            .await;
    }

    async fn take_over(&mut self, what: &str) {
        let seen = self.all_down().await;
        self.cluster.promote().await;
        self.recovered(seen, what).await;
    }

    /// A machine is lost that had the primary and a replica.
    pub async fn fail_over_with(&mut self, lost: usize) {
        self.replicas[lost].kill();
        self.fail_over().await;
        self.replicas[lost].start();
        self.all_ready(200).await;
    }

    pub async fn add_a_standby(&mut self) {
        self.cluster.add_standby(&self.network).await;
        self.calm().await;
        self.tell("a new standby is in step");
    }

    /// The visitors leave, every delivery arrives, and so does the truth.
    pub async fn finish(mut self) -> Verdict {
        let memory = self.load.stop().await;
        let database = self.cluster.session();
        let open = "SELECT 1 FROM deliveries WHERE state <> 'delivered' LIMIT 1";
        let arrived = async || database.rows(open).is_empty();
        until_within(LAST_DELIVERY, "the last delivery", arrived).await;
        let mut verdict = Verdict::over(&database, &memory, &self.automation.taken());
        verdict.contradicted += answered_otherwise(self.nginx.address, &memory).await;
        // Without it nobody waits for its last requests.
        drop(self.nginx);
        for replica in &mut self.replicas {
            replica.stop();
        }
        println!("answers by status (0: none): {:?}", memory.answers);
        verdict
    }

    async fn recovered(&self, seen: Instant, what: &str) {
        let outage = Outage {
            seen,
            over: Instant::now(),
        };
        let (after, without) = self.load.recovery(&outage).await;
        self.all_ready(200).await;
        self.calm().await;
        self.tell(format!(
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
        self.load
            .until_thanked(long::or_short(CALM, SHORT_CALM))
            .await;
    }

    pub fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    fn tell(&self, what: impl Display) {
        println!("{:5.1} s: {what}", self.age().as_secs_f64());
    }
}

/// How many scripts that send again what they were thanked for are not told the
/// same.
async fn answered_otherwise(site: std::net::SocketAddr, memory: &Memory) -> usize {
    let mut otherwise = 0;
    for (words, id) in memory.keyed.iter().take(50) {
        let again = Load::send_again(site, words).await;
        otherwise += usize::from(again.as_ref() != Some(id));
    }
    otherwise
}
