//! The owner's commands, with the real program on a real database, which the test keeps open like a
//! server.

mod files;
mod leads;
mod person;
mod resume;
mod terminal;

use frontdoor::domain::ContactForm;

use crate::support::visitor;

fn ada() -> ContactForm<'static> {
    ContactForm {
        phone: "+1 (416) 555-0142",
        ..visitor()
    }
}

fn eve() -> ContactForm<'static> {
    ContactForm {
        name: "=HYPERLINK(\"http://evil.example\")",
        email: "eve@example.org",
        message: "Quote \" and \u{202e}turn",
        form_location: "contact",
        ..ContactForm::default()
    }
}
