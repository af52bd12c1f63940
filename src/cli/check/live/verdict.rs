//! What a look at one thing found, and what to do about it.

use std::time::Duration;

use serde::Serialize;
use tokio::time::timeout;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Good,
    /// Worth a look, or cannot be known from here.
    Unsure,
    Bad,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// What was looked at.
    pub check: &'static str,
    pub state: State,
    pub what: String,
    pub remedy: Option<String>,
}

pub fn good(check: &'static str, what: impl Into<String>) -> Verdict {
    Verdict {
        check,
        state: State::Good,
        what: what.into(),
        remedy: None,
    }
}

pub fn unsure(check: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Verdict {
    Verdict {
        state: State::Unsure,
        remedy: Some(remedy.into()),
        ..good(check, what)
    }
}

pub fn bad(check: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Verdict {
    Verdict {
        state: State::Bad,
        ..unsure(check, what, remedy)
    }
}

impl Verdict {
    pub fn line(&self) -> String {
        let sign = match self.state {
            State::Good => '✓',
            State::Unsure => '!',
            State::Bad => '✗',
        };
        let remedy = self.remedy.as_deref().filter(|remedy| !remedy.is_empty());
        let remedy = remedy.map(|remedy| format!(" → {remedy}"));
        let line = format!(
            "{sign} {}: {}{}",
            self.check,
            self.what,
            remedy.unwrap_or_default()
        );
        // One line, whatever a server put into its answer.
        line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n"
    }
}

/// What takes longer than `limit` is told of and left.
pub async fn within(
    check: &'static str,
    limit: Duration,
    look: impl Future<Output = Vec<Verdict>>,
) -> Vec<Verdict> {
    timeout(limit, look).await.unwrap_or_else(|_| {
        let seconds = limit.as_secs();
        vec![bad(
            check,
            format!("no answer within {seconds} s"),
            "look whether it runs and can be reached from this machine, then check again",
        )]
    })
}
