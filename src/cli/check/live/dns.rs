//! The records of the site's name, and those by which other mail servers judge
//! its mail.

use super::names::{Names, NoAnswer};
use super::site::PublicSite;
use super::verdict::{Verdict, bad, good, unsure};
use crate::config::MailSettings;

pub fn addresses(site: &PublicSite) -> Vec<Verdict> {
    let host = &site.host;
    vec![match &site.addresses {
        Ok(addresses) => {
            let shown: Vec<_> = addresses.iter().map(ToString::to_string).collect();
            good("DNS", format!("{host} is {}", shown.join(", ")))
        }
        Err(NoAnswer::Nothing) => bad(
            "DNS",
            format!("{host} has no address"),
            "set A and AAAA records to this machine; or is `url` in content/site.toml wrong?",
        ),
        Err(NoAnswer::Unknown(why)) => unsure(
            "DNS",
            format!("the resolver does not say where {host} is: {why}"),
            "check again later, or name another with --resolver 1.1.1.1:53",
        ),
    }]
}

/// `selector`: of the key that the mail server signs with.
pub async fn mail_records(
    names: &Names,
    mail: Option<&MailSettings>,
    selector: Option<&str>,
) -> Vec<Verdict> {
    // Without mail they are nobody's business.
    let Some(mail) = mail else { return Vec::new() };
    let domain = mail.from.email.domain();
    let (spf, dmarc) = (spf(names, domain), dmarc(names, domain));
    let (spf, dkim, dmarc) = tokio::join!(spf, dkim(names, domain, selector), dmarc);
    vec![spf, dkim, dmarc]
}

async fn spf(names: &Names, domain: &str) -> Verdict {
    let found = matching(names, domain, "v=spf1").await;
    let remedy =
        "add one TXT record `v=spf1 include:YOUR-MAIL-PROVIDER -all`; the provider says which";
    match found.as_deref() {
        Ok([_]) => good("SPF", format!("{domain} says who may send its mail")),
        Ok([]) => bad(
            "SPF",
            format!("{domain} does not say who may send its mail"),
            remedy,
        ),
        Ok(_) => bad(
            "SPF",
            format!("{domain} has several SPF records, and so none counts"),
            "join them into one",
        ),
        Err(why) => unknown("SPF", domain, why),
    }
}

async fn dkim(names: &Names, domain: &str, selector: Option<&str>) -> Verdict {
    let Some(selector) = selector else {
        return unsure(
            "DKIM",
            "not known: the name of the key (selector) is your mail provider's",
            "frontdoor check --live --dkim-selector NAME",
        );
    };
    let name = format!("{selector}._domainkey.{domain}");
    let found = match names.texts(&name).await {
        Err(NoAnswer::Unknown(why)) => return unknown("DKIM", &name, &why),
        Err(NoAnswer::Nothing) => Vec::new(),
        Ok(texts) => texts,
    };
    // An empty key is one that was taken back.
    let has_key = |text: &String| {
        let mut tags = text.split(';').filter_map(|tag| tag.split_once('='));
        tags.any(|(tag, key)| tag.trim() == "p" && !key.trim().is_empty())
    };
    match found.iter().any(has_key) {
        true => good("DKIM", format!("{name} has a key")),
        false => bad(
            "DKIM",
            format!("{name} has no key"),
            "add the TXT or CNAME record that your mail provider shows",
        ),
    }
}

/// Of the domain itself, or of the one above it.
async fn dmarc(names: &Names, domain: &str) -> Verdict {
    let mut asked = domain;
    loop {
        let found = matching(names, &format!("_dmarc.{asked}"), "v=DMARC1").await;
        match (found.as_deref(), asked.split_once('.')) {
            (Ok([_, ..]), _) => return good("DMARC", format!("{asked} has a policy")),
            (Err(why), _) => return unknown("DMARC", domain, why),
            (Ok([]), Some((_, above))) if above.contains('.') => asked = above,
            _ => break,
        }
    }
    bad(
        "DMARC",
        format!("{domain} has no policy"),
        format!("add a TXT record for _dmarc.{domain}: v=DMARC1; p=quarantine"),
    )
}

async fn matching(names: &Names, name: &str, start: &str) -> Result<Vec<String>, String> {
    match names.texts(name).await {
        Ok(mut texts) => {
            texts.retain(|text| {
                let text = text.to_ascii_lowercase();
                text.starts_with(&start.to_ascii_lowercase())
            });
            Ok(texts)
        }
        Err(NoAnswer::Nothing) => Ok(Vec::new()),
        Err(NoAnswer::Unknown(why)) => Err(why),
    }
}

fn unknown(check: &'static str, name: &str, why: &str) -> Verdict {
    unsure(
        check,
        format!("the resolver says nothing of {name}: {why}"),
        "check again later, or name another with --resolver 1.1.1.1:53",
    )
}
