//! Enums whose values are words in the database, in JSON, in settings and on the command
//! line. Each word is defined once, next to its variant.

macro_rules! word_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word in the database, in JSON and on the command line.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// All words in a sentence: `a, b or c`.
            pub fn choices() -> String {
                $crate::domain::either(&[$($text),+])
            }
        }

        impl $crate::domain::StoredWord for $name {
            fn word(self) -> &'static str {
                self.as_str()
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let known = Self::ALL.iter().find(|each| each.as_str() == text);
                known.copied().ok_or_else(|| format!("must be {}", Self::choices()))
            }
        }
    };
}
pub(crate) use word_enum;

/// A value that the store keeps as a word.
pub trait StoredWord: Copy + std::str::FromStr {
    fn word(self) -> &'static str;
}

/// `a, b or c`
pub fn either(words: &[&str]) -> String {
    match words {
        [first @ .., before, last] => {
            let start: String = first.iter().map(|word| format!("{word}, ")).collect();
            format!("{start}{before} or {last}")
        }
        few => few.concat(),
    }
}
