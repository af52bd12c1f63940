//! Hears from the database that something may be due, whichever replica
//! stored it. Behind a pooler nothing is heard; who delivers also looks by
//! itself.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::connect::{Connector, Link};
use crate::store::Wakeups;

const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// Goes on for ever, on a connection of its own.
pub async fn listen(connector: Arc<Connector>, wakeups: Wakeups) {
    let mut pause = SHORTEST_PAUSE;
    loop {
        if let Some(mut link) = begin(&connector, &wakeups).await {
            pause = SHORTEST_PAUSE;
            // What was said meanwhile was not heard.
            wakeups.wake();
            link.ended().await;
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn begin(connector: &Connector, wakeups: &Wakeups) -> Option<Link> {
    let link = connector.connect(Some(wakeups)).await.ok()?;
    if !link.is_direct {
        return None;
    }
    let began = timeout(
        ANSWERS_WITHIN,
        link.client.batch_execute("LISTEN frontdoor"),
    );
    matches!(began.await, Ok(Ok(()))).then_some(link)
}
