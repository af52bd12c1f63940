use super::*;
use crate::http::site::negotiate::Encoding;

fn read(bytes: &[u8]) -> anyhow::Result<Release> {
    Release::read(&Bytes::copy_from_slice(bytes))
}

fn refusal(bytes: &[u8]) -> String {
    format!("{:#}", read(bytes).err().expect("it is refused"))
}

fn release(list: &str, bodies: &str) -> Vec<u8> {
    let content = format!("{list}\n{bodies}");
    let checksum = hex(&Sha256::digest(content.as_bytes()));
    format!("frontdoor release 1 sha256 {checksum}\n{content}").into_bytes()
}

/// With the facts of the real one.
fn list(bodies: &str, editions: &str) -> String {
    let facts = include_str!(concat!(env!("FRONTDOOR_WEB_DIST"), "/server.json")).replace('\n', "");
    format!(r#"{{"facts":{facts},"bodies":[{bodies}],"editions":[{editions}]}}"#)
}

fn file(path: &str, bodies: &str) -> String {
    format!(
        r#"{{"path":"{path}","kind":"document","type":"text/plain","status":200,
        "scriptHashes":[],"styleHashes":[],"bodies":[{bodies}]}}"#
    )
    .replace('\n', "")
}

fn edition(from: &str, files: &str) -> String {
    format!(r#"{{"from":{from},"files":[{files}]}}"#)
}

const BODIES: &str = r#"{"tag":"t","length":3},{"tag":"u","length":2}"#;
const PLAIN: &str = r#"{"encoding":"identity","tag":"t"}"#;
const GZIP: &str = r#"{"encoding":"gzip","tag":"u"}"#;

#[test]
fn each_file_has_its_own_bytes_in_each_encoding() {
    let both = edition("null", &file("/a", &format!("{PLAIN},{GZIP}")));
    let site = read(&release(&list(BODIES, &both), "abcde")).unwrap();
    let file = site.editions()[0].served().next().unwrap();
    assert_eq!((&*file.path, file.kind), ("/a", Kind::Document));
    let bodies = file.bodies.iter();
    let bodies: Vec<_> = bodies.map(|b| (b.encoding, &*b.tag, &*b.bytes)).collect();
    let plain = (Encoding::Identity, "t", &b"abc"[..]);
    assert_eq!(bodies, [plain, (Encoding::Gzip, "u", &b"de"[..])]);
}

#[test]
fn the_edition_of_the_day_is_shown_and_the_next_one_is_known() {
    let editions = [
        edition("null", &file("/a", PLAIN)),
        edition("\"2031-05-17T04:00:00Z\"", &file("/b", PLAIN)),
    ];
    let site = read(&release(&list(BODIES, &editions.join(",")), "abcde")).unwrap();
    let begin: Timestamp = "2031-05-17T04:00:00Z".parse().unwrap();
    let shown = |now: Timestamp| {
        let (edition, next) = site.at(now);
        (edition.files[0].path.clone(), next)
    };
    assert_eq!(
        shown(begin - jiff::SignedDuration::from_millis(1)),
        ("/a".into(), Some(begin))
    );
    assert_eq!(shown(begin), ("/b".into(), None));
}

#[test]
fn what_the_web_build_writes_is_read_whole() {
    let site = read(built()).unwrap();
    let carried = Release::carried(built()).unwrap();
    assert_eq!(site.checksum, carried.checksum);
    assert!(site.pages() > 10);
    let edition = &site.editions()[0];
    let home = edition.served().find(|file| file.path == "/").unwrap();
    assert!(home.text().starts_with("<!"), "it is HTML");
    let encodings: Vec<_> = home.bodies.iter().map(|body| body.encoding).collect();
    let expected = [Encoding::Identity, Encoding::Brotli, Encoding::Gzip];
    assert_eq!(encodings, expected);
}

#[test]
fn a_release_that_was_cut_short_or_changed_is_refused_wherever_that_is() {
    let whole = built();
    let first = whole.iter().position(|b| *b == b'\n').unwrap();
    let list = whole
        .iter()
        .skip(first + 1)
        .position(|b| *b == b'\n')
        .unwrap()
        + first
        + 1;
    let ends = [
        0,
        5,
        first,
        first + 1,
        1000,
        list,
        list + 1,
        whole.len() - 1,
    ];
    for end in ends {
        assert!(read(&whole[..end]).is_err(), "{end} bytes");
        assert!(Release::carried(&whole[..end]).is_err(), "{end} bytes");
        let mut changed = whole.to_vec();
        changed[end] ^= 1;
        assert!(read(&changed).is_err(), "byte {end}");
    }
}

#[test]
fn what_is_no_release_is_refused_with_the_reason() {
    assert!(refusal(b"<!doctype html>").starts_with("this is no release"));
    assert!(refusal(b"frontdoor site 1\n[]\n").starts_with("this is no release"));
    let later = refusal(b"frontdoor release 2 sha256 x\n{}\n");
    assert!(later.contains("has format \"2\", this program reads \"1\": use the program"));
    assert!(refusal(b"frontdoor release 1\n{}\n").contains("names no checksum"));
    assert!(refusal(b"frontdoor release 1 sha256 x\n{}\n").contains("its checksum is another"));
    let of = |editions: &str, bodies: &str| refusal(&release(&list(BODIES, editions), bodies));
    assert!(refusal(&release("{", "")).starts_with("the release's list: "));
    assert!(refusal(&release("{}", "")).contains("missing field"));
    let one = |path: &str, bodies: &str| edition("null", &file(path, bodies));
    let plain = one("/a", PLAIN);
    assert_eq!(of(&plain, "abcd"), "the release is cut short");
    assert!(of(&plain, "abcdef").starts_with("more bytes than"));
    assert_eq!(of(&one("/a", GZIP), "abcde"), "/a: not there as it is");
    let missing = PLAIN.replace("\"t\"", "\"x\"");
    assert_eq!(of(&one("/a", &missing), "abcde"), "/a: a body is missing");
    assert_eq!(of(&one("a b", PLAIN), "abcde"), "\"a b\" is no path");
    let twice = edition("null", &[file("/a", PLAIN), file("/a", PLAIN)].join(","));
    assert_eq!(of(&twice, "abcde"), "/a is there twice");
    let disorder = "the release's editions are in no order";
    assert_eq!(of("", "abcde"), disorder);
    assert_eq!(of(&format!("{plain},{plain}"), "abcde"), disorder);
}
