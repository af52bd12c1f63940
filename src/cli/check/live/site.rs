//! The site as a visitor reaches it.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use reqwest::{Client, Response};
use url::Url;

use super::names::{Names, NoAnswer};
use crate::calls::http;

/// For one page.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct PublicSite {
    /// Ends with a slash.
    pub url: Url,
    pub host: String,
    pub addresses: Result<Vec<IpAddr>, NoAnswer>,
    client: Client,
}

impl PublicSite {
    pub async fn find(url: Url, names: &Names) -> anyhow::Result<Self> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let literal = host.trim_matches(['[', ']']).parse::<IpAddr>();
        let addresses = match literal {
            Ok(address) => Ok(vec![address]),
            Err(_) => names.addresses(&host).await,
        };
        let found: Vec<SocketAddr> = match &addresses {
            // The port of each call is the address's own.
            Ok(addresses) => addresses.iter().map(|ip| (*ip, 0).into()).collect(),
            Err(_) => Vec::new(),
        };
        let mut builder = http::builder(PATIENCE)?.tls_info(true);
        if literal.is_err() && !found.is_empty() {
            builder = builder.resolve_to_addrs(&host, &found);
        }
        Ok(Self {
            client: builder.build()?,
            url,
            host,
            addresses,
        })
    }

    pub fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The address of a page by its path.
    pub fn page(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(path);
        url
    }

    pub async fn get(&self, url: Url) -> reqwest::Result<Response> {
        self.client.get(url).send().await
    }

    pub fn client(&self) -> &Client {
        &self.client
    }
}
