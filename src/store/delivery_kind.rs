//! Where deliveries go.

use crate::domain::stored_enum;

stored_enum!(
    /// Where a delivery goes.
    DeliveryKind {
        /// To the automation webhook.
        Webhook = "webhook",
        /// To the owner, by e-mail.
        Notify = "notify",
        /// To the visitor, by e-mail.
        AutoReply = "auto_reply",
        /// To a new subscriber, who is asked to confirm.
        Confirm = "confirm",
        /// To the owner, by e-mail: a lead is held back.
        HeldNotice = "held_notice",
    }
);

impl DeliveryKind {
    /// About a subscriber; all others are about a lead.
    pub fn is_for_subscriber(self) -> bool {
        self == Self::Confirm
    }

    /// Addressed to the owner; all others to a visitor or a program.
    pub fn is_for_owner(self) -> bool {
        matches!(self, Self::Notify | Self::HeldNotice)
    }
}
