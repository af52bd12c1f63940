//! The health page: what `frontdoor check` finds, with the remedies, and the first steps for a new
//! site.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::Path;
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::lead::DeliveryRow;
use super::session::SessionRow;
use super::{Desk, DeskError, JsonResponse, Shared};
use crate::check::{self, Finding, LiveArgs, bad, good};
use crate::config::{EffectiveSetting, ExternalSettings, MASK};
use crate::content::site;
use crate::store::{DatabaseUrl, DeliveryFilter, DeliveryKind, DeliveryState, LeadFilter};

/// How many failing deliveries of each state are listed.
const NAMED: usize = 50;
const FOLDERS_WITHIN: Duration = Duration::from_secs(3);

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Health {
    findings: Vec<Finding>,
    /// Empty once all are done.
    first_steps: Vec<FirstStep>,
    /// The deliveries that fail.
    deliveries: Vec<DeliveryRow>,
    /// Nothing if they are off.
    backups: Option<BackupState>,
    sessions: Vec<SessionRow>,
    settings: Vec<SettingRow>,
}

/// A part of the server that the owner can test alone.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Mail,
    Webhook,
    Backup,
}

/// Something to do before the site goes live: try it, open an address or run a command.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FirstStep {
    name: &'static str,
    what: String,
    done: bool,
    optional: bool,
    part: Option<Part>,
    link: Option<String>,
    command: Option<String>,
}

impl FirstStep {
    fn new(name: &'static str, what: &str, done: bool, part: Option<Part>) -> Self {
        Self {
            name,
            what: what.to_owned(),
            done,
            part,
            ..Self::default()
        }
    }

    /// A step that needs a setting and a restart.
    fn set_up(name: &'static str, what: &str, setting: &str) -> Self {
        let file = ExternalSettings::kept().and_then(|given| given.file.as_deref());
        let command = match file.map(std::path::Path::display) {
            Some(file) => format!("sudoedit {file} && sudo systemctl restart frontdoor"),
            None => format!("{setting}=… make run"),
        };
        Self {
            command: Some(command),
            ..Self::new(name, &format!("{what} as `{setting}`."), false, None)
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct BackupState {
    folder: String,
    last: Option<Timestamp>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct SettingRow {
    name: &'static str,
    group: &'static str,
    value: String,
    from: String,
}

impl From<&EffectiveSetting> for SettingRow {
    fn from(setting: &EffectiveSetting) -> Self {
        let value = match setting.value() {
            MASK => "set",
            "none" => "not set",
            value => value,
        };
        Self {
            name: setting.name,
            group: setting.group,
            value: value.to_owned(),
            from: setting.origin(),
        }
    }
}

pub async fn show(desk: Desk) -> JsonResponse<Health> {
    let parts = &desk.shared.parts;
    let mut findings = vec![check::write(&desk.store).await];
    findings.extend(check::attention(&desk.store, &parts.settings).await?);
    // A folder may be on a disk that doesn't answer.
    let shared = desk.shared.clone();
    let machine = spawn_blocking(move || {
        let parts = &shared.parts;
        check::settings(&parts.settings, parts.backups.as_ref())
    });
    findings.extend(match timeout(FOLDERS_WITHIN, machine).await {
        Ok(Ok(found)) => found,
        _ => vec![bad!(
            "disk",
            "the folders of the data and the backups don't answer"
        )],
    });
    let effective = parts.settings.effective.iter();
    Ok(Json(Health {
        findings,
        first_steps: desk.first_steps().await?,
        deliveries: desk.failing().await?,
        backups: parts.backups.as_ref().map(|backups| BackupState {
            folder: backups.folder().display().to_string(),
            last: backups.last_known(),
        }),
        sessions: desk.sessions().await?,
        settings: effective.map(SettingRow::from).collect(),
    }))
}

/// What `frontdoor check --live` finds beyond what the page shows anyway.
pub async fn live(desk: Desk) -> JsonResponse<Vec<Finding>> {
    let Ok(permit) = desk.shared.live.clone().try_acquire_owned() else {
        return Err(DeskError::conflict("A live check is running already."));
    };
    // A task of its own, so that the test lead is removed even if the browser disconnects.
    let checking = tokio::spawn(async move {
        let _permit = permit;
        let (store, settings) = (&desk.store, desk.settings());
        let checked = store.check_whole().await;
        let mut findings = vec![check::database(&settings.database, checked)];
        findings.extend(check::rows(store).await?);
        let built_in = desk.shared.parts.built_in;
        findings.extend(check::published_site(store, settings, built_in).await?);
        findings.extend(check::live(&LiveArgs::default(), settings, Ok(store)).await?);
        anyhow::Ok(findings)
    });
    let checked = checking.await.map_err(anyhow::Error::from);
    let failed = |error| DeskError::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}"));
    checked.flatten().map(Json).map_err(failed)
}

pub async fn try_part(desk: Desk, Path(part): Path<Part>) -> JsonResponse<Finding> {
    let found = match part {
        Part::Mail => check::test_mail(desk.mail()).await.pop(),
        Part::Webhook => check::test_call(desk.settings().webhook.as_ref())
            .await
            .pop(),
        Part::Backup => desk.back_up().await,
    };
    let is_off = || DeskError::conflict("This isn't set up yet.");
    let found = found.ok_or_else(is_off)?;
    if found.state == check::State::Good {
        desk.shared.tried().push(part);
    }
    Ok(Json(found))
}

impl Shared {
    fn tried(&self) -> MutexGuard<'_, Vec<Part>> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk {
    async fn back_up(&self) -> Option<Finding> {
        let backups = self.shared.parts.backups.as_ref()?;
        Some(match backups.make(&self.store, self.now).await {
            Ok(file) => good!("backup", "{} is written and checked", file.display()),
            Err(why) => bad!("backup", "{why}")
                .fix("is there room in FRONTDOOR_BACKUP_DIR, and may the server write there?"),
        })
    }

    async fn first_steps(&self) -> Result<Vec<FirstStep>, DeskError> {
        let (store, settings) = (&self.store, self.settings());
        let newest = LeadFilter {
            limit: 1,
            ..LeadFilter::default()
        };
        let has_leads = !store.leads(newest).await?.is_empty();
        // A channel that has delivered a lead needs no test.
        let works = async |part, kind| {
            let delivered = DeliveryFilter {
                kind: Some(kind),
                state: Some(DeliveryState::Delivered),
                limit: 1,
                ..DeliveryFilter::default()
            };
            let has_delivered = !store.deliveries(delivered).await?.is_empty();
            Ok::<_, DeskError>(has_delivered || self.shared.tried().contains(&part))
        };
        let has_own_name = !site().url.contains(".example");
        let host = if has_own_name {
            site().url.trim_end_matches('/').to_owned()
        } else {
            format!("http://{}", settings.network.listen)
        };
        let url = "Write it as `url` in content/site.toml.";
        let mut steps = vec![FirstStep {
            command: Some("make publish".into()),
            ..FirstStep::new("Domain", url, has_own_name, None)
        }];
        steps.push(if settings.mail.is_some() {
            let done = works(Part::Mail, DeliveryKind::LeadMail).await?;
            FirstStep::new("Mail", "Send yourself a test mail.", done, Some(Part::Mail))
        } else {
            FirstStep::set_up("Mail", "Name your mail server", "FRONTDOOR_SMTP_URL")
        });
        steps.push(if settings.webhook.is_some() {
            let done = works(Part::Webhook, DeliveryKind::LeadWebhook).await?;
            let what = "Send your automation a test call.";
            FirstStep::new("Webhook", what, done, Some(Part::Webhook))
        } else {
            let what = "If you use an automation, give its address";
            FirstStep {
                optional: true,
                ..FirstStep::set_up("Webhook", what, "FRONTDOOR_WEBHOOK_URL")
            }
        });
        match &self.shared.parts.backups {
            Some(backups) => {
                let (done, part) = (backups.last_known().is_some(), Some(Part::Backup));
                steps.push(FirstStep::new("Backup", "Make the first one.", done, part));
            }
            None if matches!(settings.database, DatabaseUrl::Sqlite(_)) => {
                let what = "Choose a folder for one a day";
                steps.push(FirstStep::set_up("Backup", what, "FRONTDOOR_BACKUP_DIR"));
            }
            // PostgreSQL has its own backups.
            None => {}
        }
        let what = "Send yourself one through the form.";
        steps.push(FirstStep {
            link: Some(format!("{host}/contact")),
            ..FirstStep::new("First lead", what, has_leads, None)
        });
        if steps.iter().all(|step| step.done || step.optional) {
            steps.clear();
        }
        Ok(steps)
    }

    async fn failing(&self) -> Result<Vec<DeliveryRow>, DeskError> {
        let mut rows = Vec::new();
        for state in [DeliveryState::GivenUp, DeliveryState::Pending] {
            let filter = DeliveryFilter {
                state: Some(state),
                tried: true,
                limit: NAMED,
                ..DeliveryFilter::default()
            };
            let found = self.store.deliveries(filter).await?;
            // Retrying doesn't help a visitor's wrong address.
            let failing = found.iter().filter(|each| !each.is_refused);
            rows.extend(failing.map(DeliveryRow::new));
        }
        Ok(rows)
    }
}
