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
        "-- \n{}, {}\n{} | {}\n",
        site.name, site.location, site.email, site.phone
    )
}
