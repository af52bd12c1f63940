//! The promise with several machines: replicas are killed, the database is
//! restarted, cut off and lost while visitors send. Nobody's message may be
//! lost or doubled, and each reaches the automation, never twice at a time. No
//! form fails while replicas are replaced by a new version.
//! Once through, or for five minutes in the long form.

use std::time::Duration;

use super::house::House;
use crate::support::long;

const LONG: Duration = Duration::from_secs(5 * 60);

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
    let verdict = house.finish().await;
    println!("{verdict}");
    for (what, number) in verdict.broken_promises() {
        assert_eq!(number, 0, "{what}: {verdict}");
    }
}

/// Every kind of trouble in turn, on servers that change their parts.
async fn long_form(house: &mut House) {
    for round in 0.. {
        house.add_a_standby().await;
        if house.age() > LONG {
            return;
        }
        house.kill_a_replica(round % 3).await;
        house.replace_every_replica().await;
        house.end_every_session().await;
        house.let_the_wire_go_dead().await;
        house.restart_the_standby().await;
        house.restart_the_primary().await;
        house.cut_the_wire().await;
        house.fail_over_with((round + 1) % 3).await;
    }
}
