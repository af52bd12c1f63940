//! The words of every mail that goes out, a letter a file.

pub mod auto_reply;
pub mod confirmation;
pub mod digest;
pub mod due_notice;
pub mod fault;
pub mod held_notice;
pub mod issue;
pub mod notification;
mod sections;

use super::page::page;
use crate::content::Site;

/// A mail's words, both ways of showing them.
pub struct Letter {
    pub subject: String,
    pub text: String,
    pub html: String,
}

impl Letter {
    /// `content` is HTML without the page around it.
    fn new(site: &Site, subject: String, text: String, content: &str) -> Self {
        Self {
            html: page(site, &subject, content),
            subject,
            text,
        }
    }
}

/// Who wrote and how to reach them, below a text to a visitor.
fn signature(site: &Site) -> String {
    format!(
        "-- \n{}, {}\n{}\n",
        site.name,
        site.location,
        site.contact_line()
    )
}

#[cfg(test)]
mod tests {
    use super::{auto_reply, confirmation, issue};
    use crate::content::SITE;
    use crate::domain::LinkToken;
    use crate::mail::page::safe;

    #[test]
    fn every_word_of_the_mails_to_visitors_is_in_a_letter_both_ways_of_showing_it() {
        let facts = include_str!(concat!(env!("FRONTDOOR_WEB_DIST"), "/server.json"));
        let facts: serde_json::Value = serde_json::from_str(facts).unwrap();
        let letters = [
            ("auto_reply", auto_reply::letter(&SITE)),
            (
                "confirmation",
                confirmation::letter(&SITE, &LinkToken::random()),
            ),
            (
                "newsletter",
                issue::letter(&SITE, "News", "News\n", "<p>News</p>", "https://x"),
            ),
        ];
        for (mail, letter) in letters {
            for (name, words) in facts["mails"][mail].as_object().unwrap() {
                let words = words.as_str().unwrap();
                // A button's words are for those who see one.
                let is_button = ["button", "booking"].contains(&name.as_str());
                let is_told = letter.text.contains(words) || letter.subject == words || is_button;
                assert!(is_told, "{mail}.{name} is not in:\n{}", letter.text);
                assert!(letter.html.contains(&safe(words)), "{mail}.{name}");
            }
        }
    }
}
