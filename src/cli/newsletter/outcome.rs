//! What the owner reads before and after a run.

use crate::cli::Failure;
use crate::cli::output::{count, print};
use crate::cli::table::harmless_line;
use crate::newsletter::{RefusedAddress, Report};
use crate::store::IssueCounts;

/// What earlier runs with the same file have done.
pub fn history(counts: IssueCounts) -> String {
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

/// `after`: what is noted for this issue, by whichever run.
pub fn conclude(report: &Report, after: IssueCounts) -> Result<(), Failure> {
    let sent = count(report.sent, "mail", "mails");
    let refused = match report.refused.is_empty() {
        true => String::new(),
        false => format!("; {}", refusals(&report.refused)),
    };
    let (unfinished, left_out) = (unfinished(report), left_out(report, after));
    if !unfinished.is_empty() {
        let again = "run the same command again to go on".into();
        let rest = [unfinished, vec![again], left_out].concat();
        return Err(Failure::Failed(format!(
            "sent {sent}{refused}; {}",
            rest.join("; ")
        )));
    }
    print(&format!("Sent {sent}{refused}\n"))?;
    match left_out.is_empty() {
        true => Ok(()),
        false => Err(Failure::Failed(left_out.join("; "))),
    }
}

/// Whom the same command would not send it to.
fn left_out(report: &Report, after: IssueCounts) -> Vec<String> {
    let mut left = Vec::new();
    if after.refused > 0 {
        left.push(format!(
            "{} not get this issue and will not be tried again without --retry-refused",
            count(after.refused, "subscriber did", "subscribers did")
        ));
    }
    let unsure = after.offered.max(report.unsure);
    if unsure > 0 {
        left.push(format!(
            "{} in doubt and will not be sent again without --retry-unsure, which leaves alone \
            what was offered less than three minutes ago",
            count(unsure, "mail is", "mails are")
        ));
    }
    left
}

/// Addresses are the owner's to see, on the terminal and nowhere else.
fn refusals(refused: &[RefusedAddress]) -> String {
    let named = refused
        .iter()
        .map(|each| format!("{} ({})", harmless_line(&each.email), each.code));
    let named: Vec<_> = named.collect();
    format!(
        "{} refused by the mail server: {}",
        refused.len(),
        named.join(", ")
    )
}

/// What the same command can mend.
fn unfinished(report: &Report) -> Vec<String> {
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
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: Report = Report {
        sent: 3,
        refused: Vec::new(),
        failed: 0,
        unsure: 0,
        stopped: false,
        gave_up: None,
    };

    fn last_words(report: &Report, after: IssueCounts) -> String {
        conclude(report, after).unwrap_err().to_string()
    }

    #[test]
    fn what_the_same_command_can_mend_says_so() {
        assert!(conclude(&SENT, IssueCounts::default()).is_ok());
        for report in [
            Report { failed: 1, ..SENT },
            Report {
                stopped: true,
                ..SENT
            },
            Report {
                gave_up: Some("x".into()),
                ..SENT
            },
        ] {
            let line = last_words(&report, IssueCounts::default());
            assert!(line.starts_with("sent 3 mails; "), "{line}");
            assert!(line.contains("run the same command"), "{line}");
        }
    }

    #[test]
    fn what_it_cannot_mend_names_the_option_in_this_run_and_in_every_later_one() {
        let unsure = Report { unsure: 1, ..SENT };
        let offered = IssueCounts {
            offered: 1,
            ..IssueCounts::default()
        };
        let refused = IssueCounts {
            refused: 1,
            ..IssueCounts::default()
        };
        for (report, after, option) in [
            (&unsure, IssueCounts::default(), "--retry-unsure"),
            (&SENT, offered, "--retry-unsure"),
            (&SENT, refused, "--retry-refused"),
        ] {
            let line = last_words(report, after);
            assert!(line.contains(option), "{line}");
            assert!(!line.contains("same command"), "{line}");
        }
    }
}
