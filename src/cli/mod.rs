//! The command line: one enum of commands, and how each of them ends.

// `println!` and `eprintln!` panic if their reader is gone: see `output.rs`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod check;
mod csv;
mod database;
mod deliveries;
mod desk;
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
mod stats;
mod subscribers;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;
use rustix::process::geteuid;

use crate::config::{ConfigError, DatabaseArgs, PromiseArgs, ServeArgs};
use crate::logging::error_prefix;
use crate::store::{OpenMode, Store};

const AFTER_SERVE_HELP: &str = "\
Every setting is a flag, an environment variable or a line of the settings file;
the flag wins over the variable, and the variable over the file. An empty value
counts as not set. A secret can be in a file of its own: FRONTDOOR_SMTP_URL_FILE=/path.
`frontdoor settings` shows what is in force. An invalid value exits with code 2;
any other failure to start exits with code 1. SIGTERM and SIGINT stop the server
once requests in flight are finished. Under systemd, the server exits with code 3
if its database file was removed or replaced, and is started again.";

const AFTER_COMPLETIONS_HELP: &str = "\
For bash, for example:
  frontdoor completions bash > /etc/bash_completion.d/frontdoor";

const AFTER_MAN_HELP: &str = "\
To read it: frontdoor man | man -l -
To install it: frontdoor man > /usr/local/share/man/man1/frontdoor.1";

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

    /// File with settings, one `NAME=value` per line, for the server and every command; the
    /// environment and flags take precedence
    /// [default: /etc/frontdoor/frontdoor.env where it exists] [env: FRONTDOOR_SETTINGS]
    #[arg(long, value_name = "FILE", help_heading = "Settings", global = true)]
    settings: Option<PathBuf>,
}

/// The arguments of a command that works on the database of the settings.
#[derive(Args, Debug)]
struct DatabaseCommand<T: Args> {
    #[command(flatten)]
    args: T,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// A group of such commands.
#[derive(Args, Debug)]
struct DatabaseCommandGroup<T: Subcommand> {
    #[command(subcommand)]
    command: T,
    #[command(flatten)]
    database: DatabaseArgs,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve the site
    #[command(next_line_help = true, after_help = AFTER_SERVE_HELP)]
    Serve(ServeArgs),
    /// Set up a Debian or Ubuntu server: user, folders, settings, service, backups, proxy
    #[command(next_line_help = true, after_help = setup::AFTER_HELP)]
    Setup(setup::SetupArgs),
    /// Create the database, or back it up and upgrade it; the server does the same when it starts
    Migrate(DatabaseArgs),
    /// Show the settings in force, and where each was set
    #[command(next_line_help = true, after_help = settings::AFTER_HELP)]
    Settings(settings::SettingsArgs),
    /// Check settings and database without changing anything; with --live also the site as
    /// visitors reach it
    #[command(next_line_help = true, after_help = check::AFTER_HELP)]
    Check(check::CheckArgs),
    /// List, answer, export, import or forget visitors' messages
    Leads {
        #[command(flatten)]
        commands: DatabaseCommandGroup<leads::LeadsCommand>,
        #[command(flatten)]
        promise: PromiseArgs,
    },
    /// List or retry deliveries to the webhook and by mail; resume sending after a restore
    Deliveries(DatabaseCommandGroup<deliveries::DeliveriesCommand>),
    /// List, export, import, unsuspend or remove subscribers; show the proof of their consent
    Subscribers(DatabaseCommandGroup<subscribers::SubscribersCommand>),
    /// Send a newsletter issue, now or later; preview, list or cancel issues
    Newsletter(DatabaseCommandGroup<newsletter::NewsletterCommand>),
    /// Open the owner's desk in a browser; list signed-in browsers or sign them out
    Desk(DatabaseCommandGroup<desk::DeskCommand>),
    /// Show visits, and the leads and booked calls that came from them
    #[command(next_line_help = true)]
    Stats(DatabaseCommand<stats::StatsArgs>),
    /// Show everything that is stored about a person
    Person(DatabaseCommand<records::PersonArgs>),
    /// Delete records that have been kept long enough; the server does so once a day
    #[command(next_line_help = true)]
    Prune(DatabaseCommand<records::PruneArgs>),
    /// Check a release of the site and publish it: all servers on this database show it at once
    Publish(DatabaseCommand<releases::PublishArgs>),
    /// List the releases of the site, or show an earlier one again
    Releases(DatabaseCommandGroup<releases::ReleasesCommand>),
    /// Copy everything to another database, SQLite or PostgreSQL, and compare the two
    #[command(after_help = database::AFTER_MOVE_HELP)]
    Move(database::MoveArgs),
    /// Write a consistent copy of the database while the server runs
    Backup(DatabaseCommand<database::BackupArgs>),
    /// Replace the database with a backup; stop the server first
    #[command(after_help = database::AFTER_RESTORE_HELP)]
    Restore(DatabaseCommand<database::RestoreArgs>),
    /// Print a script that lets your shell complete the commands
    #[command(after_help = AFTER_COMPLETIONS_HELP)]
    Completions {
        /// The shell that runs the script
        shell: Shell,
    },
    /// Print the manual in the format of `man`
    #[command(after_help = AFTER_MAN_HELP)]
    Man,
}

/// An invalid setting or argument: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UsageError(String);

macro_rules! bail_usage {
    ($($words:tt)*) => {
        return Err($crate::cli::UsageError(format!($($words)*)).into())
    };
}
use bail_usage;

/// The database's files were replaced under the server: exit code 3. The service manager
/// starts it again.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct DatabaseLost(String);

/// Runs the command of the command line, and reports why it failed, if it did. `built_in` is the
/// release inside the program.
pub fn run(built_in: &'static [u8]) -> ExitCode {
    let asked_by_root = geteuid().is_root();
    let done = Cli::read().and_then(|cli| cli.command.run(built_in));
    let Err(error) = done.map_err(|error| owner::explain(error, asked_by_root)) else {
        return ExitCode::SUCCESS;
    };
    // One line, whatever a library put into its message.
    let line = format!("{error:#}").lines().collect::<Vec<_>>().join(" ");
    output::eprint_line!("{}frontdoor: {line}", error_prefix(io::stderr()));
    let is_usage = error.is::<UsageError>() || error.is::<ConfigError>();
    match error.is::<DatabaseLost>() {
        true => ExitCode::from(3),
        false if is_usage => ExitCode::from(2),
        false => ExitCode::FAILURE,
    }
}

impl Cli {
    /// Ends the program if the command line is wrong or asks for help.
    fn read() -> Result<Self> {
        let mut command = Self::command();
        if !output::is_terminal() {
            // In a pipe, help isn't wrapped.
            command = command.term_width(0);
        }
        let read = Self::from_arg_matches(&command.get_matches());
        let cli = read.unwrap_or_else(|error| error.exit());
        match cli.command {
            // These commands must work with a broken settings file, too.
            Command::Completions { .. } | Command::Man => {}
            _ => settings::collect(cli.settings.clone())?,
        }
        Ok(cli)
    }
}

impl Command {
    fn run(self, built_in: &'static [u8]) -> Result<()> {
        match self {
            Self::Serve(args) => serve::run(&args, built_in),
            Self::Setup(args) => setup::run(&args),
            Self::Migrate(database) => database::migrate(&database),
            Self::Settings(args) => settings::run(&args),
            Self::Check(args) => check::run(&args, built_in),
            Self::Leads { commands, promise } => {
                let promise = promise.load()?.promise;
                commands.run(async |command, store| leads::run(command, store, promise).await)
            }
            Self::Deliveries(commands) => commands.run(deliveries::run),
            Self::Subscribers(commands) => commands.run(subscribers::run),
            Self::Newsletter(commands) => {
                commands.run(async |command, store| newsletter::run(command, built_in, store).await)
            }
            Self::Desk(commands) => commands.run(desk::run),
            Self::Stats(command) => command.run(stats::run),
            Self::Person(command) => command.run(records::person),
            Self::Prune(command) => command.run(records::prune),
            Self::Publish(command) => {
                // Read before the change to the database's owner, because only root may be able to.
                let release = command.args.read()?;
                command.run(async |args, store| {
                    releases::publish(args, release, built_in, store).await
                })
            }
            Self::Releases(commands) => {
                commands.run(async |command, store| releases::run(command, built_in, store).await)
            }
            Self::Move(args) => database::move_all(&args),
            Self::Backup(command) => command.run(database::backup),
            Self::Completions { shell } => completions(shell),
            Self::Man => man(),
            Self::Restore(command) => database::restore(&command.args, &command.database),
        }
    }
}

impl<T: Args> DatabaseCommand<T> {
    fn run(&self, work: impl AsyncFnOnce(&T, &Store) -> Result<()>) -> Result<()> {
        with_store(&self.database, async |store| work(&self.args, store).await)
    }
}

impl<T: Subcommand> DatabaseCommandGroup<T> {
    fn run(&self, work: impl AsyncFnOnce(&T, &Store) -> Result<()>) -> Result<()> {
        with_store(&self.database, async |store| {
            work(&self.command, store).await
        })
    }
}

/// Opens the existing database and runs a command on it.
fn with_store(
    database: &DatabaseArgs,
    command: impl AsyncFnOnce(&Store) -> Result<()>,
) -> Result<()> {
    let url = owner::database(database)?;
    block_on(async {
        let store = Store::open(&url, OpenMode::Existing).await?;
        releases::use_published_facts(&store).await?;
        let done = command(&store).await;
        report_unreadable(&store);
        // The command's changes are on disk even if closing fails.
        if let Err(error) = store.close().await {
            output::eprint_line!("frontdoor: {error}");
        }
        done
    })
}

/// Names the rows that a list left out because they can't be read.
fn report_unreadable(store: &Store) {
    let skipped = store.health().unreadable();
    if skipped.is_empty() {
        return;
    }
    let (one, many) = ("row can't be read and is", "rows can't be read and are");
    let number = output::count(skipped.len() as u64, one, many);
    let rows: Vec<_> = skipped.iter().map(ToString::to_string).collect();
    let rows = output::printable_line(&rows.join(", "));
    output::eprint_line!("{number} left out: {rows}; `frontdoor check` says what to do");
}

/// Runs a command's work to its end.
fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("can't start the program's runtime")?;
    runtime.block_on(work)
}

fn completions(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "frontdoor", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// Prints a page for the program and one for each command.
fn man() -> Result<()> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    let mut waiting = vec![command];
    while let Some(command) = waiting.pop() {
        let inner: Vec<_> = command.get_subcommands().cloned().collect();
        waiting.extend(inner.into_iter().rev());
        let written = Man::new(command).render(&mut pages);
        written.context("can't write the manual")?;
    }
    output::print(&String::from_utf8_lossy(&pages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
