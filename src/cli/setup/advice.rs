//! What setup cannot do itself: DNS, the firewall, the proxy's own package.

use std::path::Path;

use url::Url;

use super::Proxy;
use super::answers::Answers;
use crate::content::SITE;

pub fn text(answers: &Answers, proxy: Proxy, root: &Path) -> String {
    let mut text = String::new();
    for (heading, lines) in [
        ("In front of it:", in_front(answers, proxy, root)),
        ("DNS records to set:", records(answers)),
        ("Firewall:", firewall(proxy)),
        ("The pages:", pages(answers)),
        (
            "Next, once the names lead here:",
            vec!["frontdoor check --live".to_owned()],
        ),
    ] {
        if !lines.is_empty() {
            text += &format!("\n{heading}\n");
        }
        for line in lines {
            text += &format!("  {line}\n");
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
        let sender = SITE.email.rsplit('@').next().unwrap_or(domain);
        records.push(format!(
            "{sender}.  TXT   \"v=spf1 include:YOUR-MAIL-PROVIDER -all\"  (SPF: its name is the provider's)"
        ));
        records.push(format!(
            "SELECTOR._domainkey.{sender}.  TXT or CNAME  (DKIM: the provider gives it)"
        ));
        records.push(format!(
            "_dmarc.{sender}.  TXT   \"v=DMARC1; p=quarantine; rua=mailto:{}\"",
            SITE.email
        ));
    }
    records
}

fn firewall(proxy: Proxy) -> Vec<String> {
    match proxy {
        Proxy::None => Vec::new(),
        _ => vec![
            "ufw allow 80/tcp && ufw allow 443/tcp".into(),
            "8080 (the site) and 9090 (health, metrics) listen on 127.0.0.1 and stay closed."
                .into(),
        ],
    }
}

/// The name is in the pages, too, since they were built.
fn pages(answers: &Answers) -> Vec<String> {
    let built_for = Url::parse(&SITE.url).ok();
    let built_for = built_for
        .as_ref()
        .and_then(Url::host_str)
        .unwrap_or_default();
    match built_for == answers.domain {
        true => Vec::new(),
        false => vec![format!(
            "They were built for {built_for}: set `url` in content/site.toml and build again."
        )],
    }
}
