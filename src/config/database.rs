//! Where the data is. Shared by every command that opens the store.

use super::parse::Parsed;
use super::setting::settings;
use crate::store::DatabaseUrl;

settings! {
    DatabaseArgs in "Data" => DatabaseSettings {
        /// Database: `sqlite://PATH` or `postgres://USER:PASSWORD@HOST/NAME`
        #[arg(env = "DATABASE_URL", value_name = "URL", hide_env_values = true, global = true)]
        database_url => url: DatabaseUrl = database_url, or "sqlite://data/frontdoor.db";
    }
}

fn database_url(text: &str) -> Parsed<DatabaseUrl> {
    text.parse()
}
