//! Mail: its texts, its look and the mail server.
//!
//! `server` talks to the mail server and `reply` classifies its refusals. `to_owner` and
//! `to_visitors` contain the texts, `template` the look. Nothing here is scheduled or stored.

mod refusal;
mod server;
pub mod template;
pub mod to_owner;
pub mod to_visitors;

use lettre::Address;
use lettre::message::MessageBuilder;
use lettre::message::header::{HeaderName, HeaderValue};

use crate::content::Site;
use crate::domain::SecretToken;
pub use server::{MailRefusal, MailServer, Rejected, SmtpSession, StepError};
pub use template::MailText;

/// The address with its domain in ASCII (`xn--…`). The mail server then needs to support
/// international addresses only if the local part isn't ASCII.
pub fn ascii_domain(address: &Address) -> Address {
    let domain = address.domain();
    if domain.is_ascii() {
        return address.clone();
    }
    let ascii = idna::domain_to_ascii(domain).ok();
    let encoded = ascii.and_then(|domain| Address::new(address.user(), domain).ok());
    encoded.unwrap_or_else(|| address.clone())
}

pub fn unsubscribe_url(site: &Site, token: &SecretToken) -> String {
    let token = token.as_str();
    format!("{}/newsletter/unsubscribe?token={token}", site.url)
}

/// The headers that make mail programs show an unsubscribe button (RFC 2369, 8058).
pub fn list_headers(
    builder: MessageBuilder,
    site: &Site,
    unsubscribe: &SecretToken,
) -> anyhow::Result<MessageBuilder> {
    let link = format!("<{}>", unsubscribe_url(site, unsubscribe));
    anyhow::ensure!(link.is_ascii() && !link.contains(char::is_control));
    let one_click = "List-Unsubscribe=One-Click".to_owned();
    // Some mail providers parse these headers line by line, so they are never folded.
    let unfolded = |name, value: String| {
        let name = HeaderName::new_from_ascii_str(name);
        HeaderValue::dangerous_new_pre_encoded(name, value.clone(), value)
    };
    Ok(builder
        .raw_header(unfolded("List-Unsubscribe", link))
        .raw_header(unfolded("List-Unsubscribe-Post", one_click)))
}
