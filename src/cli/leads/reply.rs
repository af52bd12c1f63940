//! `frontdoor leads reply`: a mail to the visitor, to be finished by hand.

use clap::Args;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::desktop;
use super::ids::{ShortIds, lead};
use crate::cli::output::{print, tell};
use crate::cli::table::{harmless, harmless_line};
use crate::cli::{Failure, facts};
use crate::config::SiteArgs;
use crate::content::{SITE, Site};
use crate::store::{Lead, Store};

/// Programs on the way cut longer addresses of a mail.
const MOST_QUOTED: usize = 1_000;

/// All but what means nothing in an address; some programs do not read an `@`
/// that is written otherwise.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'@')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_');

#[derive(Args, Debug)]
pub struct ReplyLead {
    /// The lead's id, its last eight characters, or the e-mail address of whoever has
    /// only one lead
    #[arg(value_name = "ID|EMAIL")]
    id: String,

    /// Print the mail, also where a mail program could be opened
    #[arg(long)]
    print: bool,

    #[command(flatten)]
    site: SiteArgs,
}

pub async fn run(args: &ReplyLead, store: &Store) -> Result<(), Failure> {
    facts::in_force(&args.site.load()?)?;
    let lead = lead(&args.id, store).await?;
    let short = ShortIds::of([lead.id.as_str()].into_iter(), store).await?;
    let mail = Mail::to(&lead, &SITE);
    if !args.print && desktop::is_there() && desktop::open(&mail.address()) {
        print("Opened in your mail program.\n")?;
    } else {
        print(&mail.text())?;
    }
    let id = short.short(&lead.id);
    tell!("When it is sent: frontdoor leads answered {id}");
    Ok(())
}

struct Mail {
    name: String,
    email: String,
    subject: String,
    before: String,
    quoted: String,
}

impl Mail {
    fn to(lead: &Lead, site: &Site) -> Self {
        let name = harmless_line(&lead.name);
        let day = site.day(lead.created_at);
        Self {
            email: harmless_line(&lead.email),
            subject: format!("Re: Your message to {}", site.name),
            before: format!(
                "Hello {name},\n\n\n\nIf you would rather talk, book a free strategy call:\n{}\n\n\
                -- \n{}\n{}\n\nOn {day}, {name} wrote:\n",
                site.booking_url,
                site.name,
                site.contact_line()
            ),
            quoted: harmless(&lead.message),
            name,
        }
    }

    fn text(&self) -> String {
        let Self {
            name,
            email,
            subject,
            before,
            quoted,
        } = self;
        let quoted = quote(quoted);
        format!("To: {name} <{email}>\nSubject: {subject}\n\n{before}{quoted}")
    }

    /// Of the kind `mailto:`.
    fn address(&self) -> String {
        let mut quoted: String = self.quoted.chars().take(MOST_QUOTED).collect();
        if quoted.len() < self.quoted.len() {
            quoted.push_str(" […]");
        }
        let body = format!("{}{}", self.before, quote(&quoted)).replace('\n', "\r\n");
        let [email, subject, body] = [&self.email, &self.subject, &body]
            .map(|text| utf8_percent_encode(text, ESCAPED).to_string());
        format!("mailto:{email}?subject={subject}&body={body}")
    }
}

fn quote(text: &str) -> String {
    text.lines()
        .map(|line| format!("> {line}").trim_end().to_owned() + "\n")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead() -> Lead {
        Lead {
            name: "Ada\nBcc: all@example.org".into(),
            email: "ada@example.org".into(),
            message: "Hello\n\nthere & you?".into(),
            ..Lead::default()
        }
    }

    #[test]
    fn the_mail_quotes_the_message_and_names_the_booking_page() {
        let text = Mail::to(&lead(), &SITE).text();
        assert!(text.starts_with("To: Ada Bcc: all@example.org <ada@example.org>\nSubject: Re: "));
        assert!(text.ends_with("> Hello\n>\n> there & you?\n"), "{text}");
        assert!(text.contains(&SITE.booking_url));
    }

    #[test]
    fn the_address_of_the_mail_carries_it_whole_and_nothing_else() {
        let address = Mail::to(&lead(), &SITE).address();
        let url = url::Url::parse(&address).unwrap();
        assert_eq!(url.path(), "ada@example.org");
        let pairs: Vec<_> = url.query_pairs().collect();
        assert_eq!(pairs.len(), 2, "{address}");
        assert!(pairs[1].1.ends_with("> there & you?\r\n"), "{}", pairs[1].1);
        let long = Lead {
            message: "x".repeat(5_000),
            ..lead()
        };
        let address = Mail::to(&long, &SITE).address();
        assert!(address.len() < 4_000, "{}", address.len());
    }
}
