//! Visitors' input as types that can only be created by parsing.
//!
//! Nothing here does I/O. Code beyond these types sees no raw strings: a [`Name`] is trimmed, one
//! line and within its limit by construction.

mod contact;
mod email;
mod search_words;
mod spoken;
mod subscription;
mod text;
mod word_enum;

pub use contact::{Contact, ContactForm, FormLocation, HoldReason, IdempotencyKey, Source};
pub use email::{Email, email_key};
pub use search_words::SearchWords;
pub use spoken::{count, span, time_left};
pub use subscription::{
    Consent, SecretToken, Subscription, consent_shown, invitation_pause, subscriber_email,
};
pub use text::{
    FieldError, FieldErrors, Message, Name, Note, Phone, capital, one_line, printable,
    printable_line, sentence, short_line,
};
pub(crate) use word_enum::word_enum;
pub use word_enum::{StoredWord, either};
