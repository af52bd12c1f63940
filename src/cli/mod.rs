//! The owner's commands, one file each.
