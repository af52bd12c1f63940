//! One line of `frontdoor check`.

use serde::Serialize;

/// What was looked at.
#[derive(Serialize)]
pub struct Finding {
    /// Neither: a choice of the owner's.
    ok: Option<bool>,
    what: String,
    #[serde(skip)]
    sign: &'static str,
}

impl Finding {
    fn new(sign: &'static str, ok: Option<bool>, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { ok, what, sign }
    }

    pub fn line(&self) -> String {
        format!("{}  {}\n", self.sign, self.what)
    }
}

pub fn good(what: impl Into<String>) -> Finding {
    Finding::new("OK", Some(true), what)
}

pub fn note(what: impl Into<String>) -> Finding {
    Finding::new("--", None, what)
}

pub fn bad(what: impl Into<String>) -> Finding {
    Finding::new("NO", Some(false), what)
}

/// For the owner, and no reason not to start.
pub fn waiting(what: impl Into<String>) -> Finding {
    Finding::new("!!", Some(false), what)
}
