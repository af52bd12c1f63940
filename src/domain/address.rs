//! The one spelling under which an address is looked up.

use unicode_normalization::UnicodeNormalization as _;

use super::text::trim;

/// ` Ärger@Example.ORG` and `ärger@example.org` are one person, whether the
/// letters came composed or as a letter and its mark.
///
/// Canonical forms and small letters, no more: compatibility forms and full
/// case folding (`ß` as `ss`, `①` as `1`) would make one person of two whose
/// mailboxes differ, and forgetting the wrong one cannot be undone. Both small
/// sigmas are one letter.
pub fn fold_address(address: &str) -> String {
    let address = trim(address);
    if address.is_ascii() {
        // Nearly all of them, and much quicker.
        return address.to_ascii_lowercase();
    }
    let small = address.nfd().flat_map(char::to_lowercase);
    let one_sigma = small.map(|letter| if letter == 'ς' { 'σ' } else { letter });
    one_sigma.nfc().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_of_one_address_fold_into_one() {
        for (spelling, folded) in [
            (" Ada@Example.ORG ", "ada@example.org"),
            ("ÄRGER@example.org", "ärger@example.org"),
            ("A\u{308}rger@example.org", "ärger@example.org"),
            ("ΟΔΟΣ@example.org", "οδοσ@example.org"),
            ("οδος@example.org", "οδοσ@example.org"),
        ] {
            assert_eq!(fold_address(spelling), folded, "{spelling}");
        }
    }

    #[test]
    fn different_mailboxes_stay_different() {
        assert_ne!(fold_address("straße@b.ca"), fold_address("strasse@b.ca"));
        assert_ne!(fold_address("①@b.ca"), fold_address("1@b.ca"));
        assert_ne!(fold_address("arger@b.ca"), fold_address("ärger@b.ca"));
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(address in any::<String>()) {
            let once = fold_address(&address);
            prop_assert_eq!(fold_address(&once), once);
        }
    }
}
