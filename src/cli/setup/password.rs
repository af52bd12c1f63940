//! The mail server's password, which nobody reads on the screen.

use std::io;

use anyhow::Context as _;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use url::Url;

use super::Failure;
use crate::cli::output::aside;

/// An address that has a user alone, with the password that is asked for, written
/// as addresses have it.
pub fn completed(address: &str) -> Result<String, Failure> {
    let url = Url::parse(address).ok();
    let lacks_it = |url: &Url| !url.username().is_empty() && url.password().is_none();
    let Some(mut url) = url.filter(lacks_it) else {
        return Ok(address.to_owned());
    };
    let typed = {
        let _silence = Silence::begin().context("cannot hide what is typed")?;
        aside("Its password (not shown while you type): ");
        let mut typed = String::new();
        let read = io::stdin().read_line(&mut typed);
        read.context("cannot read the password")?;
        typed
    };
    let password = typed.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        return Err(Failure::Failed("no password: nothing was set up".into()));
    }
    let password = utf8_percent_encode(password, NON_ALPHANUMERIC).to_string();
    // Refused only where there is no host, which is said of the address itself.
    let _ = url.set_password(Some(&password));
    Ok(url.into())
}

/// While it lives the terminal shows no key but the one that ends the line.
struct Silence {
    before: Termios,
}

impl Silence {
    fn begin() -> rustix::io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        silent.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(io::stdin(), OptionalActions::Now, &silent)?;
        Ok(Self { before })
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}
