//! The mail in a browser, while its writer writes it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};

use crate::support::process::{ends_in_time, frontdoor, terminate};

pub struct Preview {
    child: Child,
    address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Preview {
    /// Without any database.
    fn start(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let none = format!("sqlite://{}/none.db", folder.path().display());
        Self::over(folder, &none, text)
    }

    pub fn over(folder: tempfile::TempDir, database_url: &str, text: &str) -> Self {
        let file = folder.path().join("issue.md");
        std::fs::write(&file, text).unwrap();
        let mut command = frontdoor(&["newsletter", "preview", file.to_str().unwrap()]);
        command.env("DATABASE_URL", database_url);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).expect("where it is shown");
        let address = address.split('/').next().unwrap().parse().unwrap();
        Self {
            child,
            address,
            folder,
        }
    }

    fn write(&self, text: &str) {
        std::fs::write(self.folder.path().join("issue.md"), text).unwrap();
    }

    pub fn get(&self, path: &str) -> String {
        self.ask(path, &self.address.to_string())
    }

    fn ask(&self, path: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn version(&self) -> String {
        let answer = self.get("/version");
        let (_, version) = answer.split_once("\r\n\r\n").unwrap();
        version.to_owned()
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_mail_is_shown_in_both_bodies_both_colours_and_two_widths() {
    let preview = Preview::start("# Hello *you*\n\nRead [this](/blog).\n");
    assert!(preview.address.ip().is_loopback());
    let page = preview.get("/?scheme=dark&width=360");
    assert!(page.contains("<h1>Hello you</h1>"), "{page}");
    assert!(
        page.contains("<pre>Hello you\n\nRead this (https://"),
        "{page}"
    );
    assert!(
        page.contains("src=\"/mail?scheme=dark&amp;width=360\" width=\"360\""),
        "{page}"
    );
    let (light, dark) = (preview.get("/mail"), preview.get("/mail?scheme=dark"));
    assert!(light.contains("@media not all") && dark.contains("@media all"));
    assert!(!light.contains("prefers-color-scheme: dark)"), "{light}");
    assert!(
        light.contains("content-security-policy: default-src 'none'"),
        "{light}"
    );
}

#[test]
fn a_change_of_the_file_is_shown_and_a_mistake_is_told() {
    let preview = Preview::start("# One\n\nx\n");
    let before = preview.version();
    assert_eq!(preview.version(), before);
    std::fs::write(
        preview.folder.path().join("dot.gif"),
        b"GIF89a\x03\0\x03\0\0\0\0;",
    )
    .unwrap();
    preview.write("# Two\n\n![A dot](dot.gif)\n");
    assert_ne!(preview.version(), before);
    let mail = preview.get("/mail");
    assert!(
        mail.contains("src=\"/picture/0\" alt=\"A dot\" width=\"3\""),
        "{mail}"
    );
    let picture = preview.get("/picture/0");
    assert!(picture.contains("content-type: image/gif"), "{picture}");
    assert!(preview.get("/picture/1").starts_with("HTTP/1.1 404"));
    preview.write("# Two\n\n![A dot](https://other.example/dot.gif)\n");
    let page = preview.get("/");
    assert!(page.contains("save it beside the file"), "{page}");
}

#[test]
fn nobody_elses_page_can_ask_for_it_and_it_ends_when_told_to() {
    let mut preview = Preview::start("# One\n\nx\n");
    let misled = preview.ask("/", "evil.example");
    assert!(misled.starts_with("HTTP/1.1 421"), "{misled}");
    terminate(&preview.child);
    assert!(ends_in_time(&mut preview.child));
    assert!(preview.child.wait().unwrap().success());
}
