//! Whether two tables hold the same rows, in whichever order.

use sha2::{Digest as _, Sha256};

use super::table::Row;

/// How many rows, and the sum of their hashes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksum {
    pub rows: u64,
    sum: u128,
}

impl Checksum {
    pub fn add(&mut self, row: &Row) {
        let mut hash = Sha256::new();
        for cell in row {
            // Nothing differs from an empty word, and no cell runs into the next.
            match cell {
                None => hash.update([0]),
                Some(word) => {
                    hash.update([1]);
                    hash.update(word.len().to_be_bytes());
                    hash.update(word);
                }
            }
        }
        let hash = hash.finalize();
        let half = hash.first_chunk().copied().unwrap_or_default();
        self.sum = self.sum.wrapping_add(u128::from_be_bytes(half));
        self.rows += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(rows: &[&[Option<&str>]]) -> Checksum {
        let mut sum = Checksum::default();
        for row in rows {
            sum.add(&row.iter().map(|cell| cell.map(str::to_owned)).collect());
        }
        sum
    }

    #[test]
    fn the_order_of_rows_does_not_count() {
        let (one, two): (&[_], &[_]) = (&[Some("a"), None], &[Some("b"), Some("")]);
        assert_eq!(sum(&[one, two]), sum(&[two, one]));
    }

    #[test]
    fn every_difference_does() {
        let all: [&[&[Option<&str>]]; 8] = [
            &[],
            &[&[Some("a"), Some("b")]],
            &[&[Some("ab"), Some("")]],
            &[&[Some("ab"), None]],
            &[&[None, Some("ab")]],
            &[&[Some("a"), Some("b")], &[Some("a"), Some("b")]],
            &[&[Some("a")], &[Some("b")]],
            &[&[Some("A"), Some("b")]],
        ];
        for (n, one) in all.iter().enumerate() {
            for (m, other) in all.iter().enumerate() {
                assert_eq!(sum(one) == sum(other), n == m, "{n} and {m}");
            }
        }
    }
}
