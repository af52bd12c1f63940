//! What the browser's code is told of the owner's settings: one tag in the
//! head of every page.

use serde::Serialize;

use super::chat::BrowserChat;
use crate::html::escape;

/// Read by `web/src/lib/settings.ts`.
#[derive(Serialize)]
pub struct BrowserSettings<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<BrowserChat<'a>>,
}

impl BrowserSettings<'_> {
    /// Empty when there is nothing to tell.
    pub fn tag(&self) -> String {
        let json = serde_json::to_string(self).expect("strings only");
        match json.as_str() {
            "{}" => String::new(),
            json => format!("<meta name=\"settings\" content=\"{}\">", attribute(json)),
        }
    }
}

/// Escaped; and some pages are templates, to which a brace means something.
fn attribute(text: &str) -> String {
    let mut escaped = String::new();
    escape(text, &mut escaped);
    escaped.replace('{', "&#123;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ChatSettings;

    #[test]
    fn the_tag_carries_the_settings_and_no_markup_of_theirs() {
        let script = "https://cdn.example/b.mjs?a=1&b=\"{{";
        let chat = ChatSettings::example(script, "http://127.0.0.1:1/");
        let settings = BrowserSettings {
            chat: Some(BrowserChat::new(&chat)),
        };
        assert_eq!(
            settings.tag().replace("&quot;", "'"),
            "<meta name=\"settings\" content=\"\
             &#123;'chat':&#123;'project':'p-1',\
             'script':'https://cdn.example/b.mjs?a=1&amp;b=%22&#123;&#123;',\
             'runtime':'http://127.0.0.1:1','load':'load'}}\">"
        );
    }

    #[test]
    fn nothing_to_tell_is_no_tag() {
        assert_eq!(BrowserSettings { chat: None }.tag(), "");
    }
}
