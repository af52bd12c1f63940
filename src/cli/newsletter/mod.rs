//! `frontdoor newsletter send`

mod again;
mod outcome;
mod question;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use lettre::Address;

use self::again::Again;
use self::outcome::{conclude, history};
use super::Failure;
use super::output::{count, print};
use super::progress::Progress;
use super::stop::stop_signal;
use super::table::harmless_line;
use crate::config::{MailArgs, OutgoingMail};
use crate::content::{SITE, Site};
use crate::domain::LinkToken;
use crate::mail::MailServer;
use crate::newsletter::{Dispatch, Edition, Issue, Publisher, Report};
use crate::store::{IssueRecord, Store};

#[derive(Subcommand, Debug)]
pub enum NewsletterCommand {
    /// Send a Markdown file to every confirmed subscriber. Run it again after
    /// an interruption: nobody gets the same file twice
    Send(SendIssue),
}

#[derive(Args, Debug)]
pub struct SendIssue {
    /// The issue: Markdown, its first heading is the subject
    #[arg(value_name = "FILE.md")]
    file: PathBuf,

    /// Send it to this address only, to see what it looks like
    #[arg(long, value_name = "ADDRESS", conflicts_with = "dry_run")]
    test: Option<Address>,

    /// Send nothing; show the text and how many would get it
    #[arg(long)]
    dry_run: bool,

    /// At most so many mails a second; 0: as fast as the mail server takes them
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    rate: u32,

    /// Do not ask
    #[arg(long)]
    yes: bool,

    /// Try also those again whom the mail server has refused
    #[arg(long)]
    retry_refused: bool,

    /// Send also those again that were cut off in the moment of handing over
    /// and may have arrived
    #[arg(long)]
    retry_unsure: bool,

    #[command(flatten)]
    mail: MailArgs,
}

pub async fn run(command: &NewsletterCommand, store: &Store) -> Result<(), Failure> {
    let NewsletterCommand::Send(args) = command;
    let outgoing = args.mail.load()?;
    has_postal_address(&SITE)?;
    let issue = read(&args.file)?;
    if args.dry_run {
        return dry_run(args, store, &issue).await;
    }
    let outgoing = outgoing
        .ok_or_else(|| Failure::Usage("no mail server is set up: set FRONTDOOR_SMTP_URL".into()))?;
    let OutgoingMail { server, from } = outgoing;
    let server = MailServer::new(&server)?;
    let publisher = Publisher { site: &SITE, from };
    if let Some(address) = &args.test {
        return send_test(&server, &publisher, &issue, address).await;
    }
    let pause = match args.rate {
        0 => Duration::ZERO,
        rate => Duration::from_secs(1) / rate,
    };
    let edition = Arc::new(Edition {
        store: store.clone(),
        server,
        publisher,
        issue,
    });
    send_all(Dispatch { edition, pause }, args).await
}

async fn dry_run(args: &SendIssue, store: &Store, issue: &Issue) -> Result<(), Failure> {
    let counts = store.issue_counts(&issue.id).await?;
    let warnings = question::warnings(store, &record(&args.file, issue)).await?;
    Ok(print(&format!(
        "Subject: {}\nTo send: {}\n{warnings}{}\n{}",
        issue.subject,
        count(counts.waiting, "mail", "mails"),
        history(counts),
        issue.text
    ))?)
}

fn record(file: &Path, issue: &Issue) -> IssueRecord {
    let name = file.file_name().unwrap_or(file.as_os_str());
    IssueRecord {
        id: issue.id.clone(),
        subject: issue.subject.clone(),
        file_name: name.to_string_lossy().into_owned(),
    }
}

/// Canada's anti-spam law asks for one in every message.
fn has_postal_address(site: &Site) -> Result<(), Failure> {
    match site.location.trim().is_empty() {
        true => Err(Failure::Usage(
            "no postal address is set up: fill in `location` in content/site.toml; \
            the law asks for it in every newsletter"
                .into(),
        )),
        false => Ok(()),
    }
}

fn read(file: &Path) -> Result<Issue, Failure> {
    let shown = file.display();
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {shown}"))?;
    let issue = Issue::parse(&bytes, &SITE);
    issue.map_err(|error| Failure::Usage(format!("{shown}: {error}")))
}

async fn send_test(
    server: &MailServer,
    publisher: &Publisher,
    issue: &Issue,
    to: &Address,
) -> Result<(), Failure> {
    // Stored nowhere: the link in a test leads to the page for dead links.
    let token = LinkToken::random();
    let mail = publisher.write(issue, to, "test", &token, Timestamp::now())?;
    let session = server.send(&mail).await.map_err(|error| {
        Failure::Failed(format!("the test was not sent: {}", error.into_reason()))
    })?;
    session.end().await;
    let to = harmless_line(to.as_ref());
    Ok(print(&format!("Sent a test to {to}\n"))?)
}

async fn send_all(dispatch: Dispatch, args: &SendIssue) -> Result<(), Failure> {
    let edition = &dispatch.edition;
    let (store, issue) = (&edition.store, record(&args.file, &edition.issue));
    let again = Again::find(args, store, &issue.id).await?;
    let before = again.apply_to(store.issue_counts(&issue.id).await?);
    eprint!("{}", history(before));
    question::ask(store, &issue, before.waiting, args.yes).await?;
    store.begin_issue(issue.clone(), Timestamp::now()).await?;
    again.withdraw(store, &issue.id).await?;
    let stop = stop_signal(|| eprintln!("\nstopping after the mails at hand"))?;
    let mut progress = Progress::new(before.waiting);
    let show = |so_far: &Report| progress.show(so_far.done());
    let report = dispatch.run(&stop, show).await;
    progress.end();
    let after = store.issue_counts(&issue.id).await?;
    if after.waiting == 0 {
        store.finish_issue(&issue.id, Timestamp::now()).await?;
    }
    conclude(&report, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sent_without_a_postal_address() {
        assert!(has_postal_address(&SITE).is_ok());
        let mut site = SITE.clone();
        site.location = " ".into();
        let failure = has_postal_address(&site).unwrap_err().to_string();
        assert!(failure.contains("postal address"), "{failure}");
        assert!(failure.contains("content/site.toml"), "{failure}");
    }
}
