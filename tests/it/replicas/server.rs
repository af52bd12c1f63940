//! One PostgreSQL server: a process, its folder and its address.

use std::fs::{File, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, getuid, kill_process};

use crate::support::postgres::Session;
use crate::support::process::ends_in_time;
use crate::support::wait::until;

/// The standby's name towards the primary. Every server has it, because every
/// one may have to follow another.
pub const STANDBY: &str = "standby";

/// Nothing about durability: that is as in production. After a restart both
/// sides find each other quickly, and a killed server leaves nothing outside of
/// its folder.
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
    folder: PathBuf,
    child: Child,
}

impl Server {
    /// With nothing in it.
    pub async fn create(folder: PathBuf, address: SocketAddr) -> Self {
        let mut initdb = program("initdb");
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8"]);
        initdb.args(["--locale=C", "--no-sync", "--wal-segsize=1", "--pgdata"]);
        run(initdb.arg(&folder));
        let file = folder.join("postgresql.conf");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text + SETTINGS).unwrap();
        Self::start(folder, address).await
    }

    /// Follows the one that is there.
    pub async fn follow(primary: SocketAddr, folder: PathBuf, address: SocketAddr) -> Self {
        let mut copy = program("pg_basebackup");
        copy.args(["--username=postgres", "--host", &ip(primary)]);
        copy.args(["--port", &primary.port().to_string()]);
        copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]);
        run(copy.arg("--pgdata").arg(&folder));
        Self::start(folder, address).await
    }

    async fn start(folder: PathBuf, address: SocketAddr) -> Self {
        let child = spawn(&folder, address);
        let server = Self {
            address,
            folder,
            child,
        };
        server.until_it_answers().await;
        server
    }

    /// A file in its folder, for its own eyes only. `pg_hba.conf` is one.
    pub fn put(&self, name: &str, text: &str) {
        let file = self.folder.join(name);
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let owner = self.folder.metadata().unwrap();
        chown(&file, Some(owner.uid()), Some(owner.gid())).unwrap();
        self.signal(Signal::HUP);
    }

    /// Ends every connection, finishes, and ends: what `systemctl restart` does first.
    pub fn stop(&mut self) {
        self.signal(Signal::INT);
        assert!(ends_in_time(&mut self.child), "{}", self.log());
    }

    pub async fn start_again(&mut self) {
        self.child = spawn(&self.folder, self.address);
        self.until_it_answers().await;
    }

    /// No chance to finish anything.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// With all it had: a killed one is of no more use.
    pub fn remove(self) {
        // Processes of a killed server may still be about to end.
        let _ = std::fs::remove_dir_all(&self.folder);
    }

    /// From now on it follows nobody.
    pub async fn promote(&self) {
        let session = self.session("postgres");
        session.run("SELECT pg_promote(true, 60)");
        let is_primary = "SELECT NOT pg_is_in_recovery()";
        until("promotion", async || session.rows(is_primary) == [["t"]]).await;
    }

    pub fn session(&self, database: &str) -> Session {
        Session::new(&format!("postgres://postgres@{}/{database}", self.address))
    }

    async fn until_it_answers(&self) {
        let mut question = program("pg_isready");
        question.args(["--quiet", "--host", &ip(self.address)]);
        question.args(["--port", &self.address.port().to_string()]);
        until(&format!("an answer of {}", self.address), async || {
            question.status().unwrap().success()
        })
        .await;
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn log(&self) -> String {
        std::fs::read_to_string(log_of(&self.folder)).unwrap()
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
    command.args(["-h", &ip(address), "-p", &address.port().to_string()]);
    let mut options = File::options();
    let log = options.create(true).append(true).open(log_of(folder));
    command.stdout(Stdio::null()).stderr(log.unwrap());
    command.spawn().unwrap()
}

fn log_of(folder: &Path) -> PathBuf {
    folder.with_extension("log")
}

fn ip(address: SocketAddr) -> String {
    address.ip().to_string()
}

/// One of PostgreSQL's. Debian keeps them out of the path, and a server refuses to be root's.
fn program(name: &str) -> Command {
    let path = newest_folder().map_or(name.into(), |folder| folder.join(name));
    if !getuid().is_root() {
        return Command::new(path);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]);
    command.arg(path);
    command
}

fn newest_folder() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let paths = versions.flatten().map(|entry| entry.path());
    let newest = paths.max_by_key(number)?;
    Some(newest.join("bin"))
}

fn run(command: &mut Command) {
    let output = command.current_dir("/").output();
    let output = output.expect("PostgreSQL's programs: scripts/install-tools postgresql");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}
