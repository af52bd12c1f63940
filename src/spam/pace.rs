//! How fast it was sent, where a script of the page measured it. A person may
//! paste what was written before, so this holds nobody by itself.

use std::time::Duration;

use super::{Assessment, Sent};

const AT_ONCE: Duration = Duration::from_secs(4);
/// Nobody reads the form and types so much at once.
const MUCH: usize = 80;

pub fn judge(sent: Sent<'_>, found: &mut Assessment) {
    let is_long = || sent.message.chars().count() > MUCH;
    if sent.elapsed.is_some_and(|elapsed| elapsed < AT_ONCE) && is_long() {
        found.add(2.0, "a long message within seconds of opening the page");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_much_text_at_once_counts() {
        let score = |message: &str, seconds: Option<u64>| {
            let (name, email) = ("Ada", "ada@example.org");
            let elapsed = seconds.map(Duration::from_secs);
            let mut found = Assessment::default();
            let sent = Sent {
                name,
                email,
                message,
                elapsed,
            };
            judge(sent, &mut found);
            found.score()
        };
        let long = "word ".repeat(40);
        assert_eq!(score(&long, Some(2)), 2.0);
        assert_eq!(score(&long, Some(5)), 0.0);
        assert_eq!(score(&long, None), 0.0);
        assert_eq!(score("call me", Some(1)), 0.0);
    }
}
