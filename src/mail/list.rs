//! What makes a mail a newsletter's: the links to join and to leave, and the
//! headers by which mail programs show an unsubscribe button (RFC 2369, 8058).

use lettre::message::MessageBuilder;
use lettre::message::header::{HeaderName, HeaderValue};

use crate::content::Site;
use crate::domain::LinkToken;

pub fn confirm_url(site: &Site, token: &LinkToken) -> String {
    format!("{}/newsletter/confirm?token={}", site.url, token.as_str())
}

pub fn unsubscribe_url(site: &Site, token: &LinkToken) -> String {
    let token = token.as_str();
    format!("{}/newsletter/unsubscribe?token={token}", site.url)
}

pub fn headers(
    builder: MessageBuilder,
    site: &Site,
    unsubscribe: &LinkToken,
) -> anyhow::Result<MessageBuilder> {
    let link = format!("<{}>", unsubscribe_url(site, unsubscribe));
    Ok(builder
        .raw_header(unfolded("List-Unsubscribe", link)?)
        .raw_header(unfolded(
            "List-Unsubscribe-Post",
            "List-Unsubscribe=One-Click".into(),
        )?))
}

/// Never folded: some mail providers read these headers by the line. Only our
/// own words come here, and a line break among them is refused.
fn unfolded(name: &'static str, value: String) -> anyhow::Result<HeaderValue> {
    anyhow::ensure!(
        value.is_ascii() && !value.contains(char::is_control),
        "{name} must be one line of ASCII"
    );
    let name = HeaderName::new_from_ascii(name.into())?;
    let written = value.clone();
    Ok(HeaderValue::dangerous_new_pre_encoded(name, value, written))
}
