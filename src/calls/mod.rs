//! Parts that all outgoing calls share: whom it trusts (`tls`), how it speaks HTTP
//! (`http`), and in which words it says why it failed (`cause`).

pub mod cause;
pub mod http;
pub mod tls;
