//! The fields of the contact form: what each is called, how long it may be,
//! whether it must be filled in. `contract/fields.json` is their one owner; what
//! they are called can be said otherwise in `content/forms.toml`.

use serde::Deserialize;

/// One field of the contact form.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// For machines: in forms, JSON, CSV and the store.
    #[serde(skip)]
    pub name: &'static str,
    pub label: String,
    sentence: Option<String>,
    /// In characters.
    pub limit: usize,
    pub required: bool,
}

impl Field {
    /// What it is called in a sentence.
    pub fn in_a_sentence(&self) -> &str {
        self.sentence.as_ref().unwrap_or(&self.label)
    }
}

macro_rules! fields {
    ($($name:ident),+) => {
        /// All of them.
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Fields {
            $(pub $name: Field,)+
        }

        impl Fields {
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// In the order of the form.
            pub fn all(&self) -> impl Iterator<Item = &Field> {
                [$(&self.$name),+].into_iter()
            }

            pub(super) fn named(mut self) -> Self {
                $(self.$name.name = stringify!($name);)+
                self
            }
        }
    };
}

fields!(name, email, phone, message);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::FIELDS;

    #[test]
    fn the_fields_are_those_of_the_file_in_its_order() {
        let file = include_str!("../../contract/fields.json");
        let fields: Fields = serde_json::from_str(file).unwrap();
        let fields = fields.named();
        let place = |field: &Field| file.find(&format!("\"{}\": {{", field.name));
        let places: Vec<_> = fields.all().map(place).collect();
        assert!(places.is_sorted() && !places.contains(&None), "{places:?}");
        assert_eq!(fields.email.in_a_sentence(), "Email address");
        assert_eq!(fields.message.in_a_sentence(), fields.message.label);
    }

    #[test]
    fn the_fields_of_the_site_know_their_names() {
        let names: Vec<_> = FIELDS.all().map(|field| field.name).collect();
        assert_eq!(names, Fields::NAMES);
    }

    #[test]
    fn the_privacy_policy_names_every_field_of_the_contact_form() {
        let policy = include_str!("../../tests/content/legal/privacy.md").to_lowercase();
        let mut sections = policy.split("\n### ");
        let section = sections.find(|text| text.lines().next().unwrap().contains("contact form"));
        let section = section.expect("a section about the contact form");
        for field in FIELDS.all() {
            let (label, words) = (&field.label, field.in_a_sentence());
            let is_named = [label, words].map(|word| section.contains(&word.to_lowercase()));
            assert!(is_named.contains(&true), "{label} is not in:\n{section}");
        }
    }
}
