//! DNS records of the site's name, and of the domain that its mail comes from.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use anyhow::Result;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::RData;

use super::{Finding, bad, good, unsure};
use crate::config::MailSettings;

/// The time limit for one attempt; each query gets two.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(3);

/// The machine's resolver, or one of the owner's choice.
pub struct Resolver(TokioResolver);

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// There is no such record.
    Nothing,
    /// The name server didn't answer.
    Unknown(String),
}

impl Resolver {
    pub fn new(resolver: Option<SocketAddr>) -> Result<Self> {
        let mut builder = match resolver {
            Some(address) => TokioResolver::builder_with_config(
                single_server(address),
                TokioRuntimeProvider::default(),
            ),
            None => TokioResolver::builder_tokio()?,
        };
        let options = builder.options_mut();
        (options.timeout, options.attempts) = (LOOKUP_TIMEOUT, 2);
        Ok(Self(builder.build()?))
    }

    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, NoAnswer> {
        let found = self.0.lookup_ip(fully_qualified(host)).await;
        Ok(found.map_err(no_answer)?.iter().collect())
    }

    /// The TXT records that begin with `start`, whatever their case.
    async fn texts(&self, name: &str, start: &str) -> Result<Vec<String>, String> {
        let found = match self
            .0
            .txt_lookup(fully_qualified(name))
            .await
            .map_err(no_answer)
        {
            Ok(found) => found,
            Err(NoAnswer::Nothing) => return Ok(Vec::new()),
            Err(NoAnswer::Unknown(why)) => return Err(why),
        };
        let texts = found
            .answers()
            .iter()
            .filter_map(|record| match &record.data {
                RData::TXT(text) => {
                    Some(String::from_utf8_lossy(&text.txt_data.concat()).into_owned())
                }
                _ => None,
            });
        Ok(texts
            .filter(|text| text.to_ascii_lowercase().starts_with(start))
            .collect())
    }
}

fn single_server(address: SocketAddr) -> ResolverConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()];
    let connections = connections.map(|mut connection| {
        connection.port = address.port();
        connection
    });
    let server = NameServerConfig::new(address.ip(), true, connections.to_vec());
    ResolverConfig::from_name_servers(vec![server])
}

/// With the final dot, so that the machine's own domain is never added to it.
fn fully_qualified(name: &str) -> String {
    format!("{}.", name.trim_end_matches('.'))
}

fn no_answer(error: NetError) -> NoAnswer {
    if error.is_no_records_found() {
        NoAnswer::Nothing
    } else {
        NoAnswer::Unknown(error.to_string())
    }
}

/// Checks the site's name with and without `www.`, because visitors type both. Whether the name
/// leads to this machine is shown by the test lead.
pub async fn site_names(
    resolver: &Resolver,
    host: &str,
    found: &Result<Vec<IpAddr>, NoAnswer>,
) -> Vec<Finding> {
    let addresses = match found {
        Ok(addresses) => addresses,
        Err(NoAnswer::Unknown(why)) => return vec![unknown("DNS", host, why)],
        Err(NoAnswer::Nothing) => {
            return vec![bad!("DNS", "{host} has no address").fix(
                "set A and AAAA records to this machine; or is `url` in content/site.toml wrong?",
            )];
        }
    };
    let shown: Vec<_> = addresses.iter().map(ToString::to_string).collect();
    let shown = shown.join(", ");
    let here = good!("DNS", "{host} is {shown}");
    let other = match host.strip_prefix("www.") {
        Some(bare) => bare.to_owned(),
        // A subdomain or an IP address has no other name.
        None if host.matches('.').count() != 1 => return vec![here],
        None => format!("www.{host}"),
    };
    let other = match resolver.addresses(&other).await {
        Ok(found) if found.iter().any(|address| addresses.contains(address)) => {
            good!("DNS", "{other} points to the same machine")
        }
        Ok(_) => unsure!("DNS", "{other} points to another machine than {host}").fix(format!(
            "give it the records of {host}, or let that machine redirect to {host}"
        )),
        Err(NoAnswer::Nothing) => unsure!(
            "DNS",
            "{other} has no address: visitors who type it don't find the site"
        )
        .fix(format!("give it the A and AAAA records of {host}")),
        Err(NoAnswer::Unknown(why)) => unknown("DNS", &other, &why),
    };
    vec![here, other]
}

/// Checks SPF, DKIM and DMARC, by which other mail servers judge our mail. `selector` names the key
/// that the mail server signs with.
pub async fn mail_records(
    resolver: &Resolver,
    mail: Option<&MailSettings>,
    selector: Option<&str>,
) -> Vec<Finding> {
    // A wrong sender is reported by the mail check.
    let Some(from) = mail.and_then(|mail| mail.from().ok()) else {
        return Vec::new();
    };
    let domain = from.email.domain();
    let (spf, dkim, dmarc) = tokio::join!(
        spf(resolver, domain),
        dkim(resolver, domain, selector),
        dmarc(resolver, domain)
    );
    vec![spf, dkim, dmarc]
}

async fn spf(resolver: &Resolver, domain: &str) -> Finding {
    match resolver.texts(domain, "v=spf1").await.as_deref() {
        Ok([_]) => good!("SPF", "{domain} says who may send its mail"),
        Ok([]) => bad!("SPF", "{domain} doesn't say who may send its mail").fix(
            "add one TXT record `v=spf1 include:YOUR-MAIL-PROVIDER -all`; the provider says which",
        ),
        Ok(_) => bad!(
            "SPF",
            "{domain} has several SPF records, so none of them counts"
        )
        .fix("combine them into one"),
        Err(why) => unknown("SPF", domain, why),
    }
}

async fn dkim(resolver: &Resolver, domain: &str, selector: Option<&str>) -> Finding {
    let Some(selector) = selector else {
        return unsure!("DKIM", "can't be checked without the name of the key (selector), which your mail provider shows").fix("frontdoor check --live --dkim-selector NAME");
    };
    let name = format!("{selector}._domainkey.{domain}");
    let found = match resolver.texts(&name, "").await {
        Err(why) => return unknown("DKIM", &name, &why),
        Ok(found) => found,
    };
    // An empty key was revoked.
    let has_key = |text: &String| {
        let mut tags = text.split(';').filter_map(|tag| tag.split_once('='));
        tags.any(|(tag, key)| tag.trim() == "p" && !key.trim().is_empty())
    };
    if found.iter().any(has_key) {
        good!("DKIM", "{name} has a key")
    } else {
        bad!("DKIM", "{name} has no key")
            .fix("add the TXT or CNAME record that your mail provider shows")
    }
}

/// Looks for the DMARC policy of the domain, or of its parent.
async fn dmarc(resolver: &Resolver, domain: &str) -> Finding {
    let above = domain.split_once('.').map(|(_, above)| above);
    for asked in [Some(domain), above.filter(|above| above.contains('.'))] {
        let Some(asked) = asked else { continue };
        match resolver.texts(&format!("_dmarc.{asked}"), "v=dmarc1").await {
            Ok(found) if found.is_empty() => {}
            Ok(_) => return good!("DMARC", "{asked} has a policy"),
            Err(why) => return unknown("DMARC", domain, &why),
        }
    }
    bad!("DMARC", "{domain} has no policy").fix(format!(
        "add a TXT record for _dmarc.{domain}: v=DMARC1; p=quarantine"
    ))
}

fn unknown(check: &'static str, name: &str, why: &str) -> Finding {
    unsure!(check, "the name server gave no answer about {name}: {why}")
        .fix("check again later, or name another with --resolver 1.1.1.1:53")
}
