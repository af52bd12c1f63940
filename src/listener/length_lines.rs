//! Finds `Content-Length` lines in what comes in.
//!
//! hyper takes the line out of a request that has `Transfer-Encoding` too, so
//! that a handler could not tell. Bodies are looked through as well; a line
//! in a body that looks like one makes us wary, never careless.

use memchr::memchr;

const LINE: &[u8] = b"content-length:";

/// Goes through a connection's bytes, however they are cut into packets.
#[derive(Default)]
pub struct LengthLines {
    /// How much of such a line the bytes so far ended with; `None`: not at
    /// the beginning of a line.
    matched: Option<usize>,
}

impl LengthLines {
    /// How many of them ended their name within these bytes.
    pub fn count(&mut self, mut bytes: &[u8]) -> usize {
        let mut count = 0;
        loop {
            if self.matched.is_none() {
                let Some(end) = memchr(b'\n', bytes) else {
                    return count;
                };
                bytes = &bytes[end + 1..];
                self.matched = Some(0);
            }
            let matched = self.matched.unwrap_or(0);
            let part = &LINE[matched..LINE.len().min(matched + bytes.len())];
            let same = bytes[..part.len()].eq_ignore_ascii_case(part);
            let matched = matched + part.len();
            if same && matched < LINE.len() {
                self.matched = Some(matched);
                return count;
            }
            count += usize::from(same);
            self.matched = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REQUEST: &[u8] = b"POST /content-length: HTTP/1.1\r\nHost: x\r\n\
        CONTENT-length: 5\r\nx-content-length: 6\r\ncontent-lengthy: 7\r\n\ncontent-length:8\r\n\r\n";

    #[test]
    fn a_line_counts_by_its_name_at_its_beginning() {
        assert_eq!(LengthLines::default().count(REQUEST), 2);
        assert_eq!(LengthLines::default().count(b""), 0);
        assert_eq!(LengthLines::default().count(b"\n\n\r\nContent-Length:"), 1);
    }

    proptest! {
        #[test]
        fn however_the_bytes_are_cut(mut cuts in proptest::collection::vec(0..REQUEST.len(), 0..9)) {
            cuts.extend([0, REQUEST.len()]);
            cuts.sort_unstable();
            let mut lines = LengthLines::default();
            let counts = cuts.windows(2).map(|cut| lines.count(&REQUEST[cut[0]..cut[1]]));
            prop_assert_eq!(counts.sum::<usize>(), 2);
        }
    }
}
