//! `frontdoor subscribers proof`: one page, for whoever asks.

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use super::shown::{SubscriberJson, note};
use super::unknown;
use crate::cli::output::{print, print_json};
use crate::cli::table::{harmless, harmless_line};
use crate::cli::{Failure, facts};
use crate::config::SiteArgs;
use crate::content::SITE;
use crate::store::{ConsentRecord, Store, Subscriber};

#[derive(Args, Debug)]
pub struct ShowProof {
    /// The subscriber's e-mail address
    email: String,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    site: SiteArgs,
}

#[derive(Serialize)]
struct ProofJson<'a> {
    #[serde(flatten)]
    subscriber: SubscriberJson<'a>,
    past_consents: &'a [ConsentRecord],
}

pub async fn run(args: &ShowProof, store: &Store) -> Result<(), Failure> {
    facts::in_force(&args.site.load()?)?;
    let subscriber = store.subscriber(&args.email).await?;
    let subscriber = subscriber.ok_or_else(|| unknown(args.email.trim()))?;
    let past = store.past_consents(&subscriber.id).await?;
    if args.json {
        return Ok(print_json(&ProofJson {
            subscriber: SubscriberJson::from(&subscriber),
            past_consents: &past,
        })?);
    }
    Ok(print(&page(&subscriber, &past))?)
}

fn page(subscriber: &Subscriber, past: &[ConsentRecord]) -> String {
    let mut page = format!("Proof of consent to the newsletter of {}\n\n", SITE.name);
    let state = match note(subscriber).as_str() {
        "" => subscriber.state.as_str().to_owned(),
        note => format!("{} ({note})", subscriber.state.as_str()),
    };
    page.push_str(&fact("Address", &subscriber.email));
    page.push_str(&fact("State", &state));
    page.push_str(&consent(&subscriber.consent));
    for record in past.iter().rev() {
        page.push_str("\nBefore that\n");
        page.push_str(&consent(record));
    }
    page
}

fn consent(record: &ConsentRecord) -> String {
    let time = |time: Option<Timestamp>| time.map_or("never".to_owned(), second);
    let place = record.page.as_deref().unwrap_or("not told");
    let words = record.consent_text.as_deref();
    let words = words.unwrap_or("an older version; see the history of content/blog.toml");
    let origin = match &record.import_file {
        Some(file) => [
            fact("Imported", &second(record.created_at)),
            fact("With the file", file),
            fact(
                "Source",
                record.import_source.as_deref().unwrap_or("not told"),
            ),
            fact("Consent", "given elsewhere, as the owner says"),
        ]
        .concat(),
        None => [
            fact("Subscribed", &second(record.created_at)),
            fact("On the page", place),
            fact("Wording", &format!("version {}", record.consent_version)),
        ]
        .concat(),
    };
    [
        origin,
        format!("  {}\n", harmless(words)),
        fact("Confirmed", &time(record.confirmed_at)),
        fact("Unsubscribed", &time(record.unsubscribed_at)),
    ]
    .concat()
}

/// With its offset: whoever asks may live in another zone.
fn second(time: Timestamp) -> String {
    let there = time.to_zoned(SITE.zone());
    there.strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
}

fn fact(label: &str, value: &str) -> String {
    format!("{label:<13} {}\n", harmless_line(value))
}
