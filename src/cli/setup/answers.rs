//! The answers that setup needs, from flags or from the terminal, checked before
//! anything is written.

use std::io::{self, IsTerminal as _};

use anyhow::{Context as _, Result, bail};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use url::{Host, Url};

use super::{Proxy, SetupArgs};
use crate::cli::Usage;
use crate::cli::output::{aside, read_line, tell};
use crate::config::{ConfigError, ServeArgs, Settings};
use crate::content::site;

pub struct Answers {
    /// In the letters of DNS.
    pub domain: String,
    /// The values, by the names of the settings.
    values: Vec<(&'static str, String)>,
}

impl Answers {
    pub fn gather(args: &SetupArgs) -> Result<Self> {
        let question = "Name of the site, like www.example.com: ";
        let mut answers = Self {
            domain: ask(args.domain.as_deref(), question, |text, _| domain(text))?,
            values: vec![
                (
                    "DATABASE_URL",
                    "sqlite:///var/lib/frontdoor/frontdoor.db".to_owned(),
                ),
                ("FRONTDOOR_BACKUP_DIR", "/var/backups/frontdoor".to_owned()),
            ],
        };
        if args.proxy != Proxy::None {
            let proxies = "127.0.0.1,::1".to_owned();
            answers.values.push(("FRONTDOOR_TRUSTED_PROXIES", proxies));
        }
        let question = "Mail server, smtps://USER@HOST (empty: no mail): ";
        answers.ask("FRONTDOOR_SMTP_URL", &args.smtp_url, question)?;
        if answers.value("FRONTDOOR_SMTP_URL").is_some() || args.notify_email.is_some() {
            let email = &site().email;
            let question =
                format!("Addresses to notify of new leads, separated by commas (empty: {email}): ");
            answers.ask("FRONTDOOR_NOTIFY_EMAIL", &args.notify_email, &question)?;
        }
        let question = "Webhook of your automation (empty: none): ";
        answers.ask("FRONTDOOR_WEBHOOK_URL", &args.webhook_url, question)?;
        Ok(answers)
    }

    /// An empty answer leaves the setting out.
    fn ask(&mut self, name: &'static str, flag: &Option<String>, question: &str) -> Result<()> {
        let given = flag.clone().or_else(|| std::env::var(name).ok());
        let value = ask(given.as_deref(), question, |answer, is_typed| {
            let value = match name {
                "FRONTDOOR_SMTP_URL" if is_typed => with_password(answer)?,
                "FRONTDOOR_NOTIFY_EMAIL" => answer.replace(' ', ""),
                _ => answer.to_owned(),
            };
            check(name, &value).map(|()| value)
        })?;
        if !value.is_empty() {
            self.values.push((name, value));
        }
        Ok(())
    }

    /// The name that leads here too: with `www.` the one without, and the other
    /// way round.
    pub fn other_domain(&self) -> String {
        match self.domain.strip_prefix("www.") {
            Some(apex) => apex.to_owned(),
            None => format!("www.{}", self.domain),
        }
    }

    pub fn value(&self, name: &str) -> Option<&str> {
        let set = self.values.iter().find(|(set, _)| *set == name);
        set.map(|(_, value)| value.as_str())
    }
}

/// Checks a setting as the server will read it.
fn check(name: &str, value: &str) -> Result<()> {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "'\"\\".contains(c);
    if value.contains(odd) {
        bail!(Usage(format!(
            "{name}: must not contain spaces, quotes or backslashes; in an address, write them \
            as %20, %27, %22 and %5C"
        )));
    }
    let mut args = ServeArgs::default();
    let value = Some(value.to_owned());
    match name {
        "FRONTDOOR_SMTP_URL" => args.mail.smtp_url = value,
        "FRONTDOOR_NOTIFY_EMAIL" => args.mail.notify_email = value,
        _ => args.webhook.webhook_url = value,
    }
    Settings::load(&args)?;
    Ok(())
}

/// What is given, or what is typed, asked for again until it is right; nothing where
/// nobody can type. `read` learns whether it was typed.
fn ask<T>(
    given: Option<&str>,
    question: &str,
    read: impl Fn(&str, bool) -> Result<T>,
) -> Result<T> {
    if given.is_some() || !io::stdin().is_terminal() {
        return read(given.unwrap_or_default().trim(), false);
    }
    loop {
        aside(question);
        let answer = read_line()?;
        if answer.is_empty() {
            bail!("no answer: nothing was set up");
        }
        match read(answer.trim(), true) {
            Err(wrong) if wrong.is::<Usage>() || wrong.is::<ConfigError>() => tell!("{wrong}"),
            answer => return answer,
        }
    }
}

/// Asks for the password where an address has a user alone, and adds it as addresses
/// have it.
fn with_password(address: &str) -> Result<String> {
    let url = Url::parse(address).ok();
    let lacks_it = |url: &Url| !url.username().is_empty() && url.password().is_none();
    let Some(mut url) = url.filter(lacks_it) else {
        return Ok(address.to_owned());
    };
    let hide = "cannot hide what is typed";
    let before = tcgetattr(io::stdin()).context(hide)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    silent.local_modes.insert(LocalModes::ECHONL);
    tcsetattr(io::stdin(), OptionalActions::Now, &silent).context(hide)?;
    aside("Its password (not shown while you type): ");
    let typed = read_line();
    let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    let typed = typed?;
    let password = typed.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        bail!("no password: nothing was set up");
    }
    let password = utf8_percent_encode(password, NON_ALPHANUMERIC).to_string();
    // Refused only where there is no host, which the check of the address says.
    let _ = url.set_password(Some(&password));
    Ok(url.into())
}

fn domain(text: &str) -> Result<String> {
    if text.is_empty() {
        bail!(Usage(
            "add --domain: the site needs a name, like www.example.com".into()
        ));
    }
    let is_plain = !text.contains(['/', ':', '@', '?', '#', '%']);
    let url = Url::parse(&format!("https://{text}/")).ok();
    match url.as_ref().filter(|_| is_plain).and_then(Url::host) {
        Some(Host::Domain(name)) if name.contains('.') && !name.starts_with('.') => {
            Ok(name.trim_end_matches('.').to_owned())
        }
        _ => bail!(Usage(
            "--domain: must be a name like www.example.com".into()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::domain;

    #[test]
    fn a_domain_is_a_name_in_the_letters_of_dns() {
        for (typed, name) in [
            ("WWW.Example.com.", "www.example.com"),
            ("www.müller.example", "www.xn--mller-kva.example"),
        ] {
            assert_eq!(domain(typed).unwrap(), name);
        }
        for wrong in ["", "localhost", "192.0.2.1", "https://a.example", "a b.c"] {
            assert!(domain(wrong).is_err(), "{wrong}");
        }
    }
}
