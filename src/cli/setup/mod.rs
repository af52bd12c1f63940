//! `frontdoor setup`: turns an empty Debian or Ubuntu machine into a running service. A second
//! run changes nothing, and files that somebody has changed are kept.

mod files;

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rustix::process::geteuid;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use url::{Host, Url};

use super::bail_usage;
use super::output::{eprint, print, print_line, read_line};
use crate::config::{DeclaredSetting, ServeArgs, Settings};

pub const AFTER_HELP: &str = "\
On a terminal it asks for the site's name, the desk's, the mail server and who is
notified of new leads. Settings in the environment go into the settings file:
FRONTDOOR_WEBHOOK_URL=… frontdoor setup. A file that somebody has changed is kept,
and the new one is written beside it as FILE.new; an example from a package is
replaced. At the end it names the DNS records to set and the next step.";

const DATABASE: &str = "sqlite:///var/lib/frontdoor/frontdoor.db";
const BACKUPS: &str = "/var/backups/frontdoor";

#[derive(Args, Debug)]
pub struct SetupArgs {
    /// The site's name, like www.example.com
    #[arg(long, value_name = "NAME")]
    domain: Option<String>,

    /// The desk's name, like desk.example.com; without one, the desk can be opened on this
    /// machine only
    #[arg(long, value_name = "NAME")]
    desk: Option<String>,

    /// The web server in front of the site, which has the certificate
    #[arg(long, value_enum, default_value_t = Proxy::Caddy)]
    proxy: Proxy,

    /// Show the files and the steps, and change nothing
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

/// The names that lead to the site.
pub struct Names {
    /// The site's name, in ASCII as in DNS.
    domain: String,
    /// The same name without `www.`, or with it.
    other: String,
    desk: Option<String>,
}

pub fn run(args: &SetupArgs) -> Result<()> {
    if !args.dry_run && !geteuid().is_root() {
        bail_usage!("setup must be run as root: use sudo, or --dry-run to see what it would do");
    }
    let domain = match &args.domain {
        Some(domain) => Some(domain.clone()),
        None => ask("Name of the site, like www.example.com: ")?,
    };
    let mut names = names(domain.unwrap_or_default().trim())?;
    let settings = settings(args, &mut names)?;
    for file in files::all(&names, &settings, args)? {
        if args.dry_run {
            print_line!("{}", file.shown())?
        } else {
            print_line!("{}", file.install(&args.root)?)?
        }
    }
    for step in steps(&args.root) {
        let line = step.join(" ");
        if args.dry_run {
            print_line!("run {line}")?
        } else {
            run_step(&step)?;
            print_line!("done       {line}")?;
        }
    }
    print(&advice(&names, args))
}

fn names(text: &str) -> Result<Names> {
    if text.is_empty() {
        bail_usage!("add --domain: the site needs a name, like www.example.com");
    }
    let Some(domain) = host_name(text) else {
        bail_usage!("--domain: must be a name like www.example.com");
    };
    let other = match domain.strip_prefix("www.") {
        Some(apex) => apex.to_owned(),
        None => format!("www.{domain}"),
    };
    Ok(Names {
        domain,
        other,
        desk: None,
    })
}

fn host_name(text: &str) -> Option<String> {
    let is_plain = !text.contains(['/', ':', '@', '?', '#', '%']);
    let url = Url::parse(&format!("https://{text}/")).ok()?;
    match url.host().filter(|_| is_plain)? {
        Host::Domain(name) if name.contains('.') && !name.starts_with('.') => {
            Some(name.trim_end_matches('.').to_owned())
        }
        _ => None,
    }
}

/// The desk's URL, from the name that the owner has given or gives now.
fn desk_url(args: &SetupArgs, names: &Names) -> Result<Option<String>> {
    let question = "Name of your desk, like desk.example.com (empty: only on this machine): ";
    let given = args.desk.clone();
    let given = given.map_or_else(|| ask(question), |name| Ok(Some(name)))?;
    let Some(name) = given.filter(|name| !name.trim().is_empty()) else {
        return Ok(None);
    };
    match host_name(name.trim()) {
        Some(name) if ![&names.domain, &names.other].contains(&&name) => {
            Ok(Some(format!("https://{name}")))
        }
        _ => bail_usage!("--desk: must be a name of its own, like desk.example.com"),
    }
}

/// What is already set, what a service needs, and the owner's answers.
fn settings(args: &SetupArgs, names: &mut Names) -> Result<Vec<DeclaredSetting>> {
    let mut settings = ServeArgs::default();
    let set = settings.rows();
    let found = |name| {
        let row = set.iter().find(|row| row.name == name)?;
        Some(row.found.as_ref()?.value.clone())
    };
    let or = |name, value: &str| Some(found(name).unwrap_or(value.into()));
    settings.database.database_url = or("DATABASE_URL", DATABASE);
    settings.backup.backup_dir = or("FRONTDOOR_BACKUP_DIR", BACKUPS);
    if args.proxy != Proxy::None {
        settings.network.trusted_proxies = or("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1,::1");
    }
    settings.desk.desk_url = match found("FRONTDOOR_DESK_URL").filter(|_| args.desk.is_none()) {
        Some(url) => Some(url),
        None => desk_url(args, names)?,
    };
    let desk = settings.desk.desk_url.as_ref();
    names.desk = desk.and_then(|url| host_name(Url::parse(url).ok()?.host_str()?));
    if found("FRONTDOOR_SMTP_URL").is_none() {
        let answer = ask("Mail server, smtps://USER@HOST (empty: no mail): ")?;
        settings.mail.smtp_url = answer.map(|url| with_password(&url)).transpose()?;
    }
    Settings::load(&settings)?;
    if found("FRONTDOOR_NOTIFY_EMAIL").is_none() {
        let question = "Who is notified of new leads (empty: the site's address): ";
        settings.mail.notify_email = ask(question)?;
    }
    Settings::load(&settings)?;
    Ok(settings.rows())
}

/// Asks a question; `None` if standard input isn't a terminal.
fn ask(question: &str) -> Result<Option<String>> {
    if !io::stdin().is_terminal() {
        return Ok(None);
    }
    eprint(question);
    let answer = read_line()?;
    if answer.is_empty() {
        bail!("no answer: nothing was set up");
    }
    Ok(Some(answer.trim().to_owned()))
}

/// Asks for the password if the address has only a user, and adds it, percent-encoded.
fn with_password(address: &str) -> Result<String> {
    let url = Url::parse(address).ok();
    let lacks_it = |url: &Url| !url.username().is_empty() && url.password().is_none();
    let Some(mut url) = url.filter(lacks_it) else {
        return Ok(address.to_owned());
    };
    let hide = "can't hide what is typed";
    let before = tcgetattr(io::stdin()).context(hide)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    silent.local_modes.insert(LocalModes::ECHONL);
    tcsetattr(io::stdin(), OptionalActions::Now, &silent).context(hide)?;
    eprint("Its password (not shown while you type): ");
    let typed = read_line();
    let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    let typed = typed?;
    let password = typed.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        bail!("no password: nothing was set up");
    }
    let password = utf8_percent_encode(password, NON_ALPHANUMERIC).to_string();
    // Fails only for an address without a host, which the check of the settings reports.
    let _ = url.set_password(Some(&password));
    Ok(url.into())
}

/// The commands to run once the files are there. Nothing is started under another root.
fn steps(root: &Path) -> Vec<Vec<String>> {
    let split = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut steps = vec![
        split("systemd-sysusers frontdoor.conf"),
        split("systemd-tmpfiles --create frontdoor.conf"),
    ];
    if root == Path::new("/") {
        let start = "systemctl enable --now frontdoor.socket frontdoor.service";
        steps.push(split(start));
    } else {
        for step in &mut steps {
            step.insert(1, format!("--root={}", root.display()));
        }
    }
    steps
}

fn run_step(step: &[String]) -> Result<()> {
    let line = step.join(" ");
    let output = Command::new(&step[0]).args(&step[1..]).output();
    let output = output.map_err(|error| {
        anyhow!("can't run `{line}`: {error}; setup is for Debian and Ubuntu with systemd")
    })?;
    if output.status.success() {
        Ok(())
    } else {
        bail!(
            "`{line}` failed: {} Fix it and run setup again; completed steps are kept.",
            String::from_utf8_lossy(&output.stderr).trim()
        )
    }
}

/// The steps that setup can't take itself: the proxy's own package, DNS, the firewall.
fn advice(names: &Names, args: &SetupArgs) -> String {
    let in_front = in_front(names, args);
    let mut text = format!("\nIn front of it:\n  {in_front}\n\nDNS records to set:\n");
    for name in [&names.domain, &names.other].into_iter().chain(&names.desk) {
        text += &format!(
            "  {name}.  A     this machine's IPv4 address\n  \
            {name}.  AAAA  this machine's IPv6 address, if it has one\n"
        );
    }
    if args.proxy != Proxy::None {
        text += "\nFirewall:\n  ufw allow 80/tcp && ufw allow 443/tcp\n  \
            8080 (the site), 8081 (the desk) and 9090 (health, metrics) listen on 127.0.0.1 and stay \
            closed.\n";
    }
    if names.desk.is_none() {
        text += "\nTo open the desk from your computer, leave this running there:\n  \
            ssh -L 8081:127.0.0.1:8081 THIS-MACHINE\n";
    }
    text + "\nNext, once the names point here:\n  \
        frontdoor check --live   # it names the records for mail that are missing, too\n  \
        frontdoor desk open      # prints the link that opens the desk in your browser\n"
}

fn in_front(names: &Names, args: &SetupArgs) -> String {
    let all = [&names.domain, &names.other].into_iter().chain(&names.desk);
    let all: String = all.map(|name| format!(" -d {name}")).collect();
    let has = |program| args.root.join(program).exists();
    match args.proxy {
        Proxy::Caddy if has("usr/bin/caddy") => {
            "systemctl reload caddy   # it gets its certificates by itself".into()
        }
        // Without the option, the package asks whether its example should replace our file.
        Proxy::Caddy => "apt-get install --option Dpkg::Options::=--force-confold caddy".into(),
        // The certificate comes first: without it nginx doesn't start, and can't be installed.
        Proxy::Nginx => {
            let last = if has("usr/sbin/nginx") {
                "nginx -t && systemctl reload nginx"
            } else {
                "apt-get install nginx"
            };
            format!(
                "apt-get install certbot\n  \
                certbot certonly --standalone --pre-hook \"systemctl stop nginx\" \
                --post-hook \"systemctl start nginx\"{all}\n  {last}"
            )
        }
        Proxy::None => {
            "No proxy was set up: the site speaks plain HTTP on 127.0.0.1:8080. Visitors \
            need TLS."
                .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_domain_is_a_name_in_the_letters_of_dns() {
        for (typed, name, other) in [
            ("WWW.Example.com.", "www.example.com", "example.com"),
            (
                "müller.example",
                "xn--mller-kva.example",
                "www.xn--mller-kva.example",
            ),
        ] {
            let names = names(typed).unwrap();
            assert_eq!((&*names.domain, &*names.other), (name, other));
        }
        for wrong in ["", "localhost", "192.0.2.1", "https://a.example", "a b.c"] {
            assert!(names(wrong).is_err(), "{wrong}");
        }
    }
}
