//! The secret in a mail's link.
//!
//! It exists in the mail and nowhere else: the store keeps its hash, so a
//! copied database opens no link.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

const BYTES: usize = 32;
/// Base64 without padding.
const CHARACTERS: usize = 43;

/// 32 random bytes in base64url.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkToken(String);

impl LinkToken {
    pub fn random() -> Self {
        Self(URL_SAFE_NO_PAD.encode(rand::random::<[u8; BYTES]>()))
    }

    /// `None` for what we cannot have made.
    pub fn parse(raw: &str) -> Option<Self> {
        let ours = raw.len() == CHARACTERS
            && raw
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        ours.then(|| Self(raw.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the store keeps. The token is random and long, so a plain hash is
    /// as good as a slow one.
    pub fn hash(&self) -> String {
        let digest = Sha256::digest(self.0.as_bytes());
        URL_SAFE_NO_PAD.encode(digest)
    }
}

/// A token in a log would be a working link.
impl std::fmt::Debug for LinkToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LinkToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_token_survives_the_way_through_a_link_and_differs_from_all_others() {
        let (one, two) = (LinkToken::random(), LinkToken::random());
        assert_eq!(LinkToken::parse(one.as_str()), Some(one.clone()));
        assert_ne!(one, two);
        assert_ne!(one.hash(), two.hash());
        assert!(!one.hash().contains(one.as_str()));
        assert_eq!(format!("{one:?}"), "LinkToken(…)");
    }

    proptest! {
        #[test]
        fn only_43_characters_of_base64url_are_taken(raw in "\\PC{0,60}|[A-Za-z0-9_-]{40,46}") {
            let taken = LinkToken::parse(&raw).is_some();
            let right = raw.len() == 43
                && raw.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
            prop_assert_eq!(taken, right);
        }
    }
}
