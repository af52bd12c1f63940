//! The command line: one enum of commands, and how each of them ends.

mod check;
mod csv;
mod database;
mod deliveries;
mod help;
mod leads;
mod lists;
mod newsletter;
mod output;
mod owner;
mod records;
mod releases;
mod serve;
mod settings;
mod setup;
mod subscribers;

use std::fmt;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand};

use crate::config::{ConfigError, DatabaseArgs, PromiseArgs, ServeArgs, SettingsFileArgs};
use crate::store::{OpenMode, Store, StoreError};

const AFTER_SERVE_HELP: &str = "\
Every setting is a flag, an environment variable or a line of the settings file;
the flag wins over the variable, and that over the file. An empty value counts as
not set. A secret can be a file of its own: FRONTDOOR_SMTP_URL_FILE=/path, or a
credential of systemd called FRONTDOOR_SMTP_URL. `frontdoor settings` shows what
is in force. A wrong value stops the start with exit code 2, anything else that
prevents it with exit code 1. SIGTERM and SIGINT stop the server once requests in
flight are finished.";

/// The website of a small consultancy: pages, leads and the owner's tools.
#[derive(Parser, Debug)]
#[command(
    name = "frontdoor",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    settings: SettingsFileArgs,
    #[arg(skip)]
    sources: settings::Sources,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve the site
    #[command(next_line_help = true, after_help = AFTER_SERVE_HELP)]
    Serve(ServeArgs),
    /// Make a service of it on a Debian or Ubuntu machine: user, folders,
    /// settings, units, backups, proxy
    #[command(next_line_help = true, after_help = setup::AFTER_HELP)]
    Setup(setup::SetupArgs),
    /// Create the database, or bring it up to date after a backup; the server
    /// does the same when it starts
    Migrate {
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Show the settings that are in force, and where each was set
    #[command(next_line_help = true, after_help = settings::AFTER_HELP)]
    Settings(settings::SettingsArgs),
    /// Check the settings and the database, change nothing; with --live also the
    /// site as visitors reach it
    #[command(next_line_help = true, after_help = check::AFTER_HELP)]
    Check(check::CheckArgs),
    /// The messages of visitors: list, answer, export, forget
    Leads {
        #[command(subcommand)]
        command: leads::LeadsCommand,
        #[command(flatten)]
        database: DatabaseArgs,
        #[command(flatten)]
        promise: PromiseArgs,
    },
    /// List or retry deliveries to the webhook and by mail, or go on with them after
    /// a restore
    Deliveries {
        #[command(subcommand)]
        command: deliveries::DeliveriesCommand,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List, export, import, resume or remove subscribers, or show the proof of
    /// their consent
    Subscribers {
        #[command(subcommand)]
        command: subscribers::SubscribersCommand,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Send an issue of the newsletter, now or later; preview, list or cancel it
    Newsletter {
        #[command(subcommand)]
        command: newsletter::NewsletterCommand,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Print all that is held about a person, in whichever table
    Person {
        #[command(flatten)]
        person: records::PersonArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Remove what was kept long enough; the server does it once a day
    #[command(next_line_help = true)]
    Prune {
        #[command(flatten)]
        prune: records::PruneArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Publish a release of the site: every server of the database shows it at
    /// once. It is checked first, and refused whole
    Publish {
        #[command(flatten)]
        publish: releases::PublishArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List the releases of the site, or go back to an earlier one
    Releases {
        #[command(subcommand)]
        command: releases::ReleasesCommand,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Move everything to another database, of the same kind or the other
    #[command(after_help = database::AFTER_MOVE_HELP)]
    Move(database::MoveArgs),
    /// Write a consistent copy of the database while the server runs
    Backup {
        #[command(flatten)]
        backup: database::BackupArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Print what makes a shell complete our commands
    #[command(after_help = help::AFTER_COMPLETIONS_HELP)]
    Completions(help::CompletionsArgs),
    /// Print the manual page, for `man`
    #[command(after_help = help::AFTER_MAN_HELP)]
    Man,
    /// Put a backup in the place of the database; no server may be using it
    #[command(after_help = database::AFTER_RESTORE_HELP)]
    Restore {
        #[command(flatten)]
        restore: database::RestoreArgs,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

impl Command {
    /// A command without settings works with a broken settings file too.
    fn has_settings(&self) -> bool {
        !matches!(self, Self::Completions(_) | Self::Man | Self::Setup(_))
    }
}

/// Why a command ended early; the line goes to standard error.
#[derive(Debug)]
pub enum Failure {
    /// A setting or an argument is wrong: exit code 2.
    Usage(String),
    /// Something did not work: exit code 1.
    Failed(String),
    /// The database's files were replaced under the server: exit code 3. The
    /// service manager starts it again.
    DatabaseLost(String),
}

impl Failure {
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Failed(_) => ExitCode::from(1),
            Self::DatabaseLost(_) => ExitCode::from(3),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(line) | Self::Failed(line) | Self::DatabaseLost(line)) = self;
        // One line, whatever a library put into its message.
        f.write_str(&line.lines().collect::<Vec<_>>().join(" "))
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(format!("{error:#}"))
    }
}

impl Cli {
    /// `site` is the release that the program carries.
    pub fn run(self, site: &'static [u8]) -> Result<(), Failure> {
        let asked_by_root = rustix::process::geteuid().is_root();
        let done = self.run_command(site);
        done.map_err(|failure| owner::explain(failure, asked_by_root))
    }

    fn run_command(self, site: &'static [u8]) -> Result<(), Failure> {
        match self.command {
            Command::Serve(args) => serve::run(&args, site),
            Command::Setup(args) => setup::run(&args),
            Command::Migrate { database } => database::migrate(&database),
            Command::Settings(args) => settings::run(&args, &self.sources),
            Command::Check(args) => check::run(&args, &self.sources.given, site),
            Command::Leads {
                command,
                database,
                promise,
            } => {
                let promise = promise.load()?.promise;
                with_store(&database, async |store| {
                    leads::run(&command, &store, promise).await
                })
            }
            Command::Deliveries { command, database } => with_store(&database, async |store| {
                deliveries::run(&command, &store).await
            }),
            Command::Subscribers { command, database } => with_store(&database, async |store| {
                subscribers::run(&command, &store).await
            }),
            Command::Newsletter { command, database } => newsletter::run(&command, &database, site),
            Command::Person { person, database } => with_store(&database, async |store| {
                records::person(&person, &store).await
            }),
            Command::Prune { prune, database } => records::prune(&prune, &database),
            Command::Publish { publish, database } => {
                let release = publish.read()?;
                with_store(&database, async |store| {
                    releases::publish(&publish, release, site, &store).await
                })
            }
            Command::Releases { command, database } => with_store(&database, async |store| {
                releases::run(&command, site, &store).await
            }),
            Command::Move(args) => database::move_all(&args),
            Command::Backup { backup, database } => with_store(&database, async |store| {
                database::backup(&backup, &store).await
            }),
            Command::Completions(args) => help::completions(&args),
            Command::Man => help::man(),
            Command::Restore { restore, database } => database::restore(&restore, &database),
        }
    }
}

/// Opens the database that is there already and runs one of the owner's tools.
fn with_store(
    database: &DatabaseArgs,
    tool: impl AsyncFnOnce(Store) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let url = owner::database(database)?;
    block_on(async {
        let store = Store::open(&url, OpenMode::Existing).await?;
        releases::hold_published_facts(&store).await?;
        let done = tool(store.clone()).await;
        tell_of_unreadable(&store);
        // The tool's changes are on disk in any case.
        if let Err(error) = store.close().await {
            output::tell!("frontdoor: {error}");
        }
        done
    })?
}

/// A list leaves out the rows that can't be read, and says so.
fn tell_of_unreadable(store: &Store) {
    let passed = store.health().unreadable();
    if passed.is_empty() {
        return;
    }
    let (one, many) = ("row cannot be read and is", "rows cannot be read and are");
    let number = output::count(passed.len() as u64, one, many);
    let rows: Vec<_> = passed.iter().map(ToString::to_string).collect();
    let rows = output::harmless_line(&rows.join(", "));
    output::tell!("{number} left out: {rows}; `frontdoor check` says what to do");
}

/// Runs what a command does to its end.
fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    Ok(runtime.block_on(work))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Cli;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
