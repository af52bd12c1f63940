//! Who counts as one client, and who as a neighbour.

use std::net::{IpAddr, Ipv6Addr};

/// What counts as one client: an IPv4 address, or an IPv6 network of the size
/// that one household or server has to choose from.
pub fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

/// On this machine or in a private network.
pub fn is_nearby(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}
