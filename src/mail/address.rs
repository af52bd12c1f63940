//! Addresses as every mail server takes them.

use lettre::Address;

/// With its domain as the name servers know it (`xn--…`). Only letters beyond
/// ASCII before the `@` then ask anything of the mail server.
pub fn ascii_domain(address: &Address) -> Address {
    let domain = address.domain();
    if domain.is_ascii() {
        return address.clone();
    }
    let ascii = idna::domain_to_ascii(domain).ok();
    let written = ascii.and_then(|domain| Address::new(address.user(), domain).ok());
    written.unwrap_or_else(|| address.clone())
}
