//! What setup needs to know, from flags or from whoever sits at the terminal,
//! checked before anything is written.

use std::io::{self, IsTerminal as _};

use anyhow::Context as _;
use url::{Host, Url};

use super::{Failure, Proxy, SetupArgs, password};
use crate::cli::output::{aside, tell};
use crate::config::{ServeArgs, Settings};
use crate::content::SITE;

/// Longer is no address.
const LONGEST: usize = 2_000;

pub struct Answers {
    /// In the letters of DNS.
    pub domain: String,
    /// What is set, by the names of the settings.
    pub values: Vec<(&'static str, String)>,
}

impl Answers {
    pub fn gather(args: &SetupArgs) -> Result<Self, Failure> {
        let question = "Name of the site, like www.example.com: ";
        let domain = ask(&args.domain, question, domain)?;
        let question = "Mail server, smtps://USER@HOST (empty: no mail): ";
        let is_typed = is_typed(&args.smtp_url);
        let smtp = ask(&args.smtp_url, question, |address| {
            let with_password = is_typed.then(|| password::completed(address)).transpose()?;
            setting("FRONTDOOR_SMTP_URL")(with_password.as_deref().unwrap_or(address))
        })?;
        let question = format!(
            "Who gets a mail about each new lead, separated by commas (empty: {}): ",
            SITE.email
        );
        let notify = match (&smtp, &args.notify_email) {
            (None, None) => None,
            _ => ask(&args.notify_email, &question, |people| {
                setting("FRONTDOOR_NOTIFY_EMAIL")(&people.replace(' ', ""))
            })?,
        };
        let question = "Webhook of your automation (empty: none): ";
        let webhook = setting("FRONTDOOR_WEBHOOK_URL");
        let webhook = ask(&args.webhook_url, question, webhook)?;
        let mut values = vec![
            (
                "DATABASE_URL",
                "sqlite:///var/lib/frontdoor/frontdoor.db".to_owned(),
            ),
            ("FRONTDOOR_BACKUP_DIR", "/var/backups/frontdoor".to_owned()),
        ];
        if args.proxy != Proxy::None {
            values.push(("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.1,::1".to_owned()));
        }
        values.extend([smtp, notify, webhook].into_iter().flatten());
        let answers = Self { domain, values };
        answers.check()?;
        Ok(answers)
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

    /// As the server will read them.
    fn check(&self) -> Result<(), Failure> {
        for (name, value) in &self.values {
            let odd = |c: char| c.is_whitespace() || c.is_control() || "'\"\\".contains(c);
            if value.contains(odd) || value.len() > LONGEST {
                return Err(Failure::Usage(format!(
                    "{name}: must be without spaces, quotes and backslashes; in an address they \
                    are written %20, %27, %22 and %5C"
                )));
            }
        }
        let mut args = ServeArgs::default();
        let set = |name| self.value(name).map(str::to_owned);
        args.database.database_url = set("DATABASE_URL");
        args.backup.backup_dir = set("FRONTDOOR_BACKUP_DIR");
        args.network.trusted_proxies = set("FRONTDOOR_TRUSTED_PROXIES");
        args.mail.smtp_url = set("FRONTDOOR_SMTP_URL");
        args.mail.notify_email = set("FRONTDOOR_NOTIFY_EMAIL");
        args.webhook.webhook_url = set("FRONTDOOR_WEBHOOK_URL");
        Settings::load(&args)?;
        Ok(())
    }
}

fn is_typed(flag: &Option<String>) -> bool {
    flag.is_none() && io::stdin().is_terminal()
}

/// The flag's value, or what is typed, asked for again until it is right; nothing
/// where nobody can type.
fn ask<T>(
    flag: &Option<String>,
    question: &str,
    read: impl Fn(&str) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if !is_typed(flag) {
        return read(flag.as_deref().unwrap_or_default().trim());
    }
    loop {
        aside(question);
        let mut answer = String::new();
        let typed = io::stdin().read_line(&mut answer);
        if typed.context("cannot read the answer")? == 0 {
            return Err(Failure::Failed("no answer: nothing was set up".into()));
        }
        match read(answer.trim()) {
            Err(Failure::Usage(wrong)) => tell!("{wrong}"),
            answer => return answer,
        }
    }
}

/// Reads the value of a setting; an empty one is not set.
fn setting(name: &'static str) -> impl Fn(&str) -> Result<Option<(&'static str, String)>, Failure> {
    move |text| {
        let value = (!text.is_empty()).then(|| (name, text.to_owned()));
        let alone = Answers {
            domain: String::new(),
            values: value.iter().cloned().collect(),
        };
        alone.check().map(|()| value)
    }
}

fn domain(text: &str) -> Result<String, Failure> {
    if text.is_empty() {
        return Err(Failure::Usage(
            "add --domain: the site needs a name, like www.example.com".into(),
        ));
    }
    let wrong = || Failure::Usage("--domain: must be a name like www.example.com".into());
    if text.contains(['/', ':', '@', '?', '#', '%']) {
        return Err(wrong());
    }
    let url = Url::parse(&format!("https://{text}/")).map_err(|_| wrong())?;
    match url.host() {
        Some(Host::Domain(name)) if name.contains('.') && !name.starts_with('.') => {
            Ok(name.trim_end_matches('.').to_owned())
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::domain;

    #[test]
    fn a_domain_is_a_name_in_the_letters_of_dns() {
        for (typed, name) in [
            ("www.example.com", "www.example.com"),
            ("WWW.Example.com.", "www.example.com"),
            ("www.müller.example", "www.xn--mller-kva.example"),
        ] {
            assert_eq!(domain(typed).unwrap(), name);
        }
        for wrong in [
            "",
            "localhost",
            "192.0.2.1",
            "https://a.example",
            "a.b/c",
            "a b.c",
            "u@a.b",
        ] {
            assert!(domain(wrong).is_err(), "{wrong}");
        }
    }
}
