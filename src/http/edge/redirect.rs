//! Trailing slashes lead to the plain path.

use http::header::{CACHE_CONTROL, CONTENT_LENGTH, HeaderValue, LOCATION};
use http::{StatusCode, Uri};

use super::body::{self, Answer};

/// The redirect for a path with a slash at its end, if there is a plain one.
pub fn plain_path(uri: &Uri) -> Option<Answer> {
    let target = target(uri.path(), uri.query())?;
    let mut answer = body::bare(StatusCode::PERMANENT_REDIRECT);
    let headers = answer.headers_mut();
    headers.insert(LOCATION, HeaderValue::try_from(target).ok()?);
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=3600"),
    );
    headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    Some(answer)
}

/// Runs of slashes become one: `//host` would name another site. For the same
/// reason only plain characters are sent back (browsers read `\` as `/`).
fn target(path: &str, query: Option<&str>) -> Option<String> {
    if path.len() < 2 || !path.ends_with('/') || !path.bytes().all(is_plain) {
        return None;
    }
    let mut target = String::with_capacity(path.len());
    for part in path.split('/').filter(|part| !part.is_empty()) {
        target.push('/');
        target.push_str(part);
    }
    if target.is_empty() {
        target.push('/');
    }
    if let Some(query) = query {
        target.push('?');
        target.push_str(query);
    }
    Some(target)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn trailing_slashes_go_and_the_query_stays() {
        assert_eq!(target("/services/", None).as_deref(), Some("/services"));
        assert_eq!(
            target("/blog//x///", Some("a=b/")).as_deref(),
            Some("/blog/x?a=b/")
        );
        assert_eq!(target("//", None).as_deref(), Some("/"));
    }

    #[test]
    fn other_paths_and_odd_ones_are_not_redirected() {
        for path in ["/", "/services", "/a%2f/", "/\\evil.example/", "/a b/"] {
            assert_eq!(target(path, None), None, "{path}");
        }
    }

    #[test]
    fn another_host_is_never_the_target() {
        let target = target("//evil.example/", None).unwrap();
        assert_eq!(target, "/evil.example");
    }

    proptest! {
        #[test]
        fn a_target_begins_with_one_slash(path in "/[ -~]{0,30}/") {
            if let Some(target) = target(&path, None) {
                prop_assert!(target.starts_with('/'));
                prop_assert!(!target.starts_with("//") && !target.contains('\\'));
            }
        }
    }
}
