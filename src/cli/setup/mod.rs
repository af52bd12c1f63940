//! `frontdoor setup`: from an empty Debian or Ubuntu machine to a running
//! service. Run again it changes nothing; what somebody has changed is kept.

mod answers;
mod files;

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueEnum};
use rustix::process::geteuid;
use url::Url;

use super::Failure;
use super::output::print;
use crate::content::SITE;
use answers::Answers;

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

    /// The proxy that stands in front of it and has the certificate
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
    for file in files::all(&answers, args.proxy, &args.root)? {
        match args.dry_run {
            true => print(&file.shown())?,
            false => print(&format!("{}\n", file.place(&args.root)?))?,
        }
    }
    for step in steps(&args.root) {
        let line = step.join(" ");
        match args.dry_run {
            true => print(&format!("run {line}\n"))?,
            false => {
                run_step(&step)?;
                print(&format!("done       {line}\n"))?;
            }
        }
    }
    Ok(print(&advice(&answers, args.proxy, &args.root))?)
}

/// The commands to run once the files are there. Nothing is started under another root.
fn steps(root: &Path) -> Vec<Vec<String>> {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut steps = vec![
        words("systemd-sysusers frontdoor.conf"),
        words("systemd-tmpfiles --create frontdoor.conf"),
    ];
    match root == Path::new("/") {
        true => {
            steps.push(words("systemctl daemon-reload"));
            let start = "systemctl enable --now frontdoor.socket frontdoor.service";
            steps.push(words(start));
        }
        false => {
            let elsewhere = format!("--root={}", root.display());
            steps
                .iter_mut()
                .for_each(|step| step.insert(1, elsewhere.clone()));
        }
    }
    steps
}

fn run_step(step: &[String]) -> Result<(), Failure> {
    let line = step.join(" ");
    let output = Command::new(&step[0]).args(&step[1..]).output();
    let output = output.map_err(|error| {
        Failure::Failed(format!(
            "cannot run `{line}`: {error}; setup is for Debian and Ubuntu with systemd"
        ))
    })?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Failure::Failed(format!(
            "`{line}` failed: {} Fix it and run setup again: what is done stays done.",
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}

/// The steps that setup can't take itself: DNS, the firewall, the proxy's own package.
fn advice(answers: &Answers, proxy: Proxy, root: &Path) -> String {
    let firewall: &[&str] = match proxy {
        Proxy::None => &[],
        _ => &[
            "ufw allow 80/tcp && ufw allow 443/tcp",
            "8080 (the site) and 9090 (health, metrics) listen on 127.0.0.1 and stay closed.",
        ],
    };
    let built_for = Url::parse(&SITE.url).ok();
    let built_for = built_for.as_ref().and_then(Url::host_str);
    // The name is in the pages, too, since they were built.
    let pages = built_for
        .filter(|name| *name != answers.domain)
        .map(|name| {
            format!("They were built for {name}: set `url` in content/site.toml and build again.")
        });
    let mut text = String::new();
    for (heading, lines) in [
        ("In front of it:", in_front(answers, proxy, root)),
        ("DNS records to set:", records(answers)),
        (
            "Firewall:",
            firewall.iter().map(|line| (*line).to_owned()).collect(),
        ),
        ("The pages:", pages.into_iter().collect()),
        (
            "Next, once the names lead here:",
            vec!["frontdoor check --live".to_owned()],
        ),
    ] {
        if !lines.is_empty() {
            text += &format!("\n{heading}\n  {}\n", lines.join("\n  "));
        }
    }
    text
}

fn in_front(answers: &Answers, proxy: Proxy, root: &Path) -> Vec<String> {
    let (domain, other) = (&answers.domain, answers.other_domain());
    match proxy {
        Proxy::Caddy if root.join("usr/bin/caddy").exists() => {
            vec!["systemctl reload caddy   # it gets its certificates by itself".into()]
        }
        // The package asks whether its example shall replace what stands there.
        Proxy::Caddy => {
            vec!["apt-get install --option Dpkg::Options::=--force-confold caddy".into()]
        }
        // Without its certificate nginx does not start, nor is it installed: that comes first.
        Proxy::Nginx => vec![
            "apt-get install certbot".into(),
            format!(
                "certbot certonly --standalone --pre-hook \"systemctl stop nginx\" --post-hook \"systemctl start nginx\" -d {domain} -d {other}"
            ),
            match root.join("usr/sbin/nginx").exists() {
                true => "nginx -t && systemctl reload nginx",
                false => "apt-get install nginx",
            }
            .into(),
        ],
        Proxy::None => vec![
            "Nothing was set up: the site speaks plain HTTP on 127.0.0.1:8080. Visitors need TLS."
                .into(),
        ],
    }
}

fn records(answers: &Answers) -> Vec<String> {
    let (domain, other) = (&answers.domain, answers.other_domain());
    let mut records = Vec::new();
    for name in [domain, &other] {
        records.push(format!("{name}.  A     this machine's IPv4 address"));
        records.push(format!(
            "{name}.  AAAA  this machine's IPv6 address, if it has one"
        ));
    }
    if answers.value("FRONTDOOR_SMTP_URL").is_some() {
        let email = &SITE.email;
        let sender = email.rsplit('@').next().unwrap_or(domain);
        records.extend([
            format!(
                "{sender}.  TXT   \"v=spf1 include:YOUR-MAIL-PROVIDER -all\"  (SPF: its name is the provider's)"
            ),
            format!("SELECTOR._domainkey.{sender}.  TXT or CNAME  (DKIM: the provider gives it)"),
            format!("_dmarc.{sender}.  TXT   \"v=DMARC1; p=quarantine; rua=mailto:{email}\""),
        ]);
    }
    records
}
