//! What the owner reads before and after a run.

use crate::cli::Failure;
use crate::cli::output::{count, print};
use crate::cli::table::one_line;
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

pub fn conclude(report: &Report) -> Result<(), Failure> {
    let sent = count(report.sent, "mail", "mails");
    let refused = report.refused.len() as u64;
    let rest = unfinished(report);
    if !rest.is_empty() {
        let refusals = match refused {
            0 => String::new(),
            _ => format!("{}; ", refusals(&report.refused)),
        };
        return Err(Failure::Failed(format!(
            "sent {sent}; {refusals}{}; run the same command again to go on",
            rest.join("; ")
        )));
    }
    if refused == 0 {
        return Ok(print(&format!("Sent {sent}\n"))?);
    }
    print(&format!("Sent {sent}; {}\n", refusals(&report.refused)))?;
    Err(Failure::Failed(format!(
        "{} not get this issue and will not be tried again without --retry-refused",
        count(refused, "subscriber did", "subscribers did")
    )))
}

/// Addresses are the owner's to see, on the terminal and nowhere else.
fn refusals(refused: &[RefusedAddress]) -> String {
    let named = refused
        .iter()
        .map(|each| format!("{} ({})", one_line(&each.email), each.code));
    let named: Vec<_> = named.collect();
    format!(
        "{} refused by the mail server: {}",
        refused.len(),
        named.join(", ")
    )
}

/// What another run can mend.
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
    if report.unsure > 0 {
        rest.push(format!("{} in doubt", report.unsure));
    }
    if report.stopped {
        rest.push("stopped".into());
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_not_complete_says_so() {
        let whole = Report {
            sent: 3,
            ..Report::default()
        };
        assert!(conclude(&whole).is_ok());
        for report in [
            Report {
                failed: 1,
                ..whole.clone()
            },
            Report {
                unsure: 1,
                ..whole.clone()
            },
            Report {
                stopped: true,
                ..whole.clone()
            },
            Report {
                gave_up: Some("x".into()),
                ..whole.clone()
            },
        ] {
            let line = conclude(&report).unwrap_err().to_string();
            assert!(
                line.contains("sent 3 mails") && line.contains("run the same command"),
                "{line}"
            );
        }
    }
}
