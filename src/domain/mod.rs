//! What a visitor may send, as types that can only be made by parsing.
//!
//! Nothing here does I/O. Past these types no code sees a raw string: a
//! [`Name`] is trimmed, one line and within its limit by construction.

mod address;
mod contact;
mod email;
mod field_error;
mod idempotency_key;
mod invisible;
mod link_token;
mod note;
mod search_words;
mod source;
mod spoken;
mod stored_enum;
mod subscription;
mod text;

pub use address::fold_address;
pub use contact::{Contact, ContactForm, FormLocation, HoldReason};
pub use email::Email;
pub use field_error::{FieldError, FieldErrors};
pub use idempotency_key::IdempotencyKey;
pub use link_token::LinkToken;
pub use note::Note;
pub use search_words::SearchWords;
pub use source::Source;
pub use spoken::{count, left, span};
pub(crate) use stored_enum::stored_enum;
pub use stored_enum::{Stored, either};
pub use subscription::{
    Consent, Subscription, consent_page, consent_shown, invitation_pause, subscriber_email,
};
pub use text::{Message, Name, Phone, one_line};
