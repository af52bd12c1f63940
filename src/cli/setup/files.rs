//! The files that make a service of the program. Those of `deploy/` are the
//! same that packages bring.

use std::path::Path;

use anyhow::Context as _;

use super::answers::Answers;
use super::{Failure, Proxy, settings_file};

const UNIT: &str = include_str!("../../../deploy/frontdoor.service");
const SOCKET: &str = include_str!("../../../deploy/frontdoor.socket");
const USERS: &str = include_str!("../../../deploy/sysusers.conf");
const FOLDERS: &str = include_str!("../../../deploy/tmpfiles.conf");
const CADDY: &str = include_str!("../../../deploy/Caddyfile");
const NGINX: &str = include_str!("../../../deploy/nginx-site.conf");

/// Where a package has it, and where setup puts it.
const PACKAGED: &str = "/usr/bin/frontdoor";
const PROGRAM: &str = "/usr/local/bin/frontdoor";

pub struct File {
    pub path: String,
    pub mode: u32,
    pub content: Vec<u8>,
    /// What may be shown of it.
    shown: String,
}

impl File {
    fn new(path: &str, mode: u32, text: String) -> Self {
        Self {
            path: path.to_owned(),
            mode,
            content: text.clone().into_bytes(),
            shown: text,
        }
    }

    /// For a dry run.
    pub fn shown(&self) -> String {
        let lines = self.shown.lines().map(|line| format!("    {line}"));
        let lines: Vec<_> = lines.map(|line| line.trim_end().to_owned()).collect();
        format!(
            "write {} ({:04o})\n{}\n\n",
            self.path,
            self.mode,
            lines.join("\n")
        )
    }
}

/// In the order in which they are written.
pub fn all(answers: &Answers, proxy: Proxy, root: &Path) -> Result<Vec<File>, Failure> {
    let mut files = Vec::new();
    if !is_packaged(root) {
        files.push(program()?);
        let unit = UNIT.replace(PACKAGED, PROGRAM);
        let (users, folders) = (USERS.to_owned(), FOLDERS.to_owned());
        files.push(File::new("/etc/sysusers.d/frontdoor.conf", 0o644, users));
        files.push(File::new("/etc/tmpfiles.d/frontdoor.conf", 0o644, folders));
        files.push(File::new(
            "/etc/systemd/system/frontdoor.service",
            0o644,
            unit,
        ));
        let socket = SOCKET.to_owned();
        files.push(File::new(
            "/etc/systemd/system/frontdoor.socket",
            0o644,
            socket,
        ));
    }
    files.push(File {
        shown: settings_file::shown(answers),
        ..File::new(
            "/etc/frontdoor/frontdoor.env",
            0o640,
            settings_file::text(answers),
        )
    });
    files.extend(match proxy {
        Proxy::Caddy => Some(File::new(
            "/etc/caddy/Caddyfile",
            0o644,
            named(CADDY, answers),
        )),
        Proxy::Nginx => Some(File::new(
            "/etc/nginx/conf.d/frontdoor.conf",
            0o644,
            named(NGINX, answers),
        )),
        Proxy::None => None,
    });
    Ok(files)
}

/// A package has brought program, units, user and folders.
fn is_packaged(root: &Path) -> bool {
    let units = ["usr/lib/systemd/system", "lib/systemd/system"];
    let mut units = units.iter().map(|folder| root.join(folder));
    units.any(|folder| folder.join("frontdoor.service").exists())
}

/// This very program.
fn program() -> Result<File, Failure> {
    let path = std::env::current_exe().context("cannot find this program")?;
    let content = std::fs::read(&path);
    let content = content.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(File {
        path: PROGRAM.to_owned(),
        mode: 0o755,
        shown: format!("this program ({})", path.display()),
        content,
    })
}

/// With the names of this site in the place of those of the example.
fn named(example: &str, answers: &Answers) -> String {
    const SITE: &str = "\u{0}";
    example
        .replace("www.example.com", SITE)
        .replace("example.com", &answers.other_domain())
        .replace(SITE, &answers.domain)
}
