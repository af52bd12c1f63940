//! Restarts with sockets that stay open, which the test passes on as systemd does.

use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsRawFd as _;
use std::process::{Command, Stdio};

use rustix::io::{FdFlags, fcntl_setfd};
use tokio::task::block_in_place;

use crate::support::{
    Database, Process, Visitors, acknowledged, copy_environment, ready, refusal, serve, stored,
};

/// Sockets as systemd hands them over: from the third descriptor on, for this process.
const HAND_OVER: &str = r#"LISTEN_PID=$$ exec "$0" serve 3<&"$FIRST" 4<&"$SECOND""#;

struct Sockets([TcpListener; 2]);

impl Sockets {
    fn open() -> Self {
        Self(["127.0.0.1:0"; 2].map(listener))
    }

    fn addresses(&self) -> [SocketAddr; 2] {
        self.0.each_ref().map(|socket| socket.local_addr().unwrap())
    }

    fn start(&self, database: &Database, names: &str) -> Process {
        Process::spawn(self.command(database, names), &[])
    }

    fn command(&self, database: &Database, names: &str) -> Command {
        let server = serve(&database.url());
        let mut command = Command::new("bash");
        command.args(["-c", HAND_OVER]).arg(server.get_program());
        copy_environment(&server, &mut command);
        command
            .env("FIRST", self.0[0].as_raw_fd().to_string())
            .env("SECOND", self.0[1].as_raw_fd().to_string())
            .env("LISTEN_FDS", "2")
            .env("LISTEN_FDNAMES", names)
            // As whoever stands between: those are told of the stop in an answer.
            .env("FRONTDOOR_TRUSTED_PROXIES", "127.0.0.0/8")
            .stdout(Stdio::piped());
        command
    }
}

/// One that the program may have.
fn listener(address: &str) -> TcpListener {
    let socket = TcpListener::bind(address).unwrap();
    fcntl_setfd(&socket, FdFlags::empty()).unwrap();
    socket
}

#[test]
fn two_public_sockets_without_names_are_refused_so_that_metrics_stay_private() {
    let sockets = Sockets(["127.0.0.1:0", "0.0.0.0:0"].map(listener));
    let output = refusal(&mut sockets.command(&Database::sqlite(), ""));
    output.fails_with(1, "which only this machine reaches");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_refuses_no_visitor_and_loses_no_lead() {
    let (database, sockets) = (Database::sqlite(), Sockets::open());
    let mut server = block_in_place(|| sockets.start(&database, ""));
    assert_eq!(server.address, sockets.addresses()[0]);
    let visitors = Visitors::start(server.address);
    for _ in 0..2 {
        visitors.until_acknowledged(20).await;
        let (_, status) = block_in_place(|| server.terminate());
        assert!(status.success());
        server = block_in_place(|| sockets.start(&database, ""));
    }
    let sent = visitors.stop().await;
    assert!(sent.iter().all(|each| each.status == 201), "one is refused");
    assert_eq!(stored(&database.file()), acknowledged(&sent));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_is_recognised_by_its_name_or_else_by_its_order() {
    for (names, swapped) in [
        ("frontdoor.socket:frontdoor.socket", false),
        ("ops:public", true),
    ] {
        let (database, sockets) = (Database::sqlite(), Sockets::open());
        let [first, second] = sockets.addresses();
        let server = block_in_place(|| sockets.start(&database, names));
        let expected = [(first, second), (second, first)][usize::from(swapped)];
        assert_eq!((server.address, server.ops), expected, "{names}");
        assert_eq!(ready(server.ops).await.0, 200, "{names}");
    }
}
