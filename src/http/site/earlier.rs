//! The assets of the releases before the present one: pages of them may still be
//! open somewhere. Only their list is held; who asks for one waits until it is
//! read from the database.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::Semaphore;

use super::release::{self, StoredAsset};
use super::resource::Resource;
use super::shell::Shell;
use crate::store::Store;

/// However many ask: others wait.
static READING: Semaphore = Semaphore::const_new(2);

/// By their paths.
#[derive(Default)]
pub struct Earlier {
    pub assets: HashMap<String, Arc<StoredAsset>>,
    pub shell: Arc<Shell>,
}

/// Nothing where the database does not answer, or has it no more.
pub async fn read(asset: &StoredAsset, store: &Store, shell: &Shell) -> Option<Resource> {
    let _turn = READING.acquire().await.ok()?;
    let mut file = asset.file.clone();
    for (body, place) in file.bodies.iter_mut().zip(&asset.places) {
        let read = store.release_part(asset.release, place.clone()).await;
        let bytes = read.ok()?.ok()?;
        if release::tag(&bytes) != body.tag {
            return None;
        }
        body.bytes = Bytes::from(bytes);
    }
    Resource::new(&file, shell).ok()
}
