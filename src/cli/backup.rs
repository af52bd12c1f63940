//! `frontdoor backup`: a consistent copy while the server runs.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::output::print;
use crate::store::Store;

#[derive(Args, Debug)]
pub struct BackupFile {
    /// Where to write the copy; an existing file is never replaced
    file: PathBuf,
}

pub async fn run(args: &BackupFile, store: &Store) -> Result<(), Failure> {
    store.backup(&args.file).await?;
    Ok(print(&format!("Written to {}\n", args.file.display()))?)
}
