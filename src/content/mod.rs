//! What the build takes in from `content/` and `contract/`, read in one room:
//! the facts about the business, the words of the newsletter's consent, how long
//! things are kept, every sentence a form can answer with, and the form's fields.
//!
//! The pages are made from the same files, so that a changed word or number
//! cannot be right on one side only.

mod fields;
mod messages;
mod site;

pub use fields::{FIELDS, Field, Fields};
pub use messages::{MESSAGES, Messages};
pub use site::{CONSENT, ConsentWording, Facts, Present, RETENTION, Retention, SITE, Site, Social};
