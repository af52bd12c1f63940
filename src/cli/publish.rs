//! `frontdoor publish`: a release of the site for every server of a database.

use std::path::PathBuf;

use bytes::Bytes;
use clap::Args;

use super::Failure;
use super::output::{count, print, tell};
use crate::config::promised;
use crate::content::{RETENTION, Retention};
use crate::http::{self, Release};
use crate::store::{NewRelease, OldRecords, Store};

#[derive(Args, Debug)]
pub struct PublishArgs {
    /// The release, or the folder that the web build has left it in
    #[arg(value_name = "FILE|FOLDER")]
    release: PathBuf,
}

impl PublishArgs {
    /// Read with the rights of whoever runs the command: root's own file too, before
    /// root's commands go on as the owner of the database.
    pub fn read(&self) -> anyhow::Result<Bytes> {
        http::read_release_file(&self.release)
    }
}

pub async fn run(
    args: &PublishArgs,
    bytes: Bytes,
    carried: &'static [u8],
    store: &Store,
) -> Result<(), Failure> {
    let place = args.release.display();
    let refused = |reason: String| Failure::Failed(format!("{place} is not published: {reason}"));
    let release = Release::read(&bytes).map_err(|error| refused(format!("{error:#}")))?;
    let faults = http::release_faults(&release, &http::template_words());
    if !faults.is_empty() {
        for fault in &faults {
            tell!("{fault}");
        }
        let number = count(faults.len() as u64, "reason", "reasons");
        return Err(refused(format!("{number} above")));
    }
    let shown = store.releases().await?;
    if let Some(same) = shown
        .first()
        .filter(|shown| shown.checksum == release.checksum)
    {
        let words = format!(
            "Release {} is published already: nothing has changed.\n",
            same.id
        );
        return Ok(print(&words)?);
    }
    tell_of_shorter_periods(&RETENTION, &release.facts.retention);
    let pages = release.pages() as u64;
    let new = NewRelease {
        checksum: release.checksum,
        pages,
        facts: release.facts_json,
        content: bytes.into(),
        carried: Release::carried(carried)?.checksum,
    };
    let id = store.publish_release(new, store.now()).await?;
    let pages = count(pages, "page", "pages");
    let place = store.place();
    Ok(print(&format!(
        "Release {id} is published in {place}: {pages}. Servers that show what is published do so within a second.\n"
    ))?)
}

/// What will be removed earlier than so far: a slip of the pen is better seen now
/// than missed tomorrow.
fn tell_of_shorter_periods(before: &Retention, after: &Retention) {
    for of in OldRecords::ALL {
        let (before, after) = (promised(of, before), promised(of, after));
        let Some(after) = after.filter(|after| before.is_none_or(|before| *after < before)) else {
            continue;
        };
        let (what, days) = (of.name(), after.as_hours() / 24);
        tell!(
            "From now on {what} are kept for {days} days only; what is older is removed within a day"
        );
    }
}
