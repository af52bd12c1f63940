//! Several replicas of the program on PostgreSQL, behind nginx, as `docs/scale.md` describes them.
//! While visitors send forms, replicas are killed, and the database is restarted, cut off and lost. No
//! message may be lost or doubled, each reaches the automation and never twice at a time, and no form
//! fails while replicas are replaced by a new version. Each failure happens once, or for five minutes
//! in the long form, which is part of `make chaos`.

mod changeover;
mod cluster;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cluster::{Cluster, Replica};
use tokio::sync::watch;

use crate::support::{
    Nginx, Sql, Taken, Visitors, automation, compare, is_long_form, long_or_short, own_address,
    send_again, until, until_ready,
};

const LONG: Duration = Duration::from_secs(5 * 60);
const REPLICAS: usize = 3;

/// This many forms are acknowledged between two failures.
const CALM: usize = 40;
const SHORT_CALM: usize = 8;

/// Between the forms of one visitor: the machine is also there for the servers,
/// and in the short form for other tests.
const PACE: Duration = Duration::from_millis(80);
const SHORT_PACE: Duration = Duration::from_millis(400);

#[tokio::test(flavor = "multi_thread")]
async fn no_lead_is_lost_or_doubled_when_replicas_and_database_servers_are_lost() {
    let mut setup = Setup::start().await;
    // First, because its deliveries are taken over only once its leases have ended.
    setup.kill_a_replica(0).await;
    setup.replace_every_replica().await;
    setup.restart_the_primary().await;
    setup.cut_connections().await;
    setup.fail_over_after_silence().await;
    if is_long_form() {
        long_form(&mut setup).await;
    }
    setup.finish().await;
}

/// Every kind of failure in turn, on servers that change roles.
async fn long_form(setup: &mut Setup) {
    for round in 0.. {
        setup.add_a_standby().await;
        if setup.begun.elapsed() > LONG {
            return;
        }
        setup.kill_a_replica(round % 3).await;
        setup.replace_every_replica().await;
        setup.stall_connections().await;
        setup.restart_the_standby().await;
        setup.restart_the_primary().await;
        setup.cut_connections().await;
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
    visitors: Visitors,
    begun: Instant,
    nginx: Nginx,
}

impl Setup {
    /// All replicas start at once, on an empty database.
    async fn start() -> Self {
        let (webhook, taken) = automation().await;
        let cluster = Cluster::start().await;
        let mut replicas: Vec<_> = (0..REPLICAS)
            .map(|_| Replica::new(&cluster.url(), &webhook))
            .collect();
        std::thread::scope(|scope| {
            for replica in &mut replicas {
                scope.spawn(|| replica.start());
            }
        });
        let addresses: Vec<_> = replicas.iter().map(|each| each.address).collect();
        let nginx = Nginx::start(own_address(), &addresses).await;
        let (_, site) = watch::channel(nginx.address);
        let setup = Self {
            visitors: Visitors::follow(site, long_or_short(PACE, SHORT_PACE)),
            cluster,
            replicas,
            taken,
            begun: Instant::now(),
            nginx,
        };
        setup.until_all_answer(200).await;
        setup.load_for_a_while().await;
        setup
    }

    async fn kill_a_replica(&mut self, which: usize) {
        self.replicas[which].kill();
        self.load_for_a_while().await;
        self.replicas[which].start();
        self.recovered("a replica was killed and started again")
            .await;
    }

    /// One after the other, as for a new version: no form fails.
    async fn replace_every_replica(&mut self) {
        for replica in &self.replicas {
            replica.until_visited().await;
        }
        let failures = || {
            let sent = self.visitors.sent();
            sent.iter().filter(|each| each.status != 201).count()
        };
        let before = failures();
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
            self.until_all_answer(200).await;
            self.replicas[which].until_visited().await;
        }
        self.load_for_a_while().await;
        if failures() > before {
            logs.extend(self.replicas.iter_mut().flat_map(Replica::stop));
            panic!("a form failed:\n{}\n{logs:#?}", self.nginx.log());
        }
        self.report("every replica was replaced");
    }

    async fn restart_the_primary(&mut self) {
        self.cluster.primary.stop();
        self.until_all_answer(503).await;
        self.cluster.primary.start_again().await;
        self.recovered("the primary was restarted").await;
    }

    /// Nothing can be committed safely meanwhile.
    async fn restart_the_standby(&mut self) {
        self.cluster.standby.as_mut().expect("a standby").stop();
        self.until_all_answer(503).await;
        let standby = self.cluster.standby.as_mut();
        standby.expect("a standby").start_again().await;
        self.recovered("the standby was restarted").await;
    }

    async fn cut_connections(&self) {
        self.cluster.proxy().cut();
        self.recovered("every connection was cut").await;
    }

    /// No connection is closed, and no byte arrives.
    async fn stall_connections(&self) {
        self.cluster.proxy().stall();
        self.until_all_answer(503).await;
        self.cluster.proxy().resume();
        self.recovered("connections stalled").await;
    }

    /// The primary is lost some time after it was cut off from its standby: nothing from that time may
    /// have been acknowledged.
    async fn fail_over_after_silence(&mut self) {
        self.cluster.silence_primary();
        tokio::select! {
            () = self.cluster.until_commits_wait(REPLICAS) => {}
            () = self.load_for_a_while() => {}
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
        self.until_all_answer(200).await;
    }

    async fn fail_over(&mut self, what: &str) {
        self.cluster.kill_primary();
        self.until_all_answer(503).await;
        self.cluster.promote().await;
        self.recovered(what).await;
    }

    async fn add_a_standby(&mut self) {
        self.cluster.add_standby().await;
        self.load_for_a_while().await;
        self.report("a new standby is in step");
    }

    /// Stops the visitors, waits for every delivery and compares the results.
    async fn finish(mut self) {
        let mut sent = self.visitors.stop().await;
        let database = Sql::Server(self.cluster.session());
        let open = "SELECT 1 FROM deliveries WHERE state <> 'delivered' LIMIT 1";
        let arrived = async || database.rows(open).is_empty();
        until("the last delivery", arrived).await;
        send_again(self.nginx.address, &mut sent).await;
        compare(&database, &sent, &self.taken.lock().unwrap());
        // Without it nobody waits for its last requests.
        drop(self.nginx);
        for replica in &mut self.replicas {
            replica.stop();
        }
    }

    async fn recovered(&self, what: &str) {
        let back = Instant::now();
        self.visitors.until_acknowledged(1).await;
        let next = back.elapsed();
        self.until_all_answer(200).await;
        self.load_for_a_while().await;
        self.report(&format!(
            "{what}; the next lead was stored after {next:.1?}"
        ));
    }

    /// Waits until every running replica answers `/readyz` with this status.
    async fn until_all_answer(&self, status: u16) {
        let running = self.replicas.iter().filter(|each| each.process.is_some());
        for replica in running {
            until_ready(replica.ops, status).await;
        }
    }

    async fn load_for_a_while(&self) {
        let calm = long_or_short(CALM, SHORT_CALM);
        self.visitors.until_acknowledged(calm).await;
    }

    fn report(&self, what: &str) {
        println!("{:5.1} s: {what}", self.begun.elapsed().as_secs_f64());
    }
}
