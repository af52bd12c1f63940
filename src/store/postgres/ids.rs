//! The ids of leads. In a table of ours they are text; one that was there
//! before may have ids of another kind, and keeps them.
//!
//! Ids come in and go out as text. A statement reads one as `id::text` and
//! compares with [`IdKind::value`], so that the column's own index is used.

use uuid::Uuid;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdKind {
    Text,
    Uuid,
    /// Counted by the database.
    Integer,
}

impl IdKind {
    /// By the name of the column's type.
    pub fn of(type_name: &str) -> Option<Self> {
        match type_name {
            "text" | "varchar" => Some(Self::Text),
            "uuid" => Some(Self::Uuid),
            "int2" | "int4" | "int8" => Some(Self::Integer),
            _ => None,
        }
    }

    /// The parameter `$n` (given as text) as a value of the column's kind:
    /// `id = {value(1)}`. Only for what [`Self::read`] took.
    pub fn value(self, n: usize) -> String {
        format!("${n}{}", self.cast())
    }

    /// Goes behind an expression of type text.
    pub fn cast(self) -> &'static str {
        match self {
            Self::Text => "",
            Self::Uuid => "::uuid",
            Self::Integer => "::bigint",
        }
    }

    /// As the database writes it. `None`: no id of this kind, so there is no
    /// such lead; a cast would fail.
    pub fn read(self, id: &str) -> Option<String> {
        match self {
            // A zero byte is the one thing that text cannot hold.
            Self::Text => (!id.contains('\0')).then(|| id.to_owned()),
            Self::Uuid => Uuid::parse_str(id).ok().map(|id| id.to_string()),
            Self::Integer => id.parse::<i64>().ok().map(|id| id.to_string()),
        }
    }

    /// For a new lead. `None`: the database makes it (leave the column out of
    /// the INSERT and read it back with `RETURNING id::text`).
    pub fn fresh(self) -> Option<String> {
        match self {
            Self::Text | Self::Uuid => Some(Uuid::now_v7().to_string()),
            Self::Integer => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_id_of_the_kind_is_told_before_the_database_is_asked() {
        assert_eq!(IdKind::Integer.read("17"), Some("17".into()));
        assert_eq!(IdKind::Integer.read("017"), Some("17".into()));
        for bad in ["", "a", "1.5", "99999999999999999999", "1; DROP"] {
            assert_eq!(IdKind::Integer.read(bad), None, "{bad}");
        }
        let id = Uuid::now_v7().to_string();
        assert_eq!(IdKind::Uuid.read(&id.to_uppercase()), Some(id));
        assert_eq!(IdKind::Uuid.read("17"), None);
        assert_eq!(IdKind::Text.read("anything"), Some("anything".into()));
        assert_eq!(IdKind::Text.read("a\0b"), None);
    }
}
