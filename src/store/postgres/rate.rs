//! One count for all replicas, of clients that are known by a salted hash.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;

use super::Postgres;
use super::ask::{counted, number, present, text, time};
use crate::store::{Counted, Result};

/// The salt is asked for again after so long: a crash of the server may have
/// lost it, and another replica made a new one.
const SALT_KEPT: Duration = Duration::from_secs(5 * 60);
const BYTES: usize = 32;

pub struct Rate {
    db: Postgres,
    salt: Mutex<Option<(String, Instant)>>,
}

impl Rate {
    pub fn new(db: Postgres) -> Self {
        Self {
            db,
            salt: Mutex::default(),
        }
    }

    pub fn is_failing(&self) -> bool {
        self.db.health.is_failing()
    }

    /// In its window, or in one that begins with it.
    pub async fn count(&self, who: &str, window: Duration, now: Timestamp) -> Result<Counted> {
        let hash = hash(&self.salt(now).await?, who);
        let (now, window) = (self.db.time(now), milliseconds(window));
        let same = "counts.began_at <= excluded.began_at
            AND counts.began_at > excluded.began_at - $3 * interval '1 millisecond'";
        let sql = format!(
            "INSERT INTO rate_counts AS counts (client, began_at, posts)
            VALUES ($1, {present}, 1)
            ON CONFLICT (client) DO UPDATE SET
                began_at = CASE WHEN {same} THEN counts.began_at ELSE excluded.began_at END,
                posts = CASE WHEN {same} THEN counts.posts + 1 ELSE 1 END
            RETURNING posts, (extract(epoch FROM began_at - {present}) * 1000)::bigint + $3
                AS left",
            present = present("$2")
        );
        let values = [text(&hash), time(&now), number(&window)];
        let row = self.db.row(&sql, &values).await?;
        let left = row.try_get::<_, i64>("left")?.clamp(0, window);
        Ok(Counted {
            number: counted(&row, "posts")?,
            left: Duration::from_millis(left.unsigned_abs()),
        })
    }

    pub async fn tidy(&self, window: Duration, now: Timestamp) -> Result<()> {
        let sql = format!(
            "DELETE FROM rate_counts WHERE began_at <= {} - $2 * interval '1 millisecond'",
            present("$1")
        );
        let (time_now, window) = (self.db.time(now), milliseconds(window));
        let values = [time(&time_now), number(&window)];
        self.db.change(&sql, &values).await?;
        *self.salt.lock().await = None;
        self.salt(now).await.map(|_| ())
    }

    /// The one that all replicas use today.
    async fn salt(&self, now: Timestamp) -> Result<String> {
        let mut known = self.salt.lock().await;
        if let Some((salt, since)) = known.as_ref()
            && since.elapsed() < SALT_KEPT
        {
            return Ok(salt.clone());
        }
        let is_old = "salts.made_at <= excluded.made_at - interval '1 day'";
        let sql = format!(
            "INSERT INTO rate_salt AS salts (id, salt, made_at) VALUES (1, $1, {})
            ON CONFLICT (id) DO UPDATE SET
                salt = CASE WHEN {is_old} THEN excluded.salt ELSE salts.salt END,
                made_at = CASE WHEN {is_old} THEN excluded.made_at ELSE salts.made_at END
            RETURNING salt",
            present("$2")
        );
        let new = URL_SAFE_NO_PAD.encode(rand::random::<[u8; BYTES]>());
        let now = self.db.time(now);
        let row = self.db.row(&sql, &[text(&new), time(&now)]).await?;
        let salt: String = row.try_get("salt")?;
        *known = Some((salt.clone(), Instant::now()));
        Ok(salt)
    }
}

fn hash(salt: &str, who: &str) -> String {
    let digest = Sha256::new()
        .chain_update(salt)
        .chain_update(who)
        .finalize();
    URL_SAFE_NO_PAD.encode(digest)
}

fn milliseconds(window: Duration) -> i64 {
    i64::try_from(window.as_millis()).unwrap_or(i64::MAX)
}
