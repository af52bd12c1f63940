//! `frontdoor newsletter send`: sends an issue now, to one address as a test, or later by the
//! server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use jiff::Timestamp;
use lettre::Address;

use super::short;
use crate::cli::output::{
    Progress, confirm, count, eprint, eprint_line, file_name, print, print_line, printable_line,
};
use crate::cli::serve::stop_signal;
use crate::cli::{UsageError, bail_usage, releases};
use crate::config::{MailArgs, SiteArgs, read_regular};
use crate::content;
use crate::http::{Release, ReleaseFile};
use crate::mail::MailServer;
use crate::newsletter::{
    DEFAULT_RATE, EVERYONE_HAS_IT, Issue, MAX_FILE, Mailing, PAUSED, PagePictures, Report,
    require_postal_address, send_test, send_time,
};
use crate::store::{
    EarlierIssue, IssueCounts, IssueRecord, MAX_HAND_OVER, NewSchedule, SendState, Store,
};

#[derive(Args, Debug)]
pub struct SendIssue {
    /// The issue: Markdown with the subject as its first heading, or a post of the blog;
    /// pictures beside the file are sent with it
    #[arg(value_name = "FILE.md")]
    file: PathBuf,

    /// Send the issue to this address only, to see what it looks like
    #[arg(long, value_name = "ADDRESS", conflicts_with = "dry_run")]
    test: Option<Address>,

    /// Show the text and how many would get it, and send nothing
    #[arg(long)]
    dry_run: bool,

    /// Let the server send the issue at this time: in the site's zone (2026-11-20 09:00) or
    /// with an offset (2026-11-20T09:00:00-05:00)
    #[arg(long, value_name = "TIME", conflicts_with_all = ["test", "retry_refused", "retry_unsure"])]
    at: Option<String>,

    /// Send at most this many mails per second; 0 means as fast as the mail server takes them
    #[arg(long, value_name = "NUMBER", default_value_t = DEFAULT_RATE,
        value_parser = clap::value_parser!(u32).range(0..=10_000))]
    rate: u32,

    /// Don't ask for confirmation
    #[arg(long)]
    yes: bool,

    /// Include subscribers whose address the mail server refused
    #[arg(long)]
    retry_refused: bool,

    /// Include unsure mails: they were cut off while being handed over, and may have arrived
    #[arg(long)]
    retry_unsure: bool,

    #[command(flatten)]
    mail: MailArgs,

    #[command(flatten)]
    site: SiteArgs,
}

pub async fn run(args: &SendIssue, built_in: &'static [u8], store: &Store) -> Result<()> {
    let (outgoing, site) = (args.mail.load()?, args.site.load()?);
    releases::require_facts(&site)?;
    require_postal_address(content::site()).map_err(|why| UsageError(why.into()))?;
    let at = args.at.as_deref();
    let at = at.map(|at| {
        let time = send_time(at, content::site(), store.now());
        time.map_err(|problem| UsageError(format!("--at {}: {problem}", printable_line(at))))
    });
    let at = at.transpose()?;
    let release = releases::shown_release(&site, built_in, store).await?;
    let then = at.unwrap_or_else(|| store.now());
    let issue = read(&args.file, |path| page(&release, path, then))?;
    if args.dry_run {
        return dry_run(args, store, &issue, at).await;
    }
    if let Some(at) = at {
        if outgoing.is_none() {
            eprint_line!(
                "frontdoor: no mail server is set up here; the server needs FRONTDOOR_SMTP_URL"
            );
        }
        let new = issue.schedule(&file_name(&args.file), args.rate, at);
        return schedule(store, new, args.yes).await;
    }
    let Some(outgoing) = outgoing else {
        bail_usage!("no mail server is set up: set FRONTDOOR_SMTP_URL");
    };
    let from = outgoing.from()?;
    let server = MailServer::new(&outgoing.server)?;
    if let Some(address) = &args.test {
        let sent = send_test(&server, &from, &issue, address).await;
        sent.map_err(|why| anyhow!("the test wasn't sent: {why}"))?;
        return print_line!("Sent a test to {}", printable_line(address.as_ref()));
    }
    let mailing = Mailing {
        store: store.clone(),
        server,
        from,
        issue,
        rate: args.rate,
    };
    send_all(Arc::new(mailing), args).await
}

async fn dry_run(
    args: &SendIssue,
    store: &Store,
    issue: &Issue,
    at: Option<Timestamp>,
) -> Result<()> {
    let counts = store.issue_counts(&issue.id, store.now()).await?;
    let warnings = warnings(store, &issue.record(&file_name(&args.file))).await?;
    let mails = count(counts.left, "mail", "mails");
    let at = at.map_or(String::new(), |at| format!(", {}", shown(at)));
    let (subject, text, history) = (&issue.subject, &issue.text, history(counts));
    print(&format!(
        "Subject: {subject}\nTo send: {mails}{at}\n{warnings}{history}\n{text}"
    ))
}

/// Reads an issue; `page` returns the page of a post.
pub fn read(file: &Path, page: impl Fn(&str) -> Option<PagePictures>) -> Result<Issue> {
    let shown = file.display();
    let read = read_regular(file, MAX_FILE as u64);
    let (bytes, _) = read.with_context(|| format!("can't read {shown}"))?;
    let issue = Issue::of_file(&bytes, file, content::site(), page);
    Ok(issue.map_err(|error| UsageError(format!("{shown}: {error}")))?)
}

/// The page of a post as the site shows it at that time, if it does.
pub fn page(release: &Release, path: &str, at: Timestamp) -> Option<PagePictures> {
    let (edition, _) = release.at(at);
    let html = edition.file(path)?.text();
    let shown = edition.served().filter(|file| {
        let is_for_mails = ["image/jpeg", "image/png"].contains(&file.content_type.as_str());
        is_for_mails && html.contains(&file.path)
    });
    let picture = |file: &ReleaseFile| (file.path.clone(), file.bodies[0].bytes.to_vec());
    Some(shown.map(picture).collect())
}

async fn send_all(mailing: Arc<Mailing>, args: &SendIssue) -> Result<()> {
    let store = mailing.store.clone();
    let issue = mailing.issue.record(&file_name(&args.file));
    if store.paused_at().await?.is_some() {
        bail!(PAUSED);
    }
    let now = store.now();
    let retried = retried(args, now);
    let mut before = store.issue_counts(&issue.id, now).await?;
    // The question names the number, so they are counted first, and offered again only after a yes.
    for (state, until) in &retried {
        let number = store
            .count_to_offer_again(&issue.id, *state, *until)
            .await?;
        let counted = match state {
            SendState::Unsure => &mut before.unsure,
            _ => &mut before.refused,
        };
        *counted = counted.saturating_sub(number);
        before.left += number;
    }
    eprint(&history(before));
    ask(&store, &issue, before.left, None, args.yes).await?;
    store.begin_issue(issue.clone(), store.now()).await?;
    for (state, until) in retried {
        store.offer_again(&issue.id, state, until).await?;
    }
    let stop = stop_signal(|| eprint_line!("stopping after the mails in progress"))?;
    let mut progress = Progress::new("mails", before.left);
    let show = |so_far: &Report| progress.show(so_far.done());
    let report = crate::newsletter::send_issue(mailing, &stop, show).await;
    conclude(&report, store.end_run(&issue.id).await?)
}

/// The mails of earlier runs that this one tries again: their state, and since when at the latest.
fn retried(args: &SendIssue, now: Timestamp) -> Vec<(SendState, Timestamp)> {
    let mut retried = Vec::new();
    if args.retry_unsure {
        // Another run may be handing over the latest ones right now.
        let settled = now.saturating_sub(MAX_HAND_OVER).unwrap_or(now);
        retried.push((SendState::Unsure, settled));
    }
    if args.retry_refused {
        retried.push((SendState::Refused, now));
    }
    retried
}

/// Asks before an issue is sent to the `left` subscribers. `at` is the time in words.
///
/// A changed file is another issue and goes to everybody, so the owner sees how many got what
/// looks like an earlier version of it. An interrupted run continues without a question: the
/// owner has answered it for this file, and nobody gets the issue twice. After a complete run,
/// a later run goes to new subscribers and asks again.
async fn ask(
    store: &Store,
    issue: &IssueRecord,
    left: u64,
    at: Option<&str>,
    yes: bool,
) -> Result<()> {
    let goes_on = at.is_none() && (left == 0 || store.is_unfinished(&issue.id).await?);
    if goes_on {
        return Ok(());
    }
    eprint(&warnings(store, issue).await?);
    let subject = printable_line(&issue.subject);
    let people = count(left, "subscriber", "subscribers");
    let at = at.map_or(String::new(), |at| format!(" {at}"));
    let question = format!("Send “{subject}” to {people}{at}?");
    confirm(yes, &question, "nothing was sent")
}

/// A line for each issue that looks like an earlier version of this one.
async fn warnings(store: &Store, issue: &IssueRecord) -> Result<String> {
    let warning = |earlier: &EarlierIssue| {
        let origin = if earlier.file_name == issue.file_name {
            "an earlier version of this file".into()
        } else {
            format!("the file {}", printable_line(&earlier.file_name))
        };
        let subject = printable_line(&earlier.subject);
        let (got, day) = (earlier.got, content::site().day(earlier.first_sent_at));
        format!("{got} of them got “{subject}” on {day} from {origin}\n")
    };
    let earlier = store.earlier_issues(issue.clone()).await?;
    Ok(earlier.iter().map(warning).collect())
}

/// The results of earlier runs with the same file.
fn history(counts: IssueCounts) -> String {
    let sent = (counts.sent > 0).then(|| format!("Sent before: {}", counts.sent));
    let lines = sent.into_iter().chain(left_out(counts));
    lines.map(|line| line + "\n").collect()
}

/// The mails that are sent again only with a flag.
fn left_out(counts: IssueCounts) -> Vec<String> {
    let mut lines = Vec::new();
    if counts.refused > 0 {
        lines.push(format!(
            "Refused: {} not get this issue; add --retry-refused to try again",
            count(counts.refused, "subscriber did", "subscribers did")
        ));
    }
    if counts.unsure > 0 {
        lines.push(format!(
            "Unsure: {} cut off while being handed over and may have arrived; after three \
            minutes, --retry-unsure sends them again",
            count(counts.unsure, "mail was", "mails were")
        ));
    }
    lines
}

/// Prints what a run has done. `after` has the counts of the issue over all runs.
fn conclude(report: &Report, after: IssueCounts) -> Result<()> {
    let mut sent = count(report.sent, "mail", "mails");
    if !report.refused.is_empty() {
        // Addresses are shown on the owner's terminal and nowhere else.
        let refused = report.refused.iter().map(|each| {
            let (email, code) = (
                printable_line(&each.recipient.email),
                each.refusal.in_short(),
            );
            format!("{email} ({code})")
        });
        let refused: Vec<_> = refused.collect();
        let (number, refused) = (refused.len(), refused.join(", "));
        sent += &format!("; {number} refused by the mail server: {refused}");
    }
    let mut rest = Vec::new();
    if let Some(reason) = &report.gave_up {
        rest.push(format!(
            "gave up after several failures, the last: {reason}"
        ));
    }
    if report.failed > 0 {
        rest.push(format!("{} not accepted for now", report.failed));
    }
    if report.stopped {
        rest.push("stopped".into());
    }
    let is_finished = rest.is_empty();
    if !is_finished {
        rest.push("run the same command again to continue".into());
    }
    let unsure = after.unsure.max(report.unsure);
    rest.extend(left_out(IssueCounts { unsure, ..after }));
    let rest = rest.join("; ");
    if !is_finished {
        bail!("sent {sent}; {rest}");
    }
    print_line!("Sent {sent}")?;
    if rest.is_empty() { Ok(()) } else { bail!(rest) }
}

/// A time in the site's zone.
fn shown(time: Timestamp) -> String {
    let there = time.to_zoned(content::site().zone());
    format!("on {}", there.strftime("%Y-%m-%d at %H:%M (%Z)"))
}

/// Stores the issue as it is now, for the server to send at its time.
async fn schedule(store: &Store, new: NewSchedule, yes: bool) -> Result<()> {
    let (issue, when) = (new.issue.clone(), shown(new.send_at));
    let counts = store.issue_counts(&issue.id, store.now());
    let IssueCounts { left, sent, .. } = counts.await?;
    if left == 0 && sent > 0 {
        bail!(EVERYONE_HAS_IT);
    }
    ask(store, &issue, left, Some(&when), yes).await?;
    store.schedule(new, store.now()).await?;
    let people = count(left, "subscriber", "subscribers");
    let id = short(&issue.id);
    print_line!("The server will send it {when}, to {people} as of now; its id is {id}")
}
