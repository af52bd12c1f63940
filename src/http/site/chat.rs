//! The chat assistant on the pages: what tells the browser's code about it,
//! and what the policy of a page must then allow.
//!
//! Only what the provider's published bundle was seen to need is allowed, and
//! only from the configured origins.

use serde::Serialize;

use crate::config::{ChatLoad, ChatSettings};
use crate::http::edge::headers::ExtraSources;

/// The bundle makes an empty `<style>` element and fills it through the CSS
/// object model: the hash of nothing lets it, without `unsafe-inline`.
const EMPTY_STYLE: &str = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/// What the browser's code needs to start it.
#[derive(Serialize)]
pub struct BrowserChat<'a> {
    project: &'a str,
    script: &'a str,
    runtime: &'a str,
    load: &'static str,
}

impl<'a> BrowserChat<'a> {
    pub fn new(chat: &'a ChatSettings) -> Self {
        Self {
            project: &chat.project_id,
            script: chat.script_url.as_str(),
            // The bundle puts a slash after it.
            runtime: chat.runtime_url.as_str().trim_end_matches('/'),
            load: match chat.load {
                ChatLoad::Load => "load",
                ChatLoad::Click => "click",
            },
        }
    }
}

pub fn sources(chat: &ChatSettings) -> ExtraSources {
    let provider = chat.script_url.origin().ascii_serialization();
    let runtime = chat.runtime_url.origin().ascii_serialization();
    ExtraSources {
        script: vec![provider.clone()],
        style: vec![provider.clone(), EMPTY_STYLE.into()],
        connect: vec![runtime],
        img: vec!["data:".into(), provider],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::edge::headers::page_policy;

    #[test]
    fn the_policy_opens_for_the_configured_origins_and_nothing_else() {
        let chat = ChatSettings::example(
            "https://cdn.example:8443/widget/bundle.mjs?v=1",
            "https://runtime.example:443/path/",
        );
        assert_eq!(
            page_policy(&["sha256-a"], &["sha256-b"], &sources(&chat), false),
            "default-src 'none'; \
             script-src 'self' 'sha256-a' https://cdn.example:8443; \
             style-src 'self' 'sha256-b' https://cdn.example:8443 \
             'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; \
             img-src 'self' data: https://cdn.example:8443; \
             font-src 'self'; \
             connect-src 'self' https://runtime.example; \
             manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
    }
}
