//! `frontdoor setup`: from an empty Debian or Ubuntu machine to a running
//! service. Run again it changes nothing; what somebody has changed is kept.

mod advice;
mod answers;
mod files;
mod password;
mod place;
mod settings_file;
mod steps;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rustix::process::geteuid;

use super::Failure;
use super::output::print;
use answers::Answers;
use place::Placed;
use steps::Step;

pub const AFTER_HELP: &str = "\
On a terminal it asks for what is not given. A file that somebody has changed is
kept, and the new one written beside it as FILE.new; the example that a package
brought is replaced. Then it names the DNS records to set and the next step. In a
script give passwords by the environment: everybody on the machine sees flags.";

#[derive(Args, Debug)]
pub struct SetupArgs {
    /// The site's name, like www.example.com
    #[arg(long, value_name = "NAME")]
    domain: Option<String>,

    /// Mail server, as FRONTDOOR_SMTP_URL has it, like
    /// `smtps://you%40example.com:p%40ssword@mail.example.com:465` (an `@` in the name or the
    /// password is written `%40`); empty: none
    #[arg(
        long,
        value_name = "URL",
        env = "FRONTDOOR_SMTP_URL",
        hide_env_values = true
    )]
    smtp_url: Option<String>,

    /// Who gets a mail about each new lead, as FRONTDOOR_NOTIFY_EMAIL has it; empty: the
    /// site's address
    #[arg(long, value_name = "MAILBOXES", env = "FRONTDOOR_NOTIFY_EMAIL")]
    notify_email: Option<String>,

    /// Automation webhook, as FRONTDOOR_WEBHOOK_URL has it; empty: none
    #[arg(
        long,
        value_name = "URL",
        env = "FRONTDOOR_WEBHOOK_URL",
        hide_env_values = true
    )]
    webhook_url: Option<String>,

    /// Who stands in front of it and has the certificate
    #[arg(long, value_enum, default_value_t = Proxy::Caddy)]
    proxy: Proxy,

    /// Show every step and every file, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Write everything under this folder, and start nothing
    #[arg(long, value_name = "FOLDER", default_value = "/")]
    root: PathBuf,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proxy {
    Caddy,
    Nginx,
    None,
}

pub fn run(args: &SetupArgs) -> Result<(), Failure> {
    if !args.dry_run && !geteuid().is_root() {
        return Err(Failure::Usage("setup must be run as root".into()));
    }
    let answers = Answers::gather(args)?;
    let files = files::all(&answers, args.proxy, &args.root)?;
    let steps = steps::all(&args.root);
    if args.dry_run {
        for file in &files {
            print(&file.shown())?;
        }
        for step in &steps {
            print(&format!("run {step}\n"))?;
        }
    } else {
        carry_out(&files, &steps, &args.root)?;
    }
    Ok(print(&advice::text(&answers, args.proxy, &args.root))?)
}

fn carry_out(files: &[files::File], steps: &[Step], root: &Path) -> Result<(), Failure> {
    for file in files {
        let line = match place::place(file, root)? {
            Placed::Written => format!("written    {}", file.path),
            Placed::Unchanged => format!("as it is   {}", file.path),
            Placed::Over(package) => {
                format!("written    {}, over the example of {package}", file.path)
            }
            Placed::Beside(new) => format!("kept       {}; the new one is {new}", file.path),
        };
        print(&format!("{line}\n"))?;
    }
    for step in steps {
        step.run()?;
        print(&format!("done       {step}\n"))?;
    }
    Ok(())
}
