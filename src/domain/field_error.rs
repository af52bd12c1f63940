//! What is wrong with which field, in words for the visitor.

use crate::content::{Field, MESSAGES};

/// One refused field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    pub field: &'static str,
    pub message: String,
}

impl FieldError {
    /// A required field is empty.
    pub fn required(field: &Field) -> Self {
        Self::new(field.name, MESSAGES.required.clone())
    }

    /// The e-mail address does not look like one.
    pub fn email_shape(field: &Field) -> Self {
        Self::new(field.name, MESSAGES.email_shape.clone())
    }

    /// The value has more characters than the field may hold.
    pub fn too_long(field: &Field) -> Self {
        let message = MESSAGES.too_long.replace("{field}", field.in_a_sentence());
        Self::new(
            field.name,
            message.replace("{limit}", &field.limit.to_string()),
        )
    }

    pub(super) fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self {
            field,
            message: message.into(),
        }
    }
}

/// All refused fields of one form, in the order of the form; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    /// `None` when there is nothing to complain about.
    pub(super) fn collect(errors: Vec<FieldError>) -> Option<Self> {
        (!errors.is_empty()).then_some(Self(errors))
    }

    pub fn as_slice(&self) -> &[FieldError] {
        &self.0
    }

    /// The one sentence for the whole form. An empty required field outranks
    /// every other complaint: the specification asks for its message whenever
    /// any of them is empty.
    pub fn summary(&self) -> &str {
        let required = &MESSAGES.required;
        self.0
            .iter()
            .find(|error| &error.message == required)
            .or(self.0.first())
            .map_or(required, |error| &error.message)
    }
}

impl From<FieldError> for FieldErrors {
    fn from(error: FieldError) -> Self {
        Self(vec![error])
    }
}
