//! The files that turn the program into a service, and their installation. A file is written
//! completely or not at all, and never over a file that somebody changed. The files from
//! `deploy/` are the ones that packages contain.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::{Names, Proxy, SetupArgs};
use crate::config::DeclaredSetting;

const UNIT: &str = include_str!("../../../deploy/frontdoor.service");
const SOCKET: &str = include_str!("../../../deploy/frontdoor.socket");
const USERS: &str = include_str!("../../../deploy/sysusers.conf");
const FOLDERS: &str = include_str!("../../../deploy/tmpfiles.conf");
const CADDY: &str = include_str!("../../../deploy/Caddyfile");
const CADDY_DESK: &str = include_str!("../../../deploy/desk.Caddyfile");
const NGINX: &str = include_str!("../../../deploy/nginx-site.conf");
const NGINX_DESK: &str = include_str!("../../../deploy/nginx-desk.conf");

/// Where a package installs the program, and where setup does.
const PACKAGED: &str = "/usr/bin/frontdoor";
const PROGRAM: &str = "/usr/local/bin/frontdoor";

const SETTINGS_HEAD: &str = "\
# Settings of frontdoor, for the service and for every command; a line is NAME=value.
# After a change: frontdoor check && systemctl restart frontdoor
# frontdoor.socket says where the site listens (systemctl edit frontdoor.socket).
";
const SETTINGS_WIDTH: usize = 100;

pub struct File {
    path: &'static str,
    mode: u32,
    content: Vec<u8>,
}

/// All files, in the order in which they are written.
pub fn all(names: &Names, settings: &[DeclaredSetting], args: &SetupArgs) -> Result<Vec<File>> {
    let file = |path, text: String| File {
        path,
        mode: 0o644,
        content: text.into_bytes(),
    };
    // A package has installed the program, the units, the user and the folders.
    let mut units = ["usr/lib/systemd/system", "lib/systemd/system"].iter();
    let is_packaged = units.any(|folder| args.root.join(folder).join("frontdoor.service").exists());
    let mut files = Vec::new();
    if !is_packaged {
        let unit = UNIT.replace(PACKAGED, PROGRAM);
        files.extend([
            program()?,
            file("/etc/sysusers.d/frontdoor.conf", USERS.to_owned()),
            file("/etc/tmpfiles.d/frontdoor.conf", FOLDERS.to_owned()),
            file("/etc/systemd/system/frontdoor.service", unit),
            file("/etc/systemd/system/frontdoor.socket", SOCKET.to_owned()),
        ]);
    }
    files.push(File {
        mode: 0o640,
        ..file("/etc/frontdoor/frontdoor.env", settings_file(settings)?)
    });
    files.extend(match args.proxy {
        Proxy::Caddy => Some(file(
            "/etc/caddy/Caddyfile",
            named(CADDY, CADDY_DESK, names),
        )),
        Proxy::Nginx => Some(file(
            "/etc/nginx/conf.d/frontdoor.conf",
            named(NGINX, NGINX_DESK, names),
        )),
        Proxy::None => None,
    });
    Ok(files)
}

fn program() -> Result<File> {
    let path = std::env::current_exe().context("can't find this program")?;
    let content = fs::read(&path);
    let content = content.with_context(|| format!("can't read {}", path.display()))?;
    Ok(File {
        path: PROGRAM,
        mode: 0o755,
        content,
    })
}

/// The example with this site's names, and the part for the desk if the desk has a name.
fn named(example: &str, desk: &str, names: &Names) -> String {
    const SITE: &str = "\u{0}";
    let desk_part = names.desk.as_ref();
    let desk_part = desk_part.map_or(String::new(), |name| desk.replace("desk.example.com", name));
    let site_part = example
        .replace("www.example.com", SITE)
        .replace("example.com", &names.other);
    (site_part + &desk_part.replace("www.example.com", SITE)).replace(SITE, &names.domain)
}

/// Every setting with its help; those that aren't set are commented out.
fn settings_file(settings: &[DeclaredSetting]) -> Result<String> {
    let (mut text, mut group) = (SETTINGS_HEAD.to_owned(), "");
    for row in settings {
        if row.heading != group {
            text += &format!("\n# {}\n", row.heading);
        }
        text += "\n";
        let help = format!("{} [default: {}]", row.help, row.default);
        let mut line = String::from("#");
        for word in help.split_whitespace() {
            if line.len() + word.len() > SETTINGS_WIDTH {
                text += &(line + "\n");
                line = String::from("#");
            }
            line += &format!(" {word}");
        }
        text += &(line + "\n");
        text += &match &row.found {
            Some(found) => match &found.place {
                Some(path) if found.source == "secret_file" => {
                    format!("{}_FILE={path}\n", row.name)
                }
                _ => format!("{}={}\n", row.name, quoted(row.name, &found.value)?),
            },
            None => format!("#{}=\n", row.name),
        };
        group = row.heading;
    }
    Ok(text)
}

/// The value as the settings file must have it to mean the same there.
fn quoted<'a>(name: &str, value: &'a str) -> Result<Cow<'a, str>> {
    let needs_quotes = value.starts_with(['"', '\'']) || value.contains(" #");
    let quote = ['\'', '"']
        .into_iter()
        .find(|quote| !value.contains(*quote));
    match quote {
        _ if value.contains('\\') => bail!("{name}: a settings file can't have a backslash"),
        _ if !needs_quotes => Ok(value.into()),
        Some(quote) => Ok(format!("{quote}{value}{quote}").into()),
        None => bail!("{name}: a settings file can't have both kinds of quotes in a value"),
    }
}

impl File {
    /// The line for a dry run.
    pub fn shown(&self) -> String {
        format!("write {} ({:04o})", self.path, self.mode)
    }

    /// Installs the file; returns a line that says what was done.
    pub fn install(&self, root: &Path) -> Result<String> {
        let shown = self.path;
        let path = under(root, shown);
        let found = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            read => Some(read.with_context(|| format!("can't read {}", path.display()))?),
        };
        let (target, line) = match found {
            None => (path, format!("written    {shown}")),
            Some(found) if found == self.content => return Ok(format!("as it is   {shown}")),
            Some(_) => match example_of(shown, root) {
                Some(package) => (
                    path,
                    format!("written    {shown}, over the example of {package}"),
                ),
                None => (
                    under(root, &format!("{shown}.new")),
                    format!("kept       {shown}; the new one is {shown}.new"),
                ),
            },
        };
        let written = self.write(&target);
        written.with_context(|| format!("can't write {}", target.display()))?;
        Ok(line)
    }

    /// Writes under another name first, so that the file is never incomplete.
    fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let partial = PathBuf::from(format!("{}.partial", path.display()));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut output = options.open(&partial)?;
        output.write_all(&self.content)?;
        output.set_permissions(fs::Permissions::from_mode(self.mode))?;
        output.sync_all()?;
        fs::rename(&partial, path)
    }
}

fn under(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

/// The package that the file belongs to, if nobody has changed it since. If dpkg doesn't know,
/// the file counts as changed.
fn example_of(path: &str, root: &Path) -> Option<String> {
    let dpkg = |arguments: [&str; 2]| {
        let mut command = Command::new("dpkg");
        command.arg("--root").arg(root).args(arguments);
        let output = command.env("LC_ALL", "C").output().ok()?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(printed)
    };
    let found = dpkg(["--search", path])?;
    let (package, _) = found.split_once(": ")?;
    let changed = dpkg(["--verify", package])?;
    let is_changed = changed.lines().any(|line| line.ends_with(path));
    (!is_changed).then(|| package.to_owned())
}
