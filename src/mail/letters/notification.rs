//! The mail that tells the owner of a new lead.

use super::Letter;
use crate::content::Site;
use crate::domain::one_line;
use crate::lead_facts::Fact;
use crate::mail::page::{SMALL, safe};
use crate::store::Lead;

/// `can_reply`: an answer to the mail goes to the visitor.
pub fn letter(site: &Site, lead: &Lead, can_reply: bool) -> Letter {
    let name = one_line(&lead.name);
    let subject = format!("New message from {name} ({})", site.name);
    about(site, lead, subject, None, can_reply)
}

/// A letter with all of a lead, for whatever reason. `lead_in`: stands first.
pub(super) fn about(
    site: &Site,
    lead: &Lead,
    subject: String,
    lead_in: Option<&str>,
    can_reply: bool,
) -> Letter {
    let facts = facts(site, lead);
    let end = match can_reply {
        true => "Reply to this mail to answer the visitor.",
        false => "Write to the visitor's address above; a reply to this mail does not go there.",
    };
    let (mut text, mut html) = (text(&facts, lead, end), html(&facts, lead, end));
    if let Some(lead_in) = lead_in {
        text = format!("{lead_in}\n\n{text}");
        let lead_in = safe(lead_in);
        html = format!(r#"<p style="margin:0 0 16px;font-weight:600">{lead_in}</p>{html}"#);
    }
    Letter::new(site, subject, text, &html)
}

/// Label and value of all that is known beside the message.
fn facts(site: &Site, lead: &Lead) -> Vec<(String, String)> {
    let facts = lead.facts();
    let time = site.minute(lead.created_at);
    let lines = facts.typed.into_iter().filter(Fact::is_line);
    lines
        .chain([facts.form, facts.received.saying(time)])
        .chain(facts.source)
        .chain([facts.id])
        .filter_map(|fact| Some((fact.label.into_owned(), one_line(&fact.value?))))
        .collect()
}

fn text(facts: &[(String, String)], lead: &Lead, end: &str) -> String {
    let lines: Vec<_> = facts
        .iter()
        .map(|(label, value)| format!("{label}: {value}"))
        .collect();
    format!("{}\n\n{}\n\n-- \n{end}\n", lines.join("\n"), lead.message)
}

fn html(facts: &[(String, String)], lead: &Lead, end: &str) -> String {
    let rows: String = facts
        .iter()
        .map(|(label, value)| {
            format!(
                r#"<tr><th style="padding:2px 16px 2px 0;text-align:left;vertical-align:top;font-weight:600">{}</th><td>{}</td></tr>
"#,
                safe(label),
                safe(value)
            )
        })
        .collect();
    let (message, end) = (safe(&lead.message), safe(end));
    format!(
        r#"<p style="margin:0 0 16px;white-space:pre-wrap">{message}</p>
<table style="border-collapse:collapse;font-size:14px">
{rows}</table>
<p style="margin:16px 0 0;{SMALL}">{end}</p>"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::SITE;

    #[test]
    fn the_owner_is_told_every_field_of_the_form() {
        let (lead, typed) = Lead::with_every_field();
        let Letter { text, html, .. } = letter(&SITE, &lead, true);
        for (_, words) in typed {
            assert!(text.contains(&words), "{words} is not in:\n{text}");
            assert!(html.contains(&words), "{words} is not in:\n{html}");
        }
    }
}
