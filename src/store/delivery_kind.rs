//! Where deliveries go.

use super::Channel;
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
        /// To the owner, by e-mail: a lead waits, and little of the promise is left.
        DueMail = "due_mail",
        /// The same to the automation webhook.
        DueWebhook = "due_webhook",
        /// To the owner, by e-mail: what waits and what fails, once a day.
        Digest = "digest",
        /// To the owner, by e-mail: the webhook takes nothing.
        FaultMail = "fault_mail",
        /// To the webhook: mail takes nothing, so nobody was told of this lead.
        FaultWebhook = "fault_webhook",
    }
);

impl DeliveryKind {
    /// About a subscriber.
    pub fn is_for_subscriber(self) -> bool {
        self == Self::Confirm
    }

    /// About nobody; all others are about a lead.
    pub fn is_about_site(self) -> bool {
        matches!(self, Self::Digest | Self::FaultMail)
    }

    /// Only worth sending while its lead waits for an answer.
    pub fn is_reminder(self) -> bool {
        matches!(self, Self::DueMail | Self::DueWebhook)
    }

    /// Addressed to somebody other than the owner and the owner's programs.
    pub fn is_for_visitor(self) -> bool {
        matches!(self, Self::AutoReply | Self::Confirm)
    }

    /// Addressed to the owner; all others to a visitor or a program.
    pub fn is_for_owner(self) -> bool {
        self.channel() == Channel::Mail && !self.is_for_visitor()
    }

    /// The way it goes.
    pub fn channel(self) -> Channel {
        match self {
            Self::Webhook | Self::DueWebhook | Self::FaultWebhook => Channel::Webhook,
            _ => Channel::Mail,
        }
    }
}
