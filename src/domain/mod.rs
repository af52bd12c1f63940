//! Visitors' input as types that can only be created by parsing.
//!
//! Nothing here does I/O. Code beyond these types sees no raw strings: a [`Name`] is trimmed, one
//! line and within its limit by construction.

mod contact;
mod email;
mod search_words;
mod spoken;
mod stored_enum;
mod subscription;
mod text;

pub use contact::{Contact, ContactForm, FormLocation, HoldReason, IdempotencyKey, Source};
pub use email::{Email, fold_address};
pub use search_words::SearchWords;
pub use spoken::{count, left, span};
pub(crate) use stored_enum::stored_enum;
pub use stored_enum::{Stored, either};
pub use subscription::{
    Consent, LinkToken, Subscription, consent_shown, invitation_pause, subscriber_email,
};
pub use text::{
    FieldError, FieldErrors, Message, Name, Note, Phone, harmless, harmless_line, one_line,
    sentence, short_line,
};
