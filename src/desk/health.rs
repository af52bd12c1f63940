//! Health in plain words: what needs the owner, with the remedy, and the first steps of a new site.

use axum::Json;
use axum::extract::{Extension, State};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::lead::DeliveryRow;
use super::session::{self, SessionRow};
use super::{Answered, By, Desk, Inner, Refusal};
use crate::content::site;
use crate::domain::{count, span};
use crate::store::{Channel, DeliveryFilter, DeliveryState, LeadFilter};

/// How many failing deliveries are named.
const NAMED: usize = 50;
/// A backup is made each day; some hours are for what goes wrong once.
const BACKUP_OVERDUE: SignedDuration = SignedDuration::from_hours(36);

#[derive(Serialize)]
pub struct Health {
    findings: Vec<Finding>,
    first_steps: Vec<FirstStep>,
    deliveries: Vec<DeliveryRow>,
    backups: BackupState,
    sessions: Vec<SessionRow>,
    settings: [(); 0],
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Ok,
    Warning,
    Fault,
}

#[derive(Serialize)]
struct Finding {
    state: Verdict,
    what: String,
    remedy: Option<String>,
}

/// Something to do before the site goes live.
#[derive(Serialize)]
struct FirstStep {
    done: bool,
    what: &'static str,
    command: Option<&'static str>,
}

#[derive(Serialize)]
struct BackupState {
    last: Option<Timestamp>,
    failure: Option<String>,
}

pub async fn show(state: Desk, by: By) -> Answered<Health> {
    let State(desk) = &state;
    let Json(sessions) = session::list(State(desk.clone()), Extension(by.0)).await?;
    let backups = desk.parts.backups.as_ref();
    Ok(Json(Health {
        findings: desk.findings().await?,
        first_steps: desk.first_steps().await?,
        deliveries: desk.failing().await?,
        backups: BackupState {
            last: backups.and_then(|backups| backups.last_known()),
            failure: backups.and_then(|backups| backups.failure()),
        },
        sessions,
        settings: [],
    }))
}

impl Inner {
    async fn findings(&self) -> Result<Vec<Finding>, Refusal> {
        let store = &self.parts.store;
        let now = store.now();
        let mut findings = Vec::new();
        let mut add = |state, what: String, remedy: &str| {
            let remedy = (!remedy.is_empty()).then(|| remedy.to_owned());
            findings.push(Finding {
                state,
                what,
                remedy,
            });
        };
        store.probe().await?;
        add(Verdict::Ok, "A new lead would be stored now.".into(), "");
        if let Some(since) = store.paused_at().await? {
            let what = format!(
                "Nothing is sent since the restore at {}.",
                site().minute(since)
            );
            add(Verdict::Fault, what, "frontdoor deliveries resume");
        }
        let attention = store.attention(self.parts.promise, now).await?;
        for channel in store.channels().await? {
            let number = attention.failing(channel.channel);
            let name = match channel.channel {
                Channel::Mail => "The mail server",
                Channel::Webhook => "The webhook",
            };
            let waiting = count(number, "delivery waits", "deliveries wait");
            match (number, &channel.last_error, channel.failed_at) {
                (0, ..) => {}
                (_, Some(reason), Some(_)) => {
                    let what =
                        format!("{name} accepts nothing ({reason}); {waiting}, nothing is lost.");
                    add(Verdict::Fault, what, "frontdoor deliveries retry --all");
                }
                _ => {
                    let what = format!("{name} refused some: {waiting} for another try.");
                    add(Verdict::Warning, what, "frontdoor deliveries list");
                }
            }
        }
        if let Some(backups) = &self.parts.backups {
            let last = backups.last_known();
            let is_late = last.is_some_and(|last| now.duration_since(last) > BACKUP_OVERDUE);
            match (backups.failure(), last) {
                (Some(why), _) => {
                    let what = format!("The last backup failed: {why}.");
                    add(Verdict::Fault, what, "journalctl --unit frontdoor");
                }
                (None, Some(last)) if is_late => {
                    let what = format!("The last backup is {} old.", span(last, now));
                    add(Verdict::Fault, what, "journalctl --unit frontdoor");
                }
                (None, Some(last)) => {
                    let what = format!("The last backup is {} old.", span(last, now));
                    add(Verdict::Ok, what, "");
                }
                (None, None) => add(Verdict::Warning, "There is no backup yet.".into(), ""),
            }
        }
        for service in &self.parts.bookings {
            let health = store.booking_health(*service).await?;
            let (is_well, what, remedy) = health.in_words(*service, now);
            let state = [Verdict::Warning, Verdict::Ok][usize::from(is_well)];
            add(state, what, remedy);
        }
        for [part, meaning, setting] in &self.parts.off {
            let what = format!("The {part} is off: {meaning}.");
            add(Verdict::Warning, what, &format!("set {setting}"));
        }
        Ok(findings)
    }

    /// Empty once all are done.
    async fn first_steps(&self) -> Result<Vec<FirstStep>, Refusal> {
        let newest = LeadFilter {
            limit: 1,
            ..LeadFilter::default()
        };
        let has_leads = !self.parts.store.leads(newest).await?.is_empty();
        let is_on = |part: &str| !self.parts.off.iter().any(|[off, ..]| *off == part);
        let has_own_name = !site().url.contains(".example");
        let step = |done, what, command| FirstStep {
            done,
            what,
            command: Some(command),
        };
        let steps = vec![
            step(
                has_own_name,
                "The site has its own name",
                "edit content/site.toml, then make publish",
            ),
            step(is_on("mail"), "Mail goes out", "set FRONTDOOR_SMTP_URL"),
            step(
                is_on("webhook"),
                "Leads reach your automation",
                "set FRONTDOOR_WEBHOOK_URL",
            ),
            step(
                is_on("backup"),
                "A backup is made each day",
                "set FRONTDOOR_BACKUP_DIR",
            ),
            step(
                has_leads,
                "A first test lead has arrived",
                "frontdoor check --live",
            ),
        ];
        match steps.iter().all(|step| step.done) {
            true => Ok(Vec::new()),
            false => Ok(steps),
        }
    }

    async fn failing(&self) -> Result<Vec<DeliveryRow>, Refusal> {
        let mut rows = Vec::new();
        for state in [DeliveryState::GivenUp, DeliveryState::Pending] {
            let filter = DeliveryFilter {
                state: Some(state),
                limit: NAMED,
                ..DeliveryFilter::default()
            };
            let found = self.parts.store.deliveries(filter).await?;
            let failing = found.iter().filter(|each| each.attempts > 0);
            rows.extend(failing.map(DeliveryRow::new));
        }
        Ok(rows)
    }
}
