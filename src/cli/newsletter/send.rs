//! `frontdoor newsletter send`: now, to one address for a test, or later by the server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use jiff::civil::DateTime;
use jiff::tz::AmbiguousOffset;
use jiff::{SignedDuration, Timestamp};
use lettre::Address;
use lettre::message::Mailbox;

use super::short;
use crate::cli::output::{Progress, aside, confirm, count, harmless_line, print, tell};
use crate::cli::serve::stop_signal;
use crate::cli::{Failure, releases};
use crate::config::{MailArgs, SiteArgs, read_regular};
use crate::content::{SITE, Site};
use crate::domain::LinkToken;
use crate::http::{Release, ReleaseFile};
use crate::mail::MailServer;
use crate::newsletter::{
    Issue, IssueRun, LARGEST_FILE, LONGEST_HAND_OVER, PostPage, Report, write_mail,
};
use crate::store::{EarlierIssue, IssueCounts, IssueRecord, NewSchedule, SendState, Store};

/// A later time is a mistake.
const LATEST: SignedDuration = SignedDuration::from_hours(366 * 24);

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

    /// Don't ask
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
    releases::hold_facts(&site)?;
    has_postal_address(&SITE)?;
    let at = args.at.as_deref().map(time).transpose()?;
    let release = releases::shown_release(&site, carried, Some(store)).await?;
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
        return schedule(store, new, args.yes).await;
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
    let warnings = warnings(store, &record(&args.file, issue)).await?;
    Ok(print(&format!(
        "Subject: {}\nTo send: {}{}\n{warnings}{}\n{}",
        issue.subject,
        count(counts.waiting, "mail", "mails"),
        at.map_or(String::new(), |at| format!(", {}", shown(at))),
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

/// Reads an issue; `page` has the page of a post.
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
    let retried = retried(args, store.now());
    let mut before = store.issue_counts(&issue.id).await?;
    // Looked up before the question, so that its number is true; withdrawn after it, so
    // that a no changes nothing.
    for (state, until) in &retried {
        let number = store.noted_until(&issue.id, *state, *until).await?;
        let noted = match state {
            SendState::Offered => &mut before.offered,
            _ => &mut before.refused,
        };
        *noted = noted.saturating_sub(number);
        before.waiting += number;
    }
    aside(&history(before));
    ask(store, &issue, before.waiting, None, args.yes).await?;
    store.begin_issue(issue.clone(), store.now()).await?;
    for (state, until) in retried {
        store.withdraw(&issue.id, state, until).await?;
    }
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

/// The notes of an earlier run that this one withdraws, to try again: those of this
/// state that were written until then.
fn retried(args: &SendIssue, now: Timestamp) -> Vec<(SendState, Timestamp)> {
    let mut retried = Vec::new();
    if args.retry_unsure {
        // Another run may be handing over the younger ones right now.
        let settled = now.saturating_sub(LONGEST_HAND_OVER).unwrap_or(now);
        retried.push((SendState::Offered, settled));
    }
    if args.retry_refused {
        retried.push((SendState::Refused, now));
    }
    retried
}

/// Asks once before an issue goes out to `waiting` people, `at` a time in words.
///
/// A changed file is another issue and goes to everybody, so the owner is told
/// how many got what looks like an earlier version of it. A run that was
/// interrupted goes on unasked: the question was answered for this very file,
/// and nobody gets it twice. Once nobody was left, a later run is for new
/// subscribers, and that is a new question.
async fn ask(
    store: &Store,
    issue: &IssueRecord,
    waiting: u64,
    at: Option<&str>,
    yes: bool,
) -> Result<(), Failure> {
    let goes_on = at.is_none() && (waiting == 0 || store.is_unfinished(&issue.id).await?);
    if goes_on {
        return Ok(());
    }
    aside(&warnings(store, issue).await?);
    if yes {
        return Ok(());
    }
    let subject = harmless_line(&issue.subject);
    let people = count(waiting, "subscriber", "subscribers");
    let at = at.map_or(String::new(), |at| format!(" {at}"));
    let question = format!("Send “{subject}” to {people}{at}?");
    confirm(&question, "nothing was sent")
}

/// A line for each issue that looks like an earlier version of this one.
async fn warnings(store: &Store, issue: &IssueRecord) -> Result<String, Failure> {
    let warning = |earlier: &EarlierIssue| {
        let origin = match earlier.file_name == issue.file_name {
            true => "an earlier version of this file".into(),
            false => format!("the file {}", harmless_line(&earlier.file_name)),
        };
        let subject = harmless_line(&earlier.subject);
        let (got, day) = (earlier.got, SITE.day(earlier.first_sent_at));
        format!("{got} of them got “{subject}” on {day} from {origin}\n")
    };
    let earlier = store.earlier_issues(issue.clone()).await?;
    Ok(earlier.iter().map(warning).collect())
}

/// The results of earlier runs with the same file.
fn history(counts: IssueCounts) -> String {
    let mut lines = String::new();
    if counts.sent > 0 {
        lines += &format!("Sent before: {}\n", counts.sent);
    }
    if counts.refused > 0 {
        lines += &format!(
            "Refused before: {}; will not be tried again without --retry-refused\n",
            counts.refused
        );
    }
    if counts.offered > 0 {
        lines += &format!(
            "In doubt: {} cut off while being handed over; may have arrived and will not be \
            sent again without --retry-unsure\n",
            count(counts.offered, "mail was", "mails were")
        );
    }
    lines
}

/// Says what a run has done. `after`: what is noted for this issue, by whichever run.
fn conclude(report: &Report, after: IssueCounts) -> Result<(), Failure> {
    let mut sent = count(report.sent, "mail", "mails");
    if !report.refused.is_empty() {
        // Addresses are the owner's to see, on the terminal and nowhere else.
        let refused = report.refused.iter();
        let refused = refused.map(|each| format!("{} ({})", harmless_line(&each.email), each.code));
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
        rest.push(format!("{} not taken for now", report.failed));
    }
    if report.stopped {
        rest.push("stopped".into());
    }
    let is_finished = rest.is_empty();
    if !is_finished {
        rest.push("run the same command again to go on".into());
    }
    if after.refused > 0 {
        rest.push(format!(
            "{} not get this issue and will not be tried again without --retry-refused",
            count(after.refused, "subscriber did", "subscribers did")
        ));
    }
    let unsure = after.offered.max(report.unsure);
    if unsure > 0 {
        rest.push(format!(
            "{} in doubt and will not be sent again without --retry-unsure, which leaves alone \
            what was offered less than three minutes ago",
            count(unsure, "mail is", "mails are")
        ));
    }
    let rest = rest.join("; ");
    if !is_finished {
        return Err(Failure::Failed(format!("sent {sent}; {rest}")));
    }
    print(&format!("Sent {sent}\n"))?;
    match rest.is_empty() {
        true => Ok(()),
        false => Err(Failure::Failed(rest)),
    }
}

/// The time that the owner says, if it is to come.
fn time(text: &str) -> Result<Timestamp, Failure> {
    let time = parse_time(text, &SITE).and_then(|time| {
        let left = time.duration_since(Timestamp::now());
        match left {
            _ if left <= SignedDuration::ZERO => Err("is in the past".into()),
            _ if left > LATEST => Err("is more than a year away".into()),
            _ => Ok(time),
        }
    });
    time.map_err(|problem| Failure::Usage(format!("--at {}: {problem}", harmless_line(text))))
}

fn parse_time(text: &str, site: &Site) -> Result<Timestamp, String> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    let local: DateTime = text
        .parse()
        .ok()
        .filter(|_| text.contains(':'))
        .ok_or("must be like 2026-11-20 09:00 or 2026-11-20T09:00:00-05:00")?;
    let zoned = site.zone().to_ambiguous_timestamp(local);
    let zone = &site.time_zone;
    match zoned.offset() {
        AmbiguousOffset::Unambiguous { .. } => zoned
            .unambiguous()
            .map_err(|_| "is too far away".to_owned()),
        AmbiguousOffset::Gap { .. } => Err(format!("the clocks in {zone} leave that time out")),
        AmbiguousOffset::Fold { .. } => Err(format!(
            "the clocks in {zone} show that time twice: write it with its offset, like {}",
            "2026-11-01T01:30:00-04:00"
        )),
    }
}

/// In the site's zone.
fn shown(time: Timestamp) -> String {
    let there = time.to_zoned(SITE.zone());
    format!("on {}", there.strftime("%Y-%m-%d at %H:%M (%Z)"))
}

/// Stores an issue as it is now; the server sends it at its time.
async fn schedule(store: &Store, new: NewSchedule, yes: bool) -> Result<(), Failure> {
    let (issue, when) = (new.issue.clone(), shown(new.send_at));
    let IssueCounts { waiting, sent, .. } = store.issue_counts(&issue.id).await?;
    if waiting == 0 && sent > 0 {
        return Err(Failure::Failed(
            "nobody is left who does not have it: nothing is scheduled".into(),
        ));
    }
    ask(store, &issue, waiting, Some(&when), yes).await?;
    store.schedule(new, store.now()).await?;
    let people = count(waiting, "subscriber", "subscribers");
    Ok(print(&format!(
        "Will be sent {when} by the server, to {people} as of now; its id is {}\n",
        short(&issue.id)
    ))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sent_without_a_postal_address() {
        let mut site = SITE.clone();
        site.location = " ".into();
        let failure = has_postal_address(&site).unwrap_err().to_string();
        assert!(failure.contains("postal address"), "{failure}");
    }

    #[test]
    fn a_time_is_of_the_sites_zone_and_must_exist_once() {
        let mut site = SITE.clone();
        site.time_zone = "America/Toronto".into();
        for (text, meant) in [
            ("2026-11-20 09:00", "2026-11-20T14:00:00Z"),
            ("2026-07-20T09:00", "2026-07-20T13:00:00Z"),
            ("2026-11-20T09:00:00+01:00", "2026-11-20T08:00:00Z"),
        ] {
            assert_eq!(
                parse_time(text, &site),
                Ok(meant.parse().unwrap()),
                "{text}"
            );
        }
        for (text, problem) in [
            ("tomorrow", "must be like"),
            ("2026-11-20", "must be like"),
            ("2026-03-08 02:30", "leave that time out"),
            ("2026-11-01 01:30", "with its offset"),
        ] {
            let said = parse_time(text, &site).unwrap_err();
            assert!(said.contains(problem), "{text}: {said}");
        }
    }

    #[test]
    fn what_a_later_run_can_do_is_named() {
        let sent = || Report {
            sent: 3,
            refused: Vec::new(),
            failed: 0,
            unsure: 0,
            stopped: false,
            gave_up: None,
        };
        let none = IssueCounts::default();
        assert!(conclude(&sent(), none).is_ok());
        let mut unsure = sent();
        unsure.unsure = 1;
        let (mut failed, mut stopped, mut gave_up) = (sent(), sent(), sent());
        (failed.failed, stopped.stopped) = (1, true);
        gave_up.gave_up = Some("x".into());
        let offered = IssueCounts { offered: 1, ..none };
        let refused = IssueCounts { refused: 1, ..none };
        for (report, after, remedy) in [
            (failed, none, "run the same command"),
            (stopped, none, "run the same command"),
            (gave_up, none, "run the same command"),
            (unsure, none, "--retry-unsure"),
            (sent(), offered, "--retry-unsure"),
            (sent(), refused, "--retry-refused"),
        ] {
            let line = conclude(&report, after).unwrap_err().to_string();
            assert!(line.contains(remedy), "{line}");
            let goes_on = remedy.starts_with("run");
            assert_eq!(line.contains("same command"), goes_on, "{line}");
        }
    }
}
