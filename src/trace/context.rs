//! Which trace something belongs to, and how that travels: in the header
//! `traceparent` (W3C Trace Context), and with a lead through the store.

use std::fmt;

/// A place in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    pub trace: u128,
    pub span: u64,
    /// Whether whoever began the trace wants it recorded.
    pub is_sampled: bool,
}

impl Context {
    /// A trace of its own; this share of them is recorded.
    pub fn begin(ratio: f64) -> Self {
        let trace = rand::random_range(1..=u128::MAX);
        // Of 53 bits, which is what a number with a fraction holds.
        let place = (trace as u64 >> 11) as f64 / (1u64 << 53) as f64;
        Self {
            trace,
            span: new_span(),
            is_sampled: place < ratio,
        }
    }

    /// A new place in the same trace.
    pub fn child(self) -> Self {
        Self {
            span: new_span(),
            ..self
        }
    }

    /// Nothing of a header that is not exactly as the standard has it.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut part = |length: usize| parts.next().and_then(|part| hex(part, length));
        let (version, trace) = (part(2)?, part(32)?);
        let (span, flags) = (part(16)?, part(2)?);
        // Later versions may add something to the end.
        let is_known = version != 0xff && (version > 0 || parts.next().is_none());
        let is_somewhere = trace != 0 && span != 0;
        (is_known && is_somewhere).then_some(Self {
            trace,
            span: span as u64,
            is_sampled: flags & 1 == 1,
        })
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = u8::from(self.is_sampled);
        write!(f, "00-{:032x}-{:016x}-{flags:02x}", self.trace, self.span)
    }
}

fn new_span() -> u64 {
    rand::random_range(1..=u64::MAX)
}

fn hex(text: &str, length: usize) -> Option<u128> {
    let is_digit = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    let is_hex = text.len() == length && text.bytes().all(is_digit);
    is_hex.then(|| u128::from_str_radix(text, 16).ok())?
}

/// The request that caused something, as it is stored with a lead: its id, and
/// its place in a trace where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin<'a> {
    pub request_id: &'a str,
    pub place: Option<Context>,
}

impl<'a> Origin<'a> {
    pub fn parse(text: &'a str) -> Self {
        let (request_id, place) = text.split_once(' ').unwrap_or((text, ""));
        Self {
            request_id,
            place: Context::parse(place),
        }
    }
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.request_id)?;
        match &self.place {
            Some(place) => write!(f, " {place}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_header_is_read_as_the_standard_has_it_and_written_again() {
        let read = Context::parse(GIVEN).unwrap();
        assert!(read.is_sampled);
        assert_eq!(read.to_string(), GIVEN);
        let later = format!("01{}-more", &GIVEN[2..]);
        assert_eq!(Context::parse(&later), Some(read));
        assert!(
            !Context::parse(&GIVEN.replace("-01", "-00"))
                .unwrap()
                .is_sampled
        );
        for wrong in [
            "",
            "00",
            &GIVEN[..54],
            &format!("{GIVEN}-more"),
            &format!("ff{}", &GIVEN[2..]),
            &GIVEN.to_uppercase(),
            &GIVEN.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
            &GIVEN.replace("b7ad6b7169203331", &"0".repeat(16)),
            &GIVEN.replace("0af7", "+af7"),
        ] {
            assert_eq!(Context::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_share_that_is_recorded_is_the_one_asked_for() {
        let recorded = |ratio: f64| {
            let begun = std::iter::repeat_with(|| Context::begin(ratio));
            begun.take(4000).filter(|begun| begun.is_sampled).count()
        };
        assert_eq!((recorded(0.0), recorded(1.0)), (0, 4000));
        assert!((800..1200).contains(&recorded(0.25)));
    }

    #[test]
    fn an_origin_is_one_text_with_or_without_a_trace() {
        for (text, place) in [
            ("abc-1", None),
            (&*format!("abc-1 {GIVEN}"), Context::parse(GIVEN)),
        ] {
            let origin = Origin::parse(text);
            assert_eq!((origin.request_id, origin.place), ("abc-1", place));
            assert_eq!(origin.to_string(), text);
        }
    }
}
