//! frontdoor
