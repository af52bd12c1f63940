//! A name for each request, to find its line in the log again.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use http::HeaderValue;
use http::header::HeaderName;

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id taken over from a proxy.
const LONGEST: usize = 64;

/// Makes ids of two starts differ.
static SEED: LazyLock<u64> = LazyLock::new(rand::random);
static NEXT: AtomicU64 = AtomicU64::new(0);

#[derive(Clone)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// Takes over the id a trusted proxy gave, if it is a plain word.
    pub fn new(given: Option<&HeaderValue>) -> Self {
        let plain = |value: &&HeaderValue| {
            let bytes = value.as_bytes();
            let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            !bytes.is_empty() && bytes.len() <= LONGEST && bytes.iter().all(word)
        };
        match given.filter(plain) {
            Some(value) => Self(value.clone()),
            None => Self(fresh()),
        }
    }

    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

/// Sixteen hexadecimal digits. Multiplying by an odd number never maps two
/// counts to one id.
fn fresh() -> HeaderValue {
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    let id = SEED.wrapping_add(count.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let digits = std::array::from_fn::<u8, 16, _>(|place| {
        let digit = (id >> (60 - 4 * place)) as usize & 15;
        b"0123456789abcdef"[digit]
    });
    HeaderValue::from_bytes(&digits).expect("hexadecimal digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_a_plain_given_one_is_kept() {
        let (one, two) = (RequestId::new(None), RequestId::new(None));
        assert_ne!(one.as_str(), two.as_str());
        assert_eq!(one.as_str().len(), 16);
        let given = HeaderValue::from_static("abc-123");
        assert_eq!(RequestId::new(Some(&given)).as_str(), "abc-123");
        for odd in ["", "a b", "\"x\"", &"a".repeat(65)] {
            let given = HeaderValue::from_str(odd).unwrap();
            assert_ne!(RequestId::new(Some(&given)).as_str(), odd);
        }
    }
}
