//! What the domain name system says of a name, by the machine's resolver or one
//! of the owner's choice.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::RData;

/// For one try of one question; there are two.
const PATIENCE: Duration = Duration::from_secs(3);

pub struct Names(Result<TokioResolver, String>);

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// There is no such record.
    Nothing,
    /// Nobody could say.
    Unknown(String),
}

impl Names {
    pub fn new(resolver: Option<SocketAddr>) -> Self {
        let builder = match resolver {
            Some(address) => Ok(TokioResolver::builder_with_config(
                by_one(address),
                TokioRuntimeProvider::default(),
            )),
            None => TokioResolver::builder_tokio(),
        };
        let built = builder.and_then(|mut builder| {
            let options = builder.options_mut();
            (options.timeout, options.attempts) = (PATIENCE, 2);
            builder.build()
        });
        Self(built.map_err(|error| error.to_string()))
    }

    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, NoAnswer> {
        let found = self.resolver()?.lookup_ip(whole(host)).await;
        Ok(found.map_err(no_answer)?.iter().collect())
    }

    /// The text records, each as one text.
    pub async fn texts(&self, name: &str) -> Result<Vec<String>, NoAnswer> {
        let found = self.resolver()?.txt_lookup(whole(name)).await;
        let found = found.map_err(no_answer)?;
        let texts = found
            .answers()
            .iter()
            .filter_map(|record| match &record.data {
                RData::TXT(text) => {
                    Some(String::from_utf8_lossy(&text.txt_data.concat()).into_owned())
                }
                _ => None,
            });
        Ok(texts.collect())
    }

    fn resolver(&self) -> Result<&TokioResolver, NoAnswer> {
        let resolver = self.0.as_ref();
        resolver.map_err(|error| NoAnswer::Unknown(error.clone()))
    }
}

fn by_one(address: SocketAddr) -> ResolverConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()];
    let connections = connections.map(|mut connection| {
        connection.port = address.port();
        connection
    });
    let server = NameServerConfig::new(address.ip(), true, connections.to_vec());
    ResolverConfig::from_name_servers(vec![server])
}

/// Never one that the machine's own domain is added to.
fn whole(name: &str) -> String {
    format!("{}.", name.trim_end_matches('.'))
}

fn no_answer(error: NetError) -> NoAnswer {
    match error.is_no_records_found() {
        true => NoAnswer::Nothing,
        false => NoAnswer::Unknown(error.to_string()),
    }
}
