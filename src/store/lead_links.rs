//! Links in mails to the owner that mark one lead without a session.
//!
//! A link carries a keyed hash of its lead and of the state that it sets. So links aren't stored,
//! nobody can make one from another, and a link ends with its lead.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::tx::{Tx, args};
use super::{LeadState, Result, Store};

/// The key of all these links.
pub struct LinkKey(Vec<u8>);

impl LinkKey {
    fn mac(&self, lead: &str, state: LeadState) -> Hmac<Sha256> {
        let mut mac = Hmac::new_from_slice(&self.0).expect("a key of any length will do");
        mac.update(format!("{} {lead}", state.as_str()).as_bytes());
        mac
    }

    /// The path, at the desk, that marks this lead.
    pub fn path(&self, lead: &str, state: LeadState) -> String {
        let mac = self.mac(lead, state).finalize().into_bytes();
        let mac = URL_SAFE_NO_PAD.encode(mac);
        format!("mark/{}/{lead}/{mac}", state.as_str())
    }

    /// Whether we made the link with these parts.
    pub fn is_ours(&self, lead: &str, state: LeadState, mac: &str) -> bool {
        let given = URL_SAFE_NO_PAD.decode(mac);
        given.is_ok_and(|given| self.mac(lead, state).verify_slice(&given).is_ok())
    }
}

impl Store {
    /// The key, which is created on first use.
    pub async fn link_key(&self) -> Result<LinkKey> {
        let find = |tx: &mut Tx<'_>| tx.column("SELECT secret FROM link_key", &[]);
        if let Some(key) = self.read(find).await?.pop() {
            return Ok(LinkKey(key));
        }
        let new = rand::random::<[u8; 32]>();
        let created = self.write(move |tx| {
            // Another replica may have created it first.
            let sql =
                "INSERT INTO link_key (id, secret) VALUES (1, $1) ON CONFLICT (id) DO NOTHING";
            tx.execute(sql, args![&new[..]])?;
            tx.value("SELECT secret FROM link_key", &[])
        });
        created.await.map(LinkKey)
    }
}
