//! What a browser says of a part of a page that failed there: enough to find
//! the fault, nothing about the visitor.

use super::text::one_line;

const ISLAND_LIMIT: usize = 40;
const MESSAGE_LIMIT: usize = 200;
/// From so many digits on a number may be a phone's, a card's, a person's.
const TELLING_DIGITS: usize = 6;

#[derive(Debug, PartialEq, Eq)]
pub struct BrowserError {
    /// The part of the page, by the name it has there.
    pub island: String,
    /// One line, without addresses and long numbers.
    pub message: String,
}

impl BrowserError {
    /// `Err` says what is wrong, for developers.
    pub fn parse(island: &str, message: &str) -> Result<Self, &'static str> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if island.is_empty() || island.len() > ISLAND_LIMIT || !island.chars().all(is_name) {
            return Err("island must be a name of letters, digits and hyphens, 40 at most");
        }
        if message.chars().count() > MESSAGE_LIMIT {
            return Err("message is longer than 200 characters");
        }
        Ok(Self {
            island: island.to_owned(),
            message: without_numbers(&without_addresses(&one_line(message))),
        })
    }
}

/// Whatever has an `@` inside, up to the next blank, quote or bracket.
fn without_addresses(line: &str) -> String {
    let is_border = |c: char| c.is_whitespace() || "<>()[]{}\"'`,;".contains(c);
    let is_address = |word: &str| {
        let word = word.replace("%40", "@");
        word.trim_matches('@').contains('@')
    };
    let mask = |piece: &str| {
        let word = piece.trim_end_matches(is_border);
        match is_address(word) {
            true => piece.replacen(word, "[address]", 1),
            false => piece.to_owned(),
        }
    };
    line.split_inclusive(is_border).map(mask).collect()
}

/// Digits count as one number through what people write between them.
fn without_numbers(line: &str) -> String {
    let between = |c: char| " -./()".contains(c);
    let (mut text, mut rest) = (String::with_capacity(line.len()), line);
    while let Some(start) = rest.find(char::is_numeric) {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let run = rest.find(|c: char| !c.is_numeric() && !between(c));
        let number = rest[..run.unwrap_or(rest.len())].trim_end_matches(between);
        let digits = number.chars().filter(|c| c.is_numeric()).count();
        text.push_str(if digits < TELLING_DIGITS {
            number
        } else {
            "[number]"
        });
        rest = &rest[number.len()..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(raw: &str) -> String {
        BrowserError::parse("x", raw).unwrap().message
    }

    #[test]
    fn an_island_is_a_short_name() {
        let forty = "a".repeat(40);
        for good in ["contact-form", "A1", "-", &forty] {
            assert_eq!(BrowserError::parse(good, "").unwrap().island, good);
        }
        for bad in ["", "a b", "a_b", "é", "a\n", &format!("{forty}a")] {
            assert!(BrowserError::parse(bad, "").is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_message_has_at_most_200_characters_and_one_line() {
        assert_eq!(message(&"é".repeat(200)), "é".repeat(200));
        assert!(BrowserError::parse("x", &"é".repeat(201)).is_err());
        assert_eq!(message(" a\r\n\tb\u{7}\u{1b}[31mc\u{2028} "), "a b [31mc");
    }

    #[test]
    fn addresses_are_masked_however_they_are_wrapped() {
        for (raw, masked) in [
            ("ada@example.org", "[address]"),
            ("no ada.l+x@example.org, there", "no [address], there"),
            (
                "<ada@example.org> \"b@c\" (d@e)",
                "<[address]> \"[address]\" ([address])",
            ),
            ("to mailto:ada@example.org;", "to [address];"),
            ("at /x?email=ada%40example.org&y", "at [address]"),
            ("ünïcode@bücher.example", "[address]"),
            ("@media and a @ b @", "@media and a @ b @"),
        ] {
            assert_eq!(message(raw), masked, "{raw}");
        }
    }

    #[test]
    fn long_numbers_are_masked_with_what_stands_between_their_digits() {
        for (raw, masked) in [
            ("call 416555", "call [number]"),
            ("call +1 (416) 555-0142 now", "call +[number] now"),
            (
                "at app.js:12:34567, step 99999",
                "at app.js:12:34567, step 99999",
            ),
            ("from 192.168.100.200", "from [number]"),
            ("٠١٢٣٤٥", "[number]"),
            ("id-123456.", "id-[number]."),
        ] {
            assert_eq!(message(raw), masked, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn any_message_comes_out_masked_and_on_one_line(raw in "(\\PC{0,5}|[0-9]{1,9}|[ @.\\n%-]){0,20}") {
            let line = message(&raw);
            prop_assert!(!line.chars().any(char::is_control), "{}", line);
            let longest = line.split(|c: char| !c.is_numeric()).map(|run| run.chars().count()).max();
            prop_assert!(longest < Some(TELLING_DIGITS), "{}", line);
        }
    }
}
