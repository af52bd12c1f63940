//! DNS records of the site's name, and of the domain that its mail comes from.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use simple_dns::rdata::RData;
use simple_dns::{CLASS, Name, Packet, PacketFlag, Question, RCODE, TYPE};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Finding, bad, good, unsure};
use crate::config::MailSettings;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The machine's name servers, or the one that the owner has chosen.
pub struct Resolver(Vec<SocketAddr>);

/// What was found of one kind, or why no name server has answered.
pub type Found<T> = Result<Vec<T>, String>;

impl Resolver {
    pub fn new(chosen: Option<SocketAddr>) -> Self {
        let file = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
        let address = |line: &str| {
            let rest = line.strip_prefix("nameserver")?;
            let address: IpAddr = rest.split_whitespace().next()?.parse().ok()?;
            Some((address, 53).into())
        };
        let machines = || file.lines().filter_map(address).collect();
        Self(chosen.map_or_else(machines, |chosen| vec![chosen]))
    }

    pub async fn addresses(&self, host: &str) -> Found<IpAddr> {
        let address = |data| match data {
            RData::A(found) => Some(found.address.to_be_bytes().into()),
            RData::AAAA(found) => Some(found.address.to_be_bytes().into()),
            _ => None,
        };
        let (v4, v6) =
            tokio::try_join!(self.records(host, TYPE::A), self.records(host, TYPE::AAAA))?;
        Ok(v4.into_iter().chain(v6).filter_map(address).collect())
    }

    /// The TXT records that begin with `start`, whatever their case.
    async fn texts(&self, name: &str, start: &str) -> Found<String> {
        let text = |data| match data {
            RData::TXT(text) => String::try_from(text).ok(),
            _ => None,
        };
        let found = self.records(name, TYPE::TXT).await?.into_iter();
        let texts = found.filter_map(text);
        let begins = |text: &String| text.to_ascii_lowercase().starts_with(start);
        Ok(texts.filter(begins).collect())
    }

    async fn records(&self, name: &str, kind: TYPE) -> Found<RData<'static>> {
        let mut why = "none is named in /etc/resolv.conf".to_owned();
        for server in &self.0 {
            let answer = timeout(ANSWER_TIMEOUT, ask(*server, name, kind)).await;
            match answer.unwrap_or_else(|_| Err(anyhow!("{server} didn't answer in time"))) {
                Ok(found) => return Ok(found),
                Err(error) => why = error.to_string(),
            }
        }
        Err(why)
    }
}

/// Asks a name server over TCP, which has room for every answer.
async fn ask(server: SocketAddr, name: &str, kind: TYPE) -> Result<Vec<RData<'static>>> {
    let name = idna::domain_to_ascii(name)?;
    let question = Question::new(Name::new(&name)?, kind.into(), CLASS::IN.into(), false);
    let mut query = Packet::new_query(0);
    query.set_flags(PacketFlag::RECURSION_DESIRED);
    query.questions.push(question);
    let query = query.build_bytes_vec()?;
    let length = u16::try_from(query.len())?.to_be_bytes();
    let mut connection = TcpStream::connect(server).await?;
    connection
        .write_all(&[&length, &query[..]].concat())
        .await?;
    let mut answer = vec![0; connection.read_u16().await?.into()];
    connection.read_exact(&mut answer).await?;
    let answer = Packet::parse(&answer)?;
    match answer.rcode() {
        RCODE::NoError | RCODE::NameError => {
            let records = answer.answers.into_iter();
            Ok(records.map(|record| record.rdata.into_owned()).collect())
        }
        problem => bail!("{server} answered {problem:?}"),
    }
}

/// Checks the site's name with and without `www.`, because visitors type both. Whether the name
/// leads to this machine is shown by the test lead.
pub async fn site_names(resolver: &Resolver, host: &str, found: &Found<IpAddr>) -> Vec<Finding> {
    let addresses = match found {
        Ok(addresses) if addresses.is_empty() => {
            return vec![bad!("DNS", "{host} has no address").fix(
                "set A and AAAA records that point to this machine, or correct `url` in \
                content/site.toml",
            )];
        }
        Ok(addresses) => addresses,
        Err(why) => return vec![unknown("DNS", host, why)],
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
        Ok(found) if found.is_empty() => unsure!(
            "DNS",
            "{other} has no address: visitors who type it don't find the site"
        )
        .fix(format!("give it the A and AAAA records of {host}")),
        Ok(found) if found.iter().any(|address| addresses.contains(address)) => {
            good!("DNS", "{other} points to the same machine")
        }
        Ok(_) => unsure!("DNS", "{other} points to another machine than {host}").fix(format!(
            "give it the records of {host}, or let that machine redirect to {host}"
        )),
        Err(why) => unknown("DNS", &other, &why),
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
    unsure!(check, "the name server didn't answer for {name}: {why}")
        .fix("check again later, or name another with --resolver 1.1.1.1:53")
}
