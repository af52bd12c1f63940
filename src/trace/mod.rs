//! What a request does, step by step, for a collector of the owner's choice
//! (OpenTelemetry). Without one there is nothing of it: no span is made, no
//! number drawn, no clock asked.
//!
//! Written by ourselves because the shape is small and public: `context` (which
//! trace), `span` (one step), `otlp` (the JSON), `exporter` (the sending).

mod context;
mod counts;
mod exporter;
mod otlp;
mod span;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use tokio::sync::mpsc;

pub use context::{Context, Origin};
pub use counts::Counts;
pub use exporter::Exporter;
pub use span::{Begun, Kind, Span};

use crate::config::TraceSettings;

/// Takes spans. Cheap to clone; off unless it was started.
#[derive(Clone, Default)]
pub struct Tracer(Option<Arc<Inner>>);

struct Inner {
    ratio: f64,
    queue: mpsc::Sender<Span>,
    counts: Arc<Counts>,
}

impl Tracer {
    /// It, and the one who sends what it is given.
    pub fn start(settings: &TraceSettings) -> anyhow::Result<(Self, Exporter)> {
        let (queue, spans) = mpsc::channel(exporter::QUEUE);
        let counts = Arc::new(Counts::default());
        let exporter = Exporter::start(settings, spans, counts.clone())?;
        let inner = Inner {
            ratio: settings.ratio,
            queue,
            counts,
        };
        Ok((Self(Some(Arc::new(inner))), exporter))
    }

    /// A step within another one, if there is one, or the first of a trace. `parent`
    /// is asked for only where spans go anywhere.
    pub fn begin(&self, parent: impl FnOnce() -> Option<Context>) -> Option<Begun> {
        let inner = self.0.as_ref()?;
        Some(match parent() {
            Some(parent) => Begun::new(parent.child(), Some(parent.span)),
            None => Begun::new(Context::begin(inner.ratio), None),
        })
    }

    /// The same, but nothing without another one.
    pub fn within(&self, parent: Option<Context>) -> Option<Begun> {
        parent.and_then(|parent| self.begin(|| Some(parent)))
    }

    /// What is to be recorded is told here, and made only then.
    pub fn end(&self, begun: Option<Begun>, span: impl FnOnce(Begun) -> Span) {
        let (Some(inner), Some(begun)) = (&self.0, begun) else {
            return;
        };
        if begun.place.is_sampled && inner.queue.try_send(span(begun)).is_err() {
            inner.counts.overflowed.fetch_add(1, Relaxed);
        }
    }

    /// None when it is off.
    pub fn counts(&self) -> Option<&Counts> {
        self.0.as_deref().map(|inner| &*inner.counts)
    }
}
