//! Every body is what it says: its tag is of its bytes, and unpacked it is the
//! file as it is.

use std::io::Read as _;

use super::super::negotiate::Encoding;
use super::super::release::{Body, Edition, tag};

pub fn faults(edition: &Edition) -> Vec<String> {
    let mut faults = Vec::new();
    for file in &edition.files {
        let plain = &file.bodies[0].bytes;
        for body in &file.bodies {
            let (path, encoding) = (&file.path, body.encoding.name());
            if tag(&body.bytes) != body.tag {
                faults.push(format!(
                    "{path}: the tag of its {encoding} form is another's"
                ));
            }
            if unpacked(body, plain.len()).as_deref() != Some(plain) {
                faults.push(format!("{path}: its {encoding} form is another file"));
            }
        }
    }
    faults
}

/// No more of it than is expected, and a byte.
fn unpacked(body: &Body, expected: usize) -> Option<Vec<u8>> {
    let packed = &*body.bytes;
    let mut plain = Vec::with_capacity(expected + 1);
    let most = expected as u64 + 1;
    let read = match body.encoding {
        Encoding::Identity => return Some(packed.to_vec()),
        Encoding::Gzip => flate2::read::GzDecoder::new(packed)
            .take(most)
            .read_to_end(&mut plain),
        Encoding::Brotli => brotli::Decompressor::new(packed, 4096)
            .take(most)
            .read_to_end(&mut plain),
        Encoding::Zstd => return None,
    };
    read.is_ok().then_some(plain)
}
