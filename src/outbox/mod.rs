//! How a stored lead reaches the owner.
