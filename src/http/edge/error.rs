//! Errors as the caller sees them: `application/problem+json` (RFC 9457).

use http::StatusCode;
use serde::Serialize;

use super::body::{self, Answer};
use crate::domain::FieldError;

#[derive(Debug, Serialize)]
pub struct Problem<'a> {
    status: u16,
    title: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Field<'a>>,
}

#[derive(Debug, Serialize)]
struct Field<'a> {
    field: &'a str,
    message: &'a str,
}

impl<'a> Problem<'a> {
    pub fn new(status: StatusCode, detail: &'a str) -> Self {
        Self {
            status: status.as_u16(),
            title: status.canonical_reason().unwrap_or("Error"),
            detail,
            errors: Vec::new(),
        }
    }

    /// With a closer description than the name of the status.
    pub fn titled(mut self, title: Option<&'a str>) -> Self {
        self.title = title.unwrap_or(self.title);
        self
    }

    pub fn with_fields(mut self, fields: &'a [FieldError]) -> Self {
        let named = fields.iter().map(|error| Field {
            field: error.field,
            message: &error.message,
        });
        self.errors = named.collect();
        self
    }

    pub fn answer(&self) -> Answer {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        body::json(status, "application/problem+json", self)
    }
}
