//! One PostgreSQL server: a process, its folder and its address.

use std::fs::Permissions;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, getuid, kill_process};
use tempfile::TempDir;

use super::{Session, ends_in_time, own_address, until};

/// The standby's name in the primary's settings. Every server has it, because any of them may
/// have to follow another.
pub const STANDBY: &str = "standby";

/// Durability is as in production. These make both sides find each other quickly after a restart, and
/// keep everything inside the server's folder.
const SETTINGS: &str = "
unix_socket_directories = ''
cluster_name = 'standby'
max_connections = 100
dynamic_shared_memory_type = mmap
max_wal_size = 128MB
min_wal_size = 32MB
wal_keep_size = 64MB
wal_retrieve_retry_interval = 100ms
";

pub struct Server {
    pub address: SocketAddr,
    folder: TempDir,
    child: Child,
}

impl Server {
    /// A new server, without databases.
    pub async fn create() -> Self {
        let folder = folder();
        let mut initdb = program("initdb");
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8"]);
        initdb.args(["--locale=C", "--no-sync", "--wal-segsize=1", "--pgdata"]);
        run(initdb.arg(folder.path()));
        let file = folder.path().join("postgresql.conf");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text + SETTINGS).unwrap();
        Self::start(folder).await
    }

    /// A standby of this primary.
    pub async fn follow(primary: SocketAddr) -> Self {
        let folder = folder();
        let mut copy = program("pg_basebackup");
        copy.args(["--username=postgres", "--write-recovery-conf"]);
        copy.args(["--checkpoint=fast", "--no-sync", "--pgdata"]);
        run(copy.arg(folder.path()).args(place(primary)));
        Self::start(folder).await
    }

    async fn start(folder: TempDir) -> Self {
        let address = own_address();
        let server = Self {
            address,
            child: spawn(folder.path(), address),
            folder,
        };
        server.until_it_answers().await;
        server
    }

    /// Writes a file such as `pg_hba.conf` into its folder, which only the server may read.
    pub fn put(&self, name: &str, text: &str) {
        let file = self.folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let owner = self.folder.path().metadata().unwrap();
        chown(&file, Some(owner.uid()), Some(owner.gid())).unwrap();
        self.signal(Signal::HUP);
    }

    /// Closes every connection and stops: what `systemctl restart` does first.
    pub fn stop(&mut self) {
        self.signal(Signal::INT);
        assert!(ends_in_time(&mut self.child), "{} goes on", self.address);
    }

    pub async fn start_again(&mut self) {
        self.child = spawn(self.folder.path(), self.address);
        self.until_it_answers().await;
    }

    /// SIGKILL: it can't finish anything.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Makes a standby the primary.
    pub async fn promote(&self) {
        let session = self.session("postgres");
        session.run("SELECT pg_promote(true, 60)");
        let is_primary = "SELECT NOT pg_is_in_recovery()";
        until("promotion", async || session.rows(is_primary) == [["t"]]).await;
    }

    pub fn session(&self, database: &str) -> Session {
        Session::new(&self.url(database))
    }

    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@{}/{database}", self.address)
    }

    pub fn set(&self, setting: &str) {
        let session = self.session("postgres");
        session.run(&format!("ALTER SYSTEM SET {setting}"));
        session.run("SELECT pg_reload_conf()");
    }

    async fn until_it_answers(&self) {
        let mut question = program("pg_isready");
        question.arg("--quiet").args(place(self.address));
        until(&format!("an answer of {}", self.address), async || {
            question.status().unwrap().success()
        })
        .await;
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            // Its own processes end with it: SIGKILL would leave them behind for a while.
            self.signal(Signal::QUIT);
            let _ = self.child.wait();
        }
    }
}

fn spawn(folder: &Path, address: SocketAddr) -> Child {
    let mut command = program("postgres");
    command.arg("-D").arg(folder);
    command.args(["-h", &address.ip().to_string()]);
    command.args(["-p", &address.port().to_string()]);
    command.stdout(Stdio::null());
    command.spawn().unwrap()
}

fn place(address: SocketAddr) -> [String; 2] {
    [
        format!("--host={}", address.ip()),
        format!("--port={}", address.port()),
    ]
}

/// One of PostgreSQL's programs, which `scripts/with-postgres` puts into the path. They refuse to run
/// as root.
fn program(name: &str) -> Command {
    if !getuid().is_root() {
        return Command::new(name);
    }
    let mut command = Command::new("setpriv");
    command.args([
        "--reuid=postgres",
        "--regid=postgres",
        "--init-groups",
        name,
    ]);
    command
}

fn run(command: &mut Command) {
    let output = command.current_dir("/").output();
    let output = output.expect("PostgreSQL's programs: run this by scripts/with-postgres");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

/// A folder that the server's user may enter, and nobody else.
fn folder() -> TempDir {
    let private = Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().permissions(private).tempdir();
    let folder = folder.unwrap();
    if getuid().is_root() {
        let mut giving = Command::new("chown");
        let given = giving.arg("postgres:").arg(folder.path()).status();
        assert!(given.unwrap().success());
    }
    folder
}
