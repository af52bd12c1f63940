//! Links in a message: how many there are, and the text without them.

use super::Assessment;

/// With fewer letters than this, a message is little more than its link.
const FEW_LETTERS: usize = 45;

pub struct Links {
    pub found: Vec<String>,
    /// The message without its links.
    pub rest: String,
}

impl Links {
    pub fn find(message: &str) -> Self {
        let (mut found, mut rest) = (Vec::new(), String::with_capacity(message.len()));
        for word in message.split_inclusive(char::is_whitespace) {
            match link_in(word) {
                Some(at) => {
                    rest.push_str(&word[..at]);
                    rest.push(' ');
                    found.push(word[at..].trim_end().to_lowercase());
                }
                None => rest.push_str(word),
            }
        }
        Self { found, rest }
    }

    pub fn judge(&self, assessment: &mut Assessment) {
        let is_markup = |link: &String| link.contains("href=") || link.contains("[/url]");
        let has_markup = self.rest.contains("[url") || self.rest.contains("<a");
        if has_markup || self.found.iter().any(is_markup) {
            assessment.add(5.0, "links written for a machine (HTML or BBCode)");
        }
        match self.found.len() {
            0 => return,
            1 => assessment.add(0.7, "has a link"),
            2 => assessment.add(1.2, "has two links"),
            number => assessment.add(2.5, format!("has {number} links")),
        }
        let letters = self.rest.chars().filter(|c| c.is_alphabetic()).count();
        if letters < FEW_LETTERS {
            assessment.add(3.5, "hardly anything but a link");
        }
    }
}

/// The position of the link in a word, if there is one.
fn link_in(word: &str) -> Option<usize> {
    if !word.contains(['.', ':']) {
        return None;
    }
    let scheme = word.find("://").map(|at| {
        let before = &word[..at];
        before.len()
            - before
                .chars()
                .rev()
                .take_while(char::is_ascii_alphabetic)
                .count()
    });
    scheme
        .or_else(|| word.find("www."))
        .or_else(|| bare_domain(word))
}

/// Matches `shop.example/page`, but not `e.g.`, `3.50` or an e-mail address.
fn bare_domain(word: &str) -> Option<usize> {
    let text = word.trim_end().trim_matches(|c: char| !c.is_alphanumeric());
    let host = text.split('/').next().unwrap_or_default();
    let (name, ending) = host.rsplit_once('.')?;
    let plain = |text: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        text.chars().all(is_plain)
    };
    let is_domain =
        KNOWN_ENDINGS.contains(&ending) && name.len() >= 3 && plain(name) && !text.contains('@');
    is_domain.then(|| word.find(text)).flatten()
}

/// A list of endings, because two words joined by a full stop aren't a domain.
const KNOWN_ENDINGS: [&str; 32] = [
    "com", "net", "org", "ca", "info", "biz", "co", "io", "ai", "app", "dev", "shop", "store",
    "online", "site", "club", "agency", "live", "pro", "ru", "cn", "in", "uk", "top", "xyz",
    "click", "icu", "buzz", "us", "eu", "example", "test",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn found(message: &str) -> Vec<String> {
        Links::find(message).found
    }

    #[test]
    fn links_are_found_with_and_without_a_scheme() {
        for (message, links) in [
            ("see https://Shop.example/a?b=c, ok", 1),
            ("(http://a.example) www.b.example", 2),
            ("our page is curl-haus.example/book.", 1),
            ("write to ada@shop.example", 0),
            ("it is 3.50 e.g. today.and tomorrow, ok.so", 0),
        ] {
            assert_eq!(found(message).len(), links, "{message}");
        }
    }

    #[test]
    fn a_message_that_is_a_link_is_told_from_one_that_has_a_link() {
        let score = |message: &str| {
            let mut found = Assessment::default();
            Links::find(message).judge(&mut found);
            found.score()
        };
        assert!(score("look http://a.example/x") > 3.0);
        let long = "Our booking page drops people on phones, and I would like to know whether \
            you can fix it: https://curlhaus.example/book";
        assert!(score(long) < 1.0);
    }
}
