//! What a confirmation mail is made of.

use crate::domain::LinkToken;

/// Who gets a confirmation mail, with the links of this one mail.
#[derive(Debug, Clone)]
pub struct Invitation {
    pub email: String,
    pub confirm: LinkToken,
    pub unsubscribe: LinkToken,
}
