//! The records of the site's name, and those by which other mail servers judge
//! its mail.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use super::names::{Names, NoAnswer};
use super::site::PublicSite;
use super::verdict::{Verdict, bad, good, unsure};
use crate::config::MailSettings;

pub fn addresses(site: &PublicSite) -> Vec<Verdict> {
    let host = &site.host;
    vec![match &site.addresses {
        Ok(addresses) => {
            let here: Vec<_> = addresses.iter().filter_map(|to| source(*to)).collect();
            leads_here(host, addresses, &here)
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

/// This machine's address on the way there: for one of its own, that one. Nothing
/// is sent.
fn source(to: IpAddr) -> Option<IpAddr> {
    let any: IpAddr = match to {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((to, 443)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// `here`: this machine's own addresses on the way to each.
fn leads_here(host: &str, addresses: &[IpAddr], here: &[IpAddr]) -> Verdict {
    let list = |addresses: &[IpAddr]| {
        let shown: Vec<_> = addresses.iter().map(ToString::to_string).collect();
        shown.join(", ")
    };
    let is = format!("{host} is {}", list(addresses));
    let is_here = addresses
        .iter()
        .any(|address| address.is_loopback() || here.contains(address));
    // Behind a router that translates addresses nobody here knows the public one.
    let is_public = |address: &IpAddr| match address {
        IpAddr::V4(address) => {
            !(address.is_private() || address.is_loopback() || address.is_link_local())
        }
        IpAddr::V6(address) => {
            !(address.is_unique_local() || address.is_loopback() || address.is_unicast_link_local())
        }
    };
    match is_here || !here.iter().any(is_public) {
        true => good("DNS", is),
        false => unsure(
            "DNS",
            format!("{is}, and this machine is {}", list(here)),
            "set A and AAAA records to this machine, unless another one passes visitors on to it",
        ),
    }
}

/// The name without `www.`, or with it: visitors type both.
pub async fn other_name(names: &Names, site: &PublicSite) -> Vec<Verdict> {
    let (host, Ok(addresses)) = (&site.host, &site.addresses) else {
        return Vec::new();
    };
    let other = match host.strip_prefix("www.") {
        Some(bare) => bare.to_owned(),
        // A subdomain, or an address in numbers, has no other.
        None if host.matches('.').count() != 1 => return Vec::new(),
        None => format!("www.{host}"),
    };
    vec![match names.addresses(&other).await {
        Ok(found) if found.iter().any(|address| addresses.contains(address)) => {
            good("DNS", format!("{other} leads to the same machine"))
        }
        Ok(_) => unsure(
            "DNS",
            format!("{other} leads to another machine than {host}"),
            format!("give it the records of {host}, or let that machine redirect to {host}"),
        ),
        Err(NoAnswer::Nothing) => unsure(
            "DNS",
            format!("{other} has no address: who types it does not find the site"),
            format!("give it the A and AAAA records of {host}"),
        ),
        Err(NoAnswer::Unknown(why)) => unknown("DNS", &other, &why),
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
    // What is wrong with the address is said of the mail.
    let Ok(from) = mail.from() else {
        return Vec::new();
    };
    let domain = from.email.domain();
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

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::super::verdict::State;
    use super::{leads_here, source};

    #[test]
    fn a_name_that_leads_to_another_machine_is_told_where_that_can_be_known() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        for (leads_to, here, state) in [
            ("192.0.2.80", "192.0.2.80", State::Good),
            ("192.0.2.1", "192.0.2.80", State::Unsure),
            ("2001:db8::1", "2001:db8::2", State::Unsure),
            // Behind a router.
            ("192.0.2.1", "10.0.0.7", State::Good),
            ("127.0.0.9", "127.0.0.1", State::Good),
        ] {
            let verdict = leads_here("www.shop.example", &[ip(leads_to)], &[ip(here)]);
            assert_eq!(verdict.state, state, "{leads_to} from {here}");
            assert!(verdict.what.contains(leads_to));
        }
        assert_eq!(source(ip("127.0.0.1")), Some(ip("127.0.0.1")));
    }
}
