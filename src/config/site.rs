//! Which release of the site is served.

use std::path::PathBuf;

use super::parse::Parsed;
use super::setting::settings;

settings! {
    SiteArgs in "Site" => SiteSettings {
        /// A release to serve whatever is published: its file, or the folder that
        /// the web build has left it in
        #[arg(env = "FRONTDOOR_SITE", value_name = "FILE|FOLDER")]
        site => release: Option<PathBuf> = path,
            or none as "the published one, else the program's own";
    }
}

fn path(text: &str) -> Parsed<PathBuf> {
    match text.contains(char::is_control) {
        true => Err("must be the path of a release or its folder".into()),
        false => Ok(text.into()),
    }
}
