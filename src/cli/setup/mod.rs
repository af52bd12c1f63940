//! `frontdoor setup`: from an empty Debian or Ubuntu machine to a running
//! service. Run again it changes nothing; what somebody has changed is kept.

mod answers;
mod files;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use rustix::process::geteuid;
use url::Url;

use super::Usage;
use super::output::{print, say};
use crate::content::site;
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

    /// Mail server, like `smtps://you%40example.com:p%40ssword@mail.example.com:465` (write
    /// an `@` in the name or the password as `%40`); empty: none [env: FRONTDOOR_SMTP_URL]
    #[arg(long, value_name = "URL")]
    smtp_url: Option<String>,

    /// Addresses to notify of each new lead, separated by commas; empty: the site's
    /// address [env: FRONTDOOR_NOTIFY_EMAIL]
    #[arg(long, value_name = "MAILBOXES")]
    notify_email: Option<String>,

    /// Automation webhook; empty: none [env: FRONTDOOR_WEBHOOK_URL]
    #[arg(long, value_name = "URL")]
    webhook_url: Option<String>,

    /// The proxy in front of it, which has the certificate
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

pub fn run(args: &SetupArgs) -> Result<()> {
    if !args.dry_run && !geteuid().is_root() {
        bail!(Usage("setup must be run as root".into()));
    }
    let answers = Answers::gather(args)?;
    for file in files::all(&answers, args.proxy, &args.root)? {
        match args.dry_run {
            true => print(&file.shown())?,
            false => say!("{}", file.place(&args.root)?)?,
        }
    }
    for step in steps(&args.root) {
        let line = step.join(" ");
        match args.dry_run {
            true => say!("run {line}")?,
            false => {
                run_step(&step)?;
                say!("done       {line}")?;
            }
        }
    }
    print(&advice(&answers, args.proxy, &args.root))
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

fn run_step(step: &[String]) -> Result<()> {
    let line = step.join(" ");
    let output = Command::new(&step[0]).args(&step[1..]).output();
    let output = output.map_err(|error| {
        anyhow!("cannot run `{line}`: {error}; setup is for Debian and Ubuntu with systemd")
    })?;
    match output.status.success() {
        true => Ok(()),
        false => bail!(
            "`{line}` failed: {} Fix it and run setup again: what is done stays done.",
            String::from_utf8_lossy(&output.stderr).trim()
        ),
    }
}

/// The steps that setup can't take itself: the proxy's own package, DNS, the firewall.
fn advice(answers: &Answers, proxy: Proxy, root: &Path) -> String {
    let (domain, other) = (&answers.domain, answers.other_domain());
    let in_front = in_front(proxy, root, domain, &other);
    let mut text = format!("\nIn front of it:\n  {in_front}\n\nDNS records to set:\n");
    for name in [domain, &other] {
        text += &format!(
            "  {name}.  A     this machine's IPv4 address\n  \
            {name}.  AAAA  this machine's IPv6 address, if it has one\n"
        );
    }
    if answers.value("FRONTDOOR_SMTP_URL").is_some() {
        let email = &site().email;
        let sender = email.rsplit('@').next().unwrap_or(domain);
        text += &format!(
            "  {sender}.  TXT   \"v=spf1 include:YOUR-MAIL-PROVIDER -all\"  \
            (SPF: your provider says which name)\n  \
            SELECTOR._domainkey.{sender}.  TXT or CNAME  (DKIM: from your provider)\n  \
            _dmarc.{sender}.  TXT   \"v=DMARC1; p=quarantine; rua=mailto:{email}\"\n"
        );
    }
    if proxy != Proxy::None {
        text += "\nFirewall:\n  ufw allow 80/tcp && ufw allow 443/tcp\n  \
            8080 (the site) and 9090 (health, metrics) listen on 127.0.0.1 and stay closed.\n";
    }
    let built_for = Url::parse(&site().url).ok();
    let built_for = built_for.as_ref().and_then(Url::host_str);
    if let Some(name) = built_for.filter(|name| name != domain) {
        text += &format!(
            "\nThe pages:\n  They were built for {name}: set `url` in content/site.toml and build \
            again.\n"
        );
    }
    text + "\nNext, once the names point here:\n  frontdoor check --live\n"
}

fn in_front(proxy: Proxy, root: &Path, domain: &str, other: &str) -> String {
    match proxy {
        Proxy::Caddy if root.join("usr/bin/caddy").exists() => {
            "systemctl reload caddy   # it gets its certificates by itself".into()
        }
        // Without the option the package asks whether its example should replace our file.
        Proxy::Caddy => "apt-get install --option Dpkg::Options::=--force-confold caddy".into(),
        // The certificate comes first: without it nginx doesn't start, and can't be installed.
        Proxy::Nginx => {
            let last = match root.join("usr/sbin/nginx").exists() {
                true => "nginx -t && systemctl reload nginx",
                false => "apt-get install nginx",
            };
            format!(
                "apt-get install certbot\n  \
                certbot certonly --standalone --pre-hook \"systemctl stop nginx\" \
                --post-hook \"systemctl start nginx\" -d {domain} -d {other}\n  {last}"
            )
        }
        Proxy::None => {
            "No proxy was set up: the site speaks plain HTTP on 127.0.0.1:8080. Visitors \
            need TLS."
                .into()
        }
    }
}
