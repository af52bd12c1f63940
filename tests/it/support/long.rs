//! Some tests have a long form: more of the same, for a quiet hour.

/// `FRONTDOOR_TEST_LONG=1` asks for it.
pub fn asked() -> bool {
    std::env::var_os("FRONTDOOR_TEST_LONG").is_some_and(|value| value == "1")
}

pub fn or_short<T>(long: T, short: T) -> T {
    if asked() { long } else { short }
}
