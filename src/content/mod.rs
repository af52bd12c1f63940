//! What the build takes in from `content/` and `contract/`, read in one room:
//! the facts about the business, the words of the newsletter's consent, how long
//! things are kept, every sentence a form can answer with, the form's fields, and
//! the words and colours of the mails that visitors get.
//!
//! The pages are made from the same files, so that a changed word or number
//! cannot be right on one side only.

mod colours;
mod fields;
mod mails;
mod messages;
mod site;

pub use colours::{Colour, MailColours};
pub use fields::{Field, Fields};
pub use mails::{AutoReply, Confirmation, Frame, Mails};
pub use messages::Messages;
pub use site::{
    CONSENT, ConsentWording, FIELDS, Facts, MAILS, MESSAGES, Present, RETENTION, Retention, SITE,
    Site,
};
