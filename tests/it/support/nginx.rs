//! nginx in a folder of its own.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// In a folder of its own, with this as its one site.
pub fn nginx(site: &str) -> (TempDir, Command) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("site.conf"), site).unwrap();
    std::fs::write(at("nginx.conf"), around(folder.path())).unwrap();
    let mut command = Command::new("nginx");
    command.arg("-e").arg(at("error.log"));
    command
        .arg("-p")
        .arg(folder.path())
        .arg("-c")
        .arg(at("nginx.conf"));
    (folder, command)
}

fn around(folder: &Path) -> String {
    let folder = folder.display();
    let kept: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .iter()
        .map(|kind| format!("{kind}_temp_path {folder}/{kind};\n"))
        .collect();
    format!(
        "daemon off;\npid {folder}/nginx.pid;\nevents {{ worker_connections 1024; }}\n\
         http {{\naccess_log off;\n{kept}include {folder}/site.conf;\n}}\n"
    )
}

/// It finds nothing wrong with a site.
#[track_caller]
pub fn takes(site: &str) {
    let (_folder, mut command) = nginx(site);
    let judged = command.arg("-t").output().unwrap();
    let said = String::from_utf8_lossy(&judged.stderr);
    assert!(judged.status.success(), "{said}");
    assert!(!said.contains("[warn]"), "{said}");
}
