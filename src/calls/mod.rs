//! What every call out has in common: whom it trusts (`tls`), and in which
//! words it says why it failed (`cause`).

pub mod cause;
pub mod tls;
