//! Where the data is. Shared by every command that opens the store.

use super::parse::Parsed;
use super::setting::{ConfigError, settings};
use crate::store::DatabaseUrl;

settings! {
    DatabaseArgs in "Data" => DatabaseSettings {
        /// Database: `sqlite://PATH` or `postgres://USER:PASSWORD@HOST/NAME`
        #[arg(env = "DATABASE_URL", value_name = "URL", hide_env_values = true, global = true)]
        database_url => url: DatabaseUrl = database_url, or "sqlite://data/frontdoor.db";

        /// Connections to PostgreSQL for each replica: half of them write, the
        /// others read, at most four of each; a server has one more that listens
        #[arg(env = "FRONTDOOR_DATABASE_CONNECTIONS", value_name = "NUMBER", global = true)]
        database_connections => connections: usize = connections, or "8";
    }
}

impl DatabaseArgs {
    pub fn database(&self) -> Result<DatabaseUrl, ConfigError> {
        let settings = self.load()?;
        Ok(settings.url.with_connections(settings.connections))
    }
}

fn database_url(text: &str) -> Parsed<DatabaseUrl> {
    text.parse()
}

fn connections(text: &str) -> Parsed<usize> {
    let number = text.parse().ok().filter(|most| (1..=1_000).contains(most));
    number.ok_or_else(|| "must be a whole number from 1 to 1000".into())
}
