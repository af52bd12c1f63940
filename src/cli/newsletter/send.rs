//! `frontdoor newsletter send`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use jiff::Timestamp;
use lettre::Address;
use lettre::message::Mailbox;

use super::again::Again;
use super::outcome::{conclude, history};
use super::{at, question};
use crate::cli::output::{aside, count, print, tell};
use crate::cli::progress::Progress;
use crate::cli::stop::stop_signal;
use crate::cli::table::harmless_line;
use crate::cli::{Failure, facts};
use crate::config::{MailArgs, SiteArgs, read_regular};
use crate::content::{SITE, Site};
use crate::domain::LinkToken;
use crate::http::{Release, ReleaseFile};
use crate::mail::MailServer;
use crate::newsletter::{Issue, IssueRun, LARGEST_FILE, PostPage, Report, write_mail};
use crate::store::{IssueRecord, NewSchedule, Store};

#[derive(Args, Debug)]
pub struct SendIssue {
    /// The issue: Markdown, its first heading is the subject; or a post of the
    /// blog. Pictures beside it travel along
    #[arg(value_name = "FILE.md")]
    file: PathBuf,

    /// Send it to this address only, to see what it looks like
    #[arg(long, value_name = "ADDRESS", conflicts_with = "dry_run")]
    test: Option<Address>,

    /// Send nothing; show the text and how many would get it
    #[arg(long)]
    dry_run: bool,

    /// Send it later, by the server: a time of the site's zone (2026-11-20
    /// 09:00) or one with its own (2026-11-20T09:00:00-05:00)
    #[arg(long, value_name = "TIME", conflicts_with_all = ["test", "retry_refused", "retry_unsure"])]
    at: Option<String>,

    /// At most so many mails a second; 0: as fast as the mail server takes them
    #[arg(long, value_name = "NUMBER", default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(0..=10_000))]
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

    #[command(flatten)]
    site: SiteArgs,
}

pub async fn run(args: &SendIssue, carried: &'static [u8], store: &Store) -> Result<(), Failure> {
    let (outgoing, site) = (args.mail.load()?, args.site.load()?);
    facts::in_force(&site)?;
    has_postal_address(&SITE)?;
    let at = args.at.as_deref().map(at::time).transpose()?;
    let release = facts::release(&site, carried, Some(store)).await?;
    let then = at.unwrap_or_else(Timestamp::now);
    let issue = read(&args.file, |path| page(&release, path, then))?;
    if args.dry_run {
        return dry_run(args, store, &issue, at).await;
    }
    if let Some(at) = at {
        if outgoing.is_none() {
            tell!("frontdoor: no mail server is set up here; the server needs FRONTDOOR_SMTP_URL");
        }
        let new = NewSchedule {
            issue: record(&args.file, &issue),
            content: serde_json::to_string(&issue).map_err(anyhow::Error::from)?,
            rate: args.rate,
            send_at: at,
        };
        return at::schedule(store, new, args.yes).await;
    }
    let outgoing = outgoing
        .ok_or_else(|| Failure::Usage("no mail server is set up: set FRONTDOOR_SMTP_URL".into()))?;
    let from = outgoing.from()?;
    let server = MailServer::new(&outgoing.server)?;
    if let Some(address) = &args.test {
        return send_test(&server, &from, &issue, address).await;
    }
    let run = IssueRun {
        store: store.clone(),
        server,
        from,
        issue,
        rate: args.rate,
    };
    send_all(Arc::new(run), args).await
}

async fn dry_run(
    args: &SendIssue,
    store: &Store,
    issue: &Issue,
    at: Option<Timestamp>,
) -> Result<(), Failure> {
    let counts = store.issue_counts(&issue.id).await?;
    let warnings = question::warnings(store, &record(&args.file, issue)).await?;
    Ok(print(&format!(
        "Subject: {}\nTo send: {}{}\n{warnings}{}\n{}",
        issue.subject,
        count(counts.waiting, "mail", "mails"),
        at.map_or(String::new(), |at| format!(", {}", at::shown(at))),
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

pub fn read(file: &Path, page: impl Fn(&str) -> Option<PostPage>) -> Result<Issue, Failure> {
    let shown = file.display();
    let read = read_regular(file, LARGEST_FILE as u64);
    let (bytes, _) = read.with_context(|| format!("cannot read {shown}"))?;
    let issue = Issue::of_file(&bytes, file, &SITE, page);
    issue.map_err(|error| Failure::Usage(format!("{shown}: {error}")))
}

/// The page of a post as the site shows it then, if it does.
pub fn page(release: &Release, path: &str, at: Timestamp) -> Option<PostPage> {
    let (edition, _) = release.at(at);
    let html = edition.file(path)?.text();
    let shown = edition.served().filter(|file| {
        let is_for_mails = ["image/jpeg", "image/png"].contains(&file.content_type.as_str());
        is_for_mails && html.contains(&file.path)
    });
    let picture = |file: &ReleaseFile| (file.path.clone(), file.bodies[0].bytes.to_vec());
    Some(PostPage {
        pictures: shown.map(picture).collect(),
    })
}

async fn send_test(
    server: &MailServer,
    from: &Mailbox,
    issue: &Issue,
    to: &Address,
) -> Result<(), Failure> {
    // Stored nowhere: the link in a test leads to the page for dead links.
    let token = LinkToken::random();
    let mail = write_mail(issue, from, to, "test", &token, Timestamp::now())?;
    server.send(&mail).await.map_err(|error| {
        Failure::Failed(format!("the test was not sent: {}", error.into_reason()))
    })?;
    let to = harmless_line(to.as_ref());
    Ok(print(&format!("Sent a test to {to}\n"))?)
}

async fn send_all(run: Arc<IssueRun>, args: &SendIssue) -> Result<(), Failure> {
    let (store, issue) = (&run.store, record(&args.file, &run.issue));
    if store.paused_at().await?.is_some() {
        let remedy = "sending is paused after a restore: frontdoor deliveries resume";
        return Err(Failure::Failed(remedy.into()));
    }
    let again = Again::find(store, &issue.id, args.retry_unsure, args.retry_refused).await?;
    let before = again.apply_to(store.issue_counts(&issue.id).await?);
    aside(&history(before));
    question::ask(store, &issue, before.waiting, None, args.yes).await?;
    store.begin_issue(issue.clone(), store.now()).await?;
    again.withdraw(store, &issue.id).await?;
    let stop = stop_signal(|| tell!("\nstopping after the mails at hand"))?;
    let mut progress = Progress::new(before.waiting);
    let show = |so_far: &Report| progress.show(so_far.done());
    let report = run.run(&stop, show).await;
    progress.end();
    let after = store.issue_counts(&issue.id).await?;
    if after.waiting == 0 {
        store.finish_issue(&issue.id, store.now()).await?;
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
