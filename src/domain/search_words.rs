//! The words of the owner's search. Each must occur somewhere in a lead, possibly inside a longer
//! word. Only letters and digits reach the database, so no character of the query has a special
//! meaning there.

const MAX_CHARACTERS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchWords(Vec<String>);

impl SearchWords {
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.chars().count() > MAX_CHARACTERS {
            return Err(format!("must not exceed {MAX_CHARACTERS} characters"));
        }
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        let words: Vec<_> = words.map(str::to_lowercase).collect();
        if words.is_empty() {
            Err("must hold a letter or a digit".into())
        } else {
            Ok(Self(words))
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        SearchWords::parse(text).unwrap().0
    }

    #[test]
    fn only_words_are_left_of_what_was_typed() {
        assert_eq!(
            words("Ada@Example.org \"OR\" *"),
            ["ada", "example", "org", "or"]
        );
        assert_eq!(words("Ärger-4711"), ["ärger", "4711"]);
    }

    #[test]
    fn nothing_to_search_for_and_too_much_of_it_are_refused() {
        for bad in ["", " ", "*'\"", &"x".repeat(201)] {
            assert!(SearchWords::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(words(&"x".repeat(200)).len(), 1);
    }
}
