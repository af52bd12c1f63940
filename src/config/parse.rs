//! From the text of a setting to its value, or to what is wrong with it: what
//! settings of several groups need.
//!
//! Complaints never repeat a value: some settings are secrets.

use url::Url;

pub type Parsed<T> = Result<T, String>;

/// One of a few words; the complaint names them all.
pub fn one_of<T, const N: usize>(words: [(&str, T); N], text: &str) -> Parsed<T> {
    let known = words.each_ref().map(|(word, _)| format!("`{word}`"));
    let found = words.into_iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| value).ok_or_else(|| {
        let (last, others) = known.split_last().expect("there are words");
        format!("must be {} or {last}", others.join(", "))
    })
}

pub fn switch(text: &str) -> Parsed<bool> {
    one_of([("on", true), ("off", false)], text)
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
