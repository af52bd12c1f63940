//! Which of the stored encodings a client gets (RFC 9110, 12.5.3), and
//! whether it has it already (13.1.2).

use serde::Deserialize;

/// How a stored body is encoded. The order is ours: on a tie the first wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    #[serde(rename = "br")]
    Brotli,
    Zstd,
    Gzip,
    Identity,
}

impl Encoding {
    pub const ALL: [Self; 4] = [Self::Brotli, Self::Zstd, Self::Gzip, Self::Identity];

    pub fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
            Self::Identity => "identity",
        }
    }

    pub fn index(self) -> usize {
        self as usize
    }

    fn from_name(name: &str) -> Option<Self> {
        let name = if name.eq_ignore_ascii_case("x-gzip") {
            "gzip"
        } else {
            name
        };
        Self::ALL
            .into_iter()
            .find(|each| each.name().eq_ignore_ascii_case(name))
    }
}

/// The best encoding among those `available`. Identity is always there: an
/// uncompressed page is a better answer than a refusal.
pub fn choose(accept: Option<&str>, available: impl Fn(Encoding) -> bool) -> Encoding {
    let Some(accept) = accept else {
        return Encoding::Identity;
    };
    let weights = weights(accept);
    let mut best = (Encoding::Identity, 0);
    for encoding in Encoding::ALL {
        let weight = weights[encoding.index()];
        if weight > best.1 && available(encoding) {
            best = (encoding, weight);
        }
    }
    best.0
}

/// The weight of each encoding in thousandths.
fn weights(accept: &str) -> [u16; 4] {
    let mut named = [None; 4];
    let mut others = None;
    for entry in accept.split(',') {
        let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
        let (name, weight) = (name.trim(), weight(parameters));
        if name == "*" {
            others = Some(weight);
        } else if let Some(encoding) = Encoding::from_name(name) {
            named[encoding.index()] = Some(weight);
        }
    }
    // Identity is acceptable unless excluded, but asked for only when named.
    Encoding::ALL.map(|encoding| match (named[encoding.index()], encoding) {
        (Some(weight), _) => weight,
        (None, Encoding::Identity) => 0,
        (None, _) => others.unwrap_or(0),
    })
}

/// `q=0.5` as 500; a malformed weight excludes its entry.
fn weight(parameters: &str) -> u16 {
    let parameters = parameters.trim();
    if parameters.is_empty() {
        return 1000;
    }
    let Some(("q" | "Q", value)) = parameters.split_once('=') else {
        return 0;
    };
    match value.trim().parse::<f32>() {
        Ok(value) if (0.0..=1.0).contains(&value) => (value * 1000.0).round() as u16,
        _ => 0,
    }
}

/// Whether `If-None-Match` names this tag. The comparison is weak: a proxy
/// that compresses marks our tags with `W/`.
pub fn matches_tag(if_none_match: &str, tag: &str) -> bool {
    if if_none_match.trim() == "*" {
        return true;
    }
    if_none_match.split(',').any(|candidate| {
        let candidate = candidate.trim();
        candidate.strip_prefix("W/").unwrap_or(candidate) == tag
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn best(accept: &str) -> &'static str {
        choose(Some(accept), |_| true).name()
    }

    #[test]
    fn the_highest_weight_wins_and_ties_follow_our_order() {
        assert_eq!(best("gzip, deflate, br, zstd"), "br");
        assert_eq!(best("gzip, zstd"), "zstd");
        assert_eq!(best("gzip;q=1.0, br;q=0.5"), "gzip");
        assert_eq!(best("GZIP"), "gzip");
        assert_eq!(best("x-gzip"), "gzip");
        assert_eq!(best("*"), "br");
        assert_eq!(best("br;q=0, *;q=0.1"), "zstd");
        assert_eq!(best("identity, gzip;q=0.5"), "identity");
    }

    #[test]
    fn an_excluded_encoding_is_never_chosen() {
        assert_eq!(best("br;q=0, gzip;q=0.000"), "identity");
        assert_eq!(best("*;q=0"), "identity");
        assert_eq!(best("br;q=0,gzip"), "gzip");
        assert_eq!(best("deflate"), "identity");
        assert_eq!(best(""), "identity");
        assert_eq!(choose(None, |_| true), Encoding::Identity);
    }

    #[test]
    fn only_what_is_stored_is_chosen() {
        let gzip_only = |encoding| matches!(encoding, Encoding::Gzip | Encoding::Identity);
        assert_eq!(choose(Some("br, gzip;q=0.1"), gzip_only), Encoding::Gzip);
        assert_eq!(choose(Some("br, zstd"), gzip_only), Encoding::Identity);
    }

    #[test]
    fn tags_match_in_lists_weakly_and_by_star() {
        assert!(matches_tag("\"a\"", "\"a\""));
        assert!(matches_tag("\"x\", W/\"a\"", "\"a\""));
        assert!(matches_tag(" * ", "\"a\""));
        assert!(!matches_tag("\"aa\"", "\"a\""));
        assert!(!matches_tag("a", "\"a\""));
        assert!(!matches_tag("", "\"a\""));
    }

    proptest! {
        #[test]
        fn any_accept_encoding_is_answered(text in "\\PC{0,60}") {
            choose(Some(&text), |_| true);
        }

        #[test]
        fn an_encoding_with_weight_zero_stays_out(others in "(gzip|br|zstd|\\*)(;q=0\\.[0-9])?") {
            let accept = format!("{others}, br;q=0");
            prop_assert_ne!(best(&accept), "br");
        }
    }
}
