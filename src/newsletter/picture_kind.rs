//! What a picture is and how wide, from its first bytes.

/// As mail programs show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    pub media_type: &'static str,
    pub width: u32,
}

/// `None`: none of the four that every mail program shows, or broken.
pub fn kind(bytes: &[u8]) -> Option<Kind> {
    let (media_type, width) = match bytes {
        [0x89, b'P', b'N', b'G', ..] => ("image/png", u32::from_be_bytes(four(bytes, 16)?)),
        [b'G', b'I', b'F', b'8', ..] => ("image/gif", u32::from(little(bytes, 6)?)),
        [0xff, 0xd8, 0xff, ..] => ("image/jpeg", jpeg_width(bytes)?),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => ("image/webp", webp_width(bytes)?),
        _ => return None,
    };
    (width > 0).then_some(Kind { media_type, width })
}

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at + 4)?.try_into().ok()
}

fn little(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?.try_into().ok()?;
    Some(u16::from_le_bytes(pair))
}

fn big(bytes: &[u8], at: usize) -> Option<u16> {
    little(bytes, at).map(u16::swap_bytes)
}

/// Segment by segment, up to the one that begins a frame.
fn jpeg_width(bytes: &[u8]) -> Option<u32> {
    let mut at = 2;
    loop {
        let (mark, code) = (*bytes.get(at)?, *bytes.get(at + 1)?);
        if mark != 0xff {
            return None;
        }
        let is_frame = matches!(code, 0xc0..=0xcf) && !matches!(code, 0xc4 | 0xc8 | 0xcc);
        at = match code {
            _ if is_frame => return big(bytes, at + 7).map(u32::from),
            0xff => at + 1,
            _ => at + 2 + usize::from(big(bytes, at + 2)?),
        };
    }
}

fn webp_width(bytes: &[u8]) -> Option<u32> {
    match bytes.get(12..16)? {
        b"VP8 " => Some(u32::from(little(bytes, 26)? & 0x3fff)),
        b"VP8L" => Some(u32::from(little(bytes, 21)? & 0x3fff) + 1),
        b"VP8X" => {
            let [a, b, c, _] = four(bytes, 24)?;
            Some(u32::from_le_bytes([a, b, c, 0]) + 1)
        }
        _ => None,
    }
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Enough of a PNG to tell its width.
    pub fn png(width: u32) -> Vec<u8> {
        let head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        [&head[..], &width.to_be_bytes(), &[0, 0, 0, 9]].concat()
    }

    #[test]
    fn the_width_of_each_kind_is_read() {
        let webp = |form: &[u8], rest: &[u8]| [b"RIFF\0\0\0\0WEBP", form, rest].concat();
        let mut lossy = vec![0; 10];
        lossy.extend([0x20, 0x03, 0, 0]);
        let jpeg = [
            &b"\xff\xd8\xff\xe0\0\x04xx\xff\xff\xc2\0\x11\x08"[..],
            &[0, 9, 1, 44],
        ];
        for (bytes, media_type, width) in [
            (png(1200), "image/png", 1200),
            (b"GIF89a\x2c\x01\x05\0".to_vec(), "image/gif", 300),
            (jpeg.concat(), "image/jpeg", 300),
            (webp(b"VP8 ", &lossy), "image/webp", 800),
            (
                webp(b"VP8L", &[0, 0, 0, 0, 0x2f, 0x2b, 0xc1]),
                "image/webp",
                300,
            ),
            (
                webp(b"VP8X", &[0, 0, 0, 0, 0, 0, 0, 0, 0x2b, 1, 0, 0]),
                "image/webp",
                300,
            ),
        ] {
            assert_eq!(kind(&bytes), Some(Kind { media_type, width }));
        }
        assert_eq!(kind(b"<svg xmlns="), None);
        assert_eq!(kind(&png(0)), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_at_without_a_panic(
            head in proptest::sample::select(vec![&b"\xff\xd8\xff"[..], b"RIFF0000WEBPVP8X", b"GIF8"]),
            rest in proptest::collection::vec(any::<u8>(), 0..64),
        ) {
            let _ = kind(&[head, &rest].concat());
        }
    }
}
