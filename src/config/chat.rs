//! The chat assistant on the pages.

use url::Url;

use super::parse::{Parsed, one_of, public_url};
use super::setting::settings;

settings! {
    ChatArgs in "Chat" => Option<ChatSettings> {
        /// Project of the chat assistant; without it there is no chat and no
        /// third party on the page
        #[arg(env = "FRONTDOOR_CHAT_PROJECT_ID", value_name = "ID")]
        chat_project_id => project_id: String = project_id, or off;

        /// Script of the chat assistant
        #[arg(env = "FRONTDOOR_CHAT_SCRIPT_URL", value_name = "URL")]
        chat_script_url => script_url: Url = public_url,
            or "https://cdn.voiceflow.com/widget-next/bundle.mjs" as "the provider's";

        /// Where the chat assistant talks to
        #[arg(env = "FRONTDOOR_CHAT_RUNTIME_URL", value_name = "URL")]
        chat_runtime_url => runtime_url: Url = public_url,
            or "https://general-runtime.voiceflow.com" as "the provider's";

        /// When the chat assistant is loaded: `load` (once the page is), or
        /// `click` (a button of our own comes first, and nothing of the provider
        /// before it is pressed)
        #[arg(env = "FRONTDOOR_CHAT_LOAD", value_name = "load|click")]
        chat_load => load: ChatLoad = load, or "load";
    }
}

#[cfg(test)]
impl ChatSettings {
    /// For tests elsewhere: a setting that comes later touches none of them.
    pub fn example(script: &str, runtime: &str) -> Self {
        let args = ChatArgs {
            chat_project_id: Some("p-1".into()),
            chat_script_url: Some(script.into()),
            chat_runtime_url: Some(runtime.into()),
            ..ChatArgs::default()
        };
        let settings = args.load().expect("good settings");
        settings.expect("a project")
    }
}

/// When the browser asks for the chat provider's script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatLoad {
    /// Once the page has loaded.
    Load,
    /// Once the visitor has pressed our button for it.
    Click,
}

fn load(text: &str) -> Parsed<ChatLoad> {
    one_of([("load", ChatLoad::Load), ("click", ChatLoad::Click)], text)
}

fn project_id(text: &str) -> Parsed<String> {
    // The id becomes part of a script, a storage key and a path.
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if text.len() <= 64 && text.chars().all(plain) {
        return Ok(text.to_owned());
    }
    Err("must be at most 64 letters, digits, `-` or `_`".into())
}
