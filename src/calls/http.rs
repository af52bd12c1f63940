//! HTTP calls out: with a time limit, no redirects, and whom we trust anywhere.

use std::time::Duration;

use reqwest::{ClientBuilder, redirect};

use super::tls;

/// `patience`: for a whole call, from the connection to the last byte read.
pub fn builder(patience: Duration) -> Result<ClientBuilder, rustls::Error> {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls::client_config()?)
        .redirect(redirect::Policy::none())
        // The owner says where to call; a proxy that happens to be in the
        // environment is not meant.
        .no_proxy()
        .timeout(patience)
        .user_agent(concat!("frontdoor/", env!("CARGO_PKG_VERSION")));
    Ok(builder)
}
