//! nginx in front of the program, configured by `deploy/nginx.conf` or by a test.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::until;

pub const NGINX_EXAMPLE: &str = include_str!("../../../deploy/nginx.conf");

pub struct Nginx {
    pub address: SocketAddr,
    child: Child,
    folder: TempDir,
}

impl Nginx {
    /// Its errors and warnings.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("error.log")).unwrap()
    }

    /// With the example's configuration, but without TLS.
    pub async fn start(address: SocketAddr, replicas: &[SocketAddr]) -> Self {
        Self::with(&for_addresses(address, replicas), address).await
    }

    /// With this configuration, which listens at this address.
    pub async fn with(site: &str, address: SocketAddr) -> Self {
        let (folder, mut command) = nginx(site);
        let child = command.stderr(Stdio::null()).spawn();
        let nginx = Self {
            address,
            child: child.expect("nginx: scripts/install-tools nginx"),
            folder,
        };
        until("nginx", async || TcpStream::connect(address).is_ok()).await;
        nginx
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its workers end with it only if it is asked.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
    }
}

/// The example with other addresses. Its second server only redirects.
fn for_addresses(address: SocketAddr, replicas: &[SocketAddr]) -> String {
    let (https, _) = NGINX_EXAMPLE
        .split_once("\nserver {\n    listen 80;")
        .unwrap();
    let mut text: String = https
        .lines()
        .filter(|line| !line.contains("ssl_certificate"))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut change = |from: &str, to: String| {
        assert!(text.contains(from), "{from} is in the example");
        text = text.replace(from, &to);
    };
    change("443 ssl http2", address.to_string());
    for (number, replica) in replicas.iter().enumerate() {
        change(&format!("10.0.0.1{}:8080", number + 1), replica.to_string());
    }
    text
}

/// In a folder of its own, with this as its only site.
fn nginx(site: &str) -> (TempDir, Command) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    let kept = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {path}/{kind};\n"))
        .concat();
    let config = format!(
        "daemon off;\npid {path}/nginx.pid;\nevents {{ worker_connections 1024; }}\n\
         http {{\naccess_log off;\n{kept}\n{site}\n}}\n"
    );
    std::fs::write(folder.path().join("nginx.conf"), config).unwrap();
    let mut command = Command::new("nginx");
    command.arg("-p").arg(folder.path());
    command.args(["-e", "error.log", "-c", "nginx.conf"]);
    (folder, command)
}

/// nginx accepts this configuration without a warning, with a certificate and a key at these paths.
#[track_caller]
pub fn assert_nginx_accepts(site: &str, certificate: &str, key: &str) {
    let names = vec!["www.example.com".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let keys = tempfile::tempdir().unwrap();
    let mut site = site.to_owned();
    for (path, name, pem) in [
        (certificate, "certificate", made.cert.pem()),
        (key, "key", made.signing_key.serialize_pem()),
    ] {
        let file = keys.path().join(name);
        std::fs::write(&file, pem).unwrap();
        site = site.replace(path, file.to_str().unwrap());
    }
    let (_folder, mut command) = nginx(&site);
    let judged = command.arg("-t").output().unwrap();
    let said = String::from_utf8_lossy(&judged.stderr);
    assert!(judged.status.success(), "{said}");
    assert!(!said.contains("[warn]"), "{said}");
}
