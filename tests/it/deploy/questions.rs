//! What `frontdoor setup` asks whoever sits at the terminal.

use super::setup::{machine_of_root, settings};
use crate::support::process::frontdoor;
use crate::support::terminal::{END, Terminal};

const DOMAIN: &str = "Name of the site, like www.example.com: ";
const MAIL: &str = "Mail server, smtps://USER@HOST (empty: no mail): ";
const PASSWORD: &str = "Its password (not shown while you type): ";
const NOTIFY: &str = "Addresses to notify of new leads, separated by commas (empty: ";
const WEBHOOK: &str = "Webhook of your automation (empty: none): ";

#[test]
fn a_wrong_answer_is_asked_for_again_and_an_empty_one_leaves_the_setting_out() {
    let Some(machine) = machine_of_root() else {
        return;
    };
    let mut command = frontdoor(&["setup", "--root"]);
    let mut terminal = Terminal::open(command.arg(machine.folder()));
    terminal.answer(DOMAIN, "\n");
    let said = terminal.answer(DOMAIN, "https://shop.example\n");
    assert!(said.contains("the site needs a name"), "{said}");
    let said = terminal.answer(DOMAIN, "  www.shop.example \n");
    assert!(said.contains("must be a name like"), "{said}");
    terminal.answer(MAIL, "mail.example.org\n");
    let said = terminal.answer(MAIL, "\n");
    assert!(said.contains("FRONTDOOR_SMTP_URL"), "{said}");
    assert!(machine.files().is_empty(), "nothing is written before");
    terminal.answer(WEBHOOK, "https://hooks example.org\n");
    let said = terminal.answer(WEBHOOK, "https://hooks.example.org/one\n");
    assert!(said.contains("FRONTDOOR_WEBHOOK_URL"), "{said}");
    let (said, code) = terminal.end();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("www.shop.example.  A "), "{said}");
    let set = settings(machine.folder());
    let value = |name: &str| {
        let found = set.iter().find(|(set, _)| set == name);
        found.map(|(_, value)| value.as_str())
    };
    assert_eq!(
        value("FRONTDOOR_WEBHOOK_URL"),
        Some("https://hooks.example.org/one")
    );
    assert_eq!(value("FRONTDOOR_SMTP_URL"), None);
}

#[test]
fn what_a_flag_says_is_not_asked_and_whoever_leaves_has_changed_nothing() {
    let Some(machine) = machine_of_root() else {
        return;
    };
    let mut command = frontdoor(&["setup", "--domain", "www.shop.example", "--smtp-url", ""]);
    let mut terminal = Terminal::open(command.arg("--root").arg(machine.folder()));
    let said = terminal.answer(WEBHOOK, END);
    assert!(!said.contains(DOMAIN) && !said.contains(MAIL), "{said}");
    let (said, code) = terminal.end();
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("nothing was set up"), "{said}");
    assert!(machine.files().is_empty(), "{:?}", machine.files());
}

#[test]
fn the_password_is_not_shown_and_whoever_has_a_mail_server_says_who_is_told_of_leads() {
    let Some(machine) = machine_of_root() else {
        return;
    };
    let mut command = frontdoor(&["setup", "--domain", "www.shop.example", "--root"]);
    let mut terminal = Terminal::open(command.arg(machine.folder()));
    terminal.answer(MAIL, "smtps://mailer@mail.example.org\n");
    terminal.answer(PASSWORD, " h@sh:50%\n");
    let typed = terminal.answer(NOTIFY, "nobody\n");
    assert_eq!(typed.trim(), "", "what was typed is shown");
    let said = terminal.answer(NOTIFY, "me@shop.example, jo@shop.example\n");
    assert!(said.contains("FRONTDOOR_NOTIFY_EMAIL"), "{said}");
    terminal.answer(WEBHOOK, "https://hooks.example.org/one\n");
    let (said, code) = terminal.end();
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("hooks.example.org/one"),
        "it is silent for good"
    );
    let set = settings(machine.folder());
    let (_, url) = set
        .iter()
        .find(|(name, _)| name == "FRONTDOOR_SMTP_URL")
        .unwrap();
    assert_eq!(url, "smtps://mailer:%20h%40sh%3A50%25@mail.example.org");
    let told = "me@shop.example,jo@shop.example".to_owned();
    assert!(
        set.contains(&("FRONTDOOR_NOTIFY_EMAIL".to_owned(), told)),
        "{set:?}"
    );
}
