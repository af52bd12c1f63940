//! The words that the templates of the forms are given, by name: what their
//! places are compared with at start.

use http::StatusCode;

use super::contact_form::ContactPost;
use super::intake::{self, Form};
use super::newsletter::NewsletterPost;
use super::not_taken::NotTaken;
use crate::http::site::pages::TemplateWords;
use crate::http::site::template::PlaceName;

pub fn template_words() -> [TemplateWords; 2] {
    [
        ("contact-outcome", names::<ContactPost>()),
        ("newsletter-refused", names::<NewsletterPost>()),
    ]
}

fn names<F: Form>() -> Vec<PlaceName> {
    let (form, why) = (F::default(), NotTaken::failed(StatusCode::OK));
    let words = intake::words(&form, &why).into_iter();
    words.map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::site::pages::Pages;
    use crate::http::site::release::{Release, built};
    use crate::http::site::shell::Shell;

    #[test]
    fn every_template_of_the_build_has_a_place_for_each_of_its_words_and_no_other() {
        let site = Release::carried(built()).unwrap();
        Pages::new(&site.editions()[0], &Shell::default(), &template_words()).unwrap();
    }
}
