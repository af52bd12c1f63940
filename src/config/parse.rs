//! From the text of one setting to its value, or to what is wrong with it.
//!
//! Complaints never repeat a value: some settings are secrets.

use std::net::{IpAddr, SocketAddr};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use ipnet::IpNet;
use lettre::message::Mailbox;
use url::Url;

use super::{ChatLoad, Secret, WebhookSecret};

type Parsed<T> = Result<T, String>;

pub fn listen(text: &str) -> Parsed<SocketAddr> {
    text.replace("localhost:", "127.0.0.1:")
        .parse()
        .map_err(|_| "must be an address and a port, like 127.0.0.1:8080 or [::]:8080".into())
}

pub fn ops_listen(text: &str) -> Parsed<Option<SocketAddr>> {
    if text == "off" {
        return Ok(None);
    }
    let parsed = listen(text).map(Some);
    parsed.map_err(|problem| format!("{problem}, or `off`"))
}

pub fn switch(text: &str) -> Parsed<bool> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("must be `on` or `off`".into()),
    }
}

pub fn rate_limit(text: &str) -> Parsed<u32> {
    let number = text.parse().ok().filter(|number| *number <= 1_000_000);
    number.ok_or_else(|| "must be a whole number from 0 (no limit) to 1000000".into())
}

/// An `https:` or `http:` address.
pub fn web_url(text: &str) -> Parsed<Url> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "https" | "http") && url.has_host())
        .ok_or_else(|| "must be an address that starts with https:// or http://".into())
}

/// A web address that every visitor gets to see, and that a policy can name.
pub fn public_url(text: &str) -> Parsed<Url> {
    let url = web_url(text)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a user name or password: every visitor can read it".into());
    }
    Ok(url)
}

pub fn mailbox(text: &str) -> Parsed<Mailbox> {
    text.parse().map_err(|_| {
        "must be an e-mail address, like hello@example.org or Name <hello@example.org>".into()
    })
}

pub fn webhook_secret(text: &str) -> Parsed<WebhookSecret> {
    text.strip_prefix("whsec_")
        .and_then(|key| STANDARD.decode(key).ok())
        .filter(|key| (24..=64).contains(&key.len()))
        .map(Secret::new)
        .ok_or_else(|| "must be `whsec_` followed by the base64 of 24 to 64 bytes".into())
}

pub fn webhook_header(text: &str) -> Parsed<(HeaderName, Secret<HeaderValue>)> {
    let wrong = || "must be one header, like `X-Token: value`".to_owned();
    let (name, value) = text.split_once(':').ok_or_else(wrong)?;
    let name = HeaderName::try_from(name.trim()).map_err(|_| wrong())?;
    let mut value = HeaderValue::try_from(value.trim()).map_err(|_| wrong())?;
    value.set_sensitive(true);
    if value.is_empty() {
        return Err(wrong());
    }
    Ok((name, Secret::new(value)))
}

pub fn chat_project_id(text: &str) -> Parsed<String> {
    // The id becomes part of a script, a storage key and a path.
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if text.len() <= 64 && text.chars().all(plain) {
        return Ok(text.to_owned());
    }
    Err("must be at most 64 letters, digits, `-` or `_`".into())
}

pub fn chat_load(text: &str) -> Parsed<ChatLoad> {
    match text {
        "load" => Ok(ChatLoad::Load),
        "click" => Ok(ChatLoad::Click),
        _ => Err("must be `load` or `click`".into()),
    }
}

pub fn networks(text: &str) -> Parsed<Vec<IpNet>> {
    let entries = text
        .split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty());
    entries.map(network).collect()
}

fn network(text: &str) -> Parsed<IpNet> {
    let network = text.parse::<IpNet>().ok();
    let address = || text.parse::<IpAddr>().ok().map(IpNet::from);
    network
        .or_else(address)
        .ok_or_else(|| "must be addresses or networks, like 10.0.0.1,192.168.0.0/16".into())
}
