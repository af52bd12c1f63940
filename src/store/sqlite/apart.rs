//! Work that waits for the disk, where it holds up nobody.

use crate::store::{Result, StoreError};

pub async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| StoreError::Unavailable(error.to_string()))?
}
