//! The numbers of words: from a fixed range, so that what is learned is bounded
//! and no word can be read out of it.

pub const NUMBERS: usize = 1 << 16;

/// FNV-1a: quick for short words.
pub fn hash(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// The number of the word with this hash. Numbers are stored: neither ever changes.
pub fn number(hash: u32) -> u32 {
    ((hash >> 16) ^ hash) % NUMBERS as u32
}

pub struct NumberSet(Box<[u64; NUMBERS / 64]>);

impl NumberSet {
    pub fn new() -> Self {
        Self(Box::new([0; NUMBERS / 64]))
    }

    pub fn has(&self, number: u32) -> bool {
        self.0[number as usize / 64] & bit(number) != 0
    }

    /// False when it was there.
    pub fn add(&mut self, number: u32) -> bool {
        let is_new = !self.has(number);
        self.0[number as usize / 64] |= bit(number);
        is_new
    }
}

fn bit(number: u32) -> u64 {
    1 << (number % 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_words_never_change() {
        assert_eq!(number(hash("website")), 12325);
    }

    #[test]
    fn a_set_knows_what_was_added() {
        let mut set = NumberSet::new();
        assert!(set.add(65_535) && set.add(64) && !set.add(64));
        assert!(set.has(64) && set.has(65_535) && !set.has(0) && !set.has(65));
    }
}
