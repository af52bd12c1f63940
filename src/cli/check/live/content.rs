//! Facts that were never filled in, and the pages they stand on.
//!
//! Those of the sample site are told by what nobody can have: names that end in
//! `.example`, and telephone numbers with 555-01. Words for things to do, and
//! places that the build did not fill in, count as well.

use std::collections::BTreeMap;

use reqwest::Client;
use tokio::task::JoinSet;
use url::Url;

use super::site::PublicSite;
use super::verdict::{Verdict, bad, good, unsure};
use crate::config::RetentionSettings;
use crate::content::{SITE, Site};

const MOST_PAGES: usize = 200;
const AT_A_TIME: usize = 8;
/// Of one page; the rest of a larger one is not looked at.
const MOST_BYTES: usize = 1 << 20;
/// On one page: of a site that is somebody else's there may be no end.
const MOST_FOUND: usize = 50;
/// Of placeholders, and of the pages that are named for each.
const MOST_SHOWN: usize = 8;
const PAGES_SHOWN: usize = 3;

const POLICY: &str = "/privacy";
const MAILS: &str = "every mail";
const TO_DO: [&str; 3] = ["TODO", "TBD", "FIXME"];
const UNFILLED: [&str; 3] = ["lorem ipsum", "{site.", "{keep."];

/// Placeholders, each with the pages it is on.
type Found = BTreeMap<String, Vec<String>>;

pub async fn look(site: &PublicSite, retention: &RetentionSettings) -> Vec<Verdict> {
    let mut found = Found::new();
    note(&mut found, MAILS, &facts(&SITE));
    let pages = match pages(site).await {
        Ok(pages) => pages,
        Err(why) => {
            let remedy = "mend what is said of the site";
            let unread = unsure(
                "content",
                format!("the pages cannot be read: {why}"),
                remedy,
            );
            return placeholders(found).into_iter().chain([unread]).collect();
        }
    };
    for (path, text) in &pages {
        note(&mut found, path, text);
    }
    let policy = pages.iter().find(|(path, _)| path == POLICY);
    let policy = policy_verdict(policy.map(|(_, text)| text.as_str()), retention);
    let number = pages.len();
    let mut verdicts = placeholders(found);
    if verdicts.is_empty() {
        verdicts.push(good(
            "content",
            format!("no placeholder is left on {number} pages"),
        ));
    }
    verdicts.push(policy);
    verdicts
}

/// As mails have them.
fn facts(site: &Site) -> String {
    let facts = [&site.url, &site.email, &site.location, &site.booking_url];
    let facts: Vec<_> = facts.into_iter().chain(&site.phone).cloned().collect();
    facts.join("\n")
}

fn placeholders(found: Found) -> Vec<Verdict> {
    let number = found.len();
    let named = found.into_iter().take(MOST_SHOWN);
    let mut verdicts: Vec<_> = named
        .map(|(word, pages)| {
            let shown = pages[..pages.len().min(PAGES_SHOWN)].join(", ");
            let more = match pages.len().saturating_sub(PAGES_SHOWN) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let what = format!("`{word}` is a placeholder, on {shown}{more}");
            bad(
                "content",
                what,
                "write the real one in content/ and publish it",
            )
        })
        .collect();
    if number > MOST_SHOWN {
        let what = format!("{} more placeholders", number - MOST_SHOWN);
        verdicts.push(bad("content", what, "start with content/site.toml"));
    }
    verdicts
}

fn policy_verdict(policy: Option<&str>, retention: &RetentionSettings) -> Verdict {
    let check = "privacy policy";
    let longer: Vec<_> = retention.beyond_the_policy().map(|of| of.name()).collect();
    match policy {
        None => bad(
            check,
            "is not among the pages",
            "content/legal/privacy.md must be published",
        ),
        Some(text) if !TO_DO.iter().all(|word| words(text, word).is_empty()) => bad(
            check,
            "has something to do in it",
            "finish content/legal/privacy.md and publish it",
        ),
        Some(_) if !longer.is_empty() => bad(
            check,
            format!("says less than the settings keep: {}", longer.join(", ")),
            "shorten FRONTDOOR_KEEP_…_DAYS, or change content/retention.toml and publish it",
        ),
        Some(_) => good(
            check,
            "has nothing to do in it, and the settings keep to its periods",
        ),
    }
}

/// Path and HTML of each page that the sitemap names.
async fn pages(site: &PublicSite) -> Result<Vec<(String, String)>, String> {
    let map = text(site.client().clone(), site.page("/sitemap.xml")).await?;
    let mut paths: Vec<_> = locations(&map).take(MOST_PAGES).collect();
    if paths.is_empty() {
        return Err("the sitemap names none".into());
    }
    let (mut reading, mut pages) = (JoinSet::new(), Vec::new());
    while !paths.is_empty() || !reading.is_empty() {
        while reading.len() < AT_A_TIME
            && let Some(path) = paths.pop()
        {
            let (client, url) = (site.client().clone(), site.page(&path));
            reading.spawn(async move { text(client, url).await.map(|text| (path, text)) });
        }
        if let Some(Ok(page)) = reading.join_next().await {
            pages.push(page?);
        }
    }
    pages.sort_unstable();
    Ok(pages)
}

/// By path: the site may be looked at under another name than its own.
fn locations(map: &str) -> impl Iterator<Item = String> {
    let places = map.split("<loc>").skip(1);
    let places = places.filter_map(|rest| Url::parse(rest.split("</loc>").next()?).ok());
    places.map(|url| url.path().to_owned())
}

async fn text(client: Client, url: Url) -> Result<String, String> {
    let failed = |error: reqwest::Error| crate::calls::cause::words(&error).to_owned();
    let path = url.path().to_owned();
    let mut answer = client.get(url).send().await.map_err(failed)?;
    if !answer.status().is_success() {
        return Err(format!(
            "{path} answers with status {}",
            answer.status().as_u16()
        ));
    }
    let mut bytes = Vec::new();
    while bytes.len() < MOST_BYTES
        && let Some(chunk) = answer.chunk().await.map_err(failed)?
    {
        bytes.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn note(found: &mut Found, page: &str, text: &str) {
    for word in placeholders_in(text).into_iter().take(MOST_FOUND) {
        let pages = found.entry(word).or_default();
        if pages.last().is_none_or(|last| last != page) {
            pages.push(page.to_owned());
        }
    }
}

fn placeholders_in(text: &str) -> Vec<String> {
    let mut words: Vec<_> = TO_DO
        .iter()
        .flat_map(|word| self::words(text, word))
        .collect();
    words.extend(example_names(text));
    words.extend(example_numbers(text));
    let lower = text.to_lowercase();
    let unfilled = UNFILLED.iter().filter(|word| lower.contains(*word));
    words.extend(unfilled.map(|word| (*word).to_owned()));
    words
}

/// The word, if it stands there by itself.
fn words(text: &str, word: &str) -> Vec<String> {
    let alone = text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        ![before, after]
            .into_iter()
            .flatten()
            .any(char::is_alphanumeric)
    });
    if alone {
        vec![word.to_owned()]
    } else {
        Vec::new()
    }
}

/// Hosts and addresses that end in `.example`.
fn example_names(text: &str) -> impl Iterator<Item = String> {
    const END: &str = ".example";
    // Of a name with an address before it.
    const LONGEST: usize = 320;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '+');
    text.match_indices(END).filter_map(move |(at, _)| {
        let after = text[at + END.len()..].chars().next();
        let goes_on = after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-');
        let before = &text[..at];
        let name = before
            .bytes()
            .rev()
            .take_while(|byte| is_part(char::from(*byte)));
        let length = name.take(LONGEST).count();
        (!goes_on && length > 0).then(|| format!("{}{END}", &before[at - length..]))
    })
}

/// `555-0142`, also as it is dialled.
fn example_numbers(text: &str) -> impl Iterator<Item = String> {
    let digits =
        |text: &str| text.len() >= 2 && text.bytes().take(2).all(|byte| byte.is_ascii_digit());
    text.match_indices("555-01").filter_map(move |(at, start)| {
        let end = text.get(at + start.len()..at + start.len() + 2)?;
        digits(end).then(|| format!("{start}{end}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_and_real_facts_are_not() {
        for (text, expected) in [
            (
                r#"<a href="mailto:hello@maplewire.example">"#,
                &["hello@maplewire.example"][..],
            ),
            (
                "https://www.maplewire.example/x",
                &["www.maplewire.example"],
            ),
            ("+1 (416) 555-0142", &["555-0142"]),
            ("<p>TODO: a name</p>", &["TODO"]),
            ("Lorem ipsum dolor", &["lorem ipsum"]),
            ("kept for {keep.leads}", &["{keep."]),
            (
                "for.examples, an .example, toDo, TODOS, +1 (416) 555-7142",
                &[],
            ),
            ("hello@maplewire.ca", &[]),
        ] {
            assert_eq!(placeholders_in(text), expected, "{text}");
        }
    }

    #[test]
    fn a_placeholder_names_the_first_pages_it_is_on() {
        let mut found = Found::new();
        for page in ["/", "/about", "/blog", "/contact", "/terms"] {
            note(&mut found, page, "a@b.example a@b.example");
        }
        let verdicts = placeholders(found);
        assert_eq!(verdicts.len(), 1);
        let what = "`a@b.example` is a placeholder, on /, /about, /blog and 2 more";
        assert_eq!(verdicts[0].what, what);
    }

    #[test]
    fn the_sitemap_is_read_by_its_paths() {
        let map = "<url><loc>https://x.ca/</loc></url><url><loc>https://x.ca/a?b</loc></url>";
        assert_eq!(locations(map).collect::<Vec<_>>(), ["/", "/a"]);
    }
}
