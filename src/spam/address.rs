//! The shape of an address: what people do not call themselves.

use super::Assessment;
use super::links::is_cheap_ending;
use super::shape::is_hard_to_say;

const TRADES: [&str; 25] = [
    "seo",
    "backlink",
    "ranking",
    "traffic",
    "casino",
    "crypto",
    "bitcoin",
    "forex",
    "loan",
    "invest",
    "bonus",
    "pills",
    "meds",
    "followers",
    "outreach",
    "leadgen",
    "promo",
    "marketing",
    "slots",
    "betting",
    "dating",
    "replica",
    "diplom",
    "viagra",
    "cashadvance",
];

pub fn judge(email: &str, found: &mut Assessment) {
    let email = email.to_lowercase();
    let (name, host) = email.rsplit_once('@').unwrap_or((&email, ""));
    if name.matches('.').count() >= 4 {
        found.add(2.5, "an address with dots between its letters");
    }
    let digits = longest_run(name, |c| c.is_ascii_digit());
    if digits >= 4 {
        found.add(1.0, "an address with a long number");
    }
    let letters: String = name.chars().filter(|c| c.is_alphabetic()).collect();
    if is_hard_to_say(&letters) {
        found.add(1.5, "an address of letters that make no name");
    }
    if is_cheap_ending(host) {
        found.add(
            1.0,
            "an address at a domain of a kind that is bought by the thousand",
        );
    }
    if TRADES.iter().any(|trade| email.contains(trade)) {
        found.add(1.2, "an address named after what spam sells");
    }
}

fn longest_run(text: &str, is_one: impl Fn(char) -> bool) -> usize {
    let runs = text.split(|c| !is_one(c)).map(|run| run.chars().count());
    runs.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(email: &str) -> f64 {
        let mut found = Assessment::default();
        judge(email, &mut found);
        found.score()
    }

    #[test]
    fn odd_shapes_count_and_names_do_not() {
        for plain in [
            "ada@example.org",
            "jean-luc.st-pierre@example.ca",
            "cwong88@example.net",
            "szczepanski@example.com",
            "o.j.k@example.com",
        ] {
            assert_eq!(score(plain), 0.0, "{plain}");
        }
        for odd in [
            "a.b.c.d.e.f@example.com",
            "anna99812@example.com",
            "xkqzvwtr@example.com",
            "seo-team@example.com",
            "ada@example.top",
        ] {
            assert!(score(odd) >= 1.0, "{odd}");
        }
    }
}
