//! The chat assistant on the pages: what tells the browser's code about it,
//! and what the policy of a page must then allow.
//!
//! Only what the provider's published bundle was seen to need is allowed, and
//! only from the configured origins.

use super::template::escape;
use crate::config::{ChatLoad, ChatSettings};
use crate::http::edge::headers::ExtraSources;

/// The bundle makes an empty `<style>` element and fills it through the CSS
/// object model: the hash of nothing lets it, without `unsafe-inline`.
const EMPTY_STYLE: &str = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/// Read by `web/src/lib/chat.ts`.
pub fn meta(chat: &ChatSettings) -> String {
    let load = match chat.load {
        ChatLoad::Load => "load",
        ChatLoad::Click => "click",
    };
    format!(
        "<meta name=\"chat\" content=\"{}\" data-script=\"{}\" data-runtime=\"{}\" data-load=\"{load}\">",
        attribute(&chat.project_id),
        attribute(chat.script_url.as_str()),
        // The bundle puts a slash after it.
        attribute(chat.runtime_url.as_str().trim_end_matches('/')),
    )
}

/// Escaped; and some pages are templates, to which a brace means something.
fn attribute(text: &str) -> String {
    let mut escaped = String::new();
    escape(text, &mut escaped);
    escaped.replace('{', "&#123;")
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

    fn settings(script: &str, runtime: &str) -> ChatSettings {
        ChatSettings {
            project_id: "p-1".into(),
            script_url: script.parse().unwrap(),
            runtime_url: runtime.parse().unwrap(),
            load: ChatLoad::Click,
        }
    }

    #[test]
    fn the_policy_opens_for_the_configured_origins_and_nothing_else() {
        let chat = settings(
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

    #[test]
    fn the_meta_tag_carries_the_settings_and_no_markup_of_theirs() {
        let chat = settings(
            "https://cdn.example/b.mjs?a=1&b=\"{{",
            "http://127.0.0.1:1/",
        );
        assert_eq!(
            meta(&chat),
            "<meta name=\"chat\" content=\"p-1\" \
             data-script=\"https://cdn.example/b.mjs?a=1&amp;b=%22&#123;&#123;\" \
             data-runtime=\"http://127.0.0.1:1\" data-load=\"click\">"
        );
    }
}
