//! The look of mails: the parts of a mail, rendered as plain text and HTML, and the page around
//! them.

use std::borrow::Cow;

use crate::content::{MailColours, Site};
use crate::html::escape;

/// The style of less important text.
pub const SMALL: &str = "color:#5b5966;font-size:13px";

/// Mail programs that drop the head show the light colours, which are inline in the elements.
const STYLE: &str = r#"<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
img { max-width: 100%; height: auto; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; }
@media (max-width: 480px) {
body { padding: 8px !important; }
}
@media (prefers-color-scheme: dark) {
body { background: {head} !important; color: #ececec !important; }
.card { background: rgba(255, 255, 255, 0.09) !important; }
.card * { color: #ececec !important; border-color: #4f4f4f !important; }
.card a { color: {link} !important; }
.card a.button { color: #ffffff !important; }
.head { background: none !important; }
.head a { color: #f6f6f6 !important; }
.card [style*="5b5966"], [style*="5b5966"] { color: #bababa !important; }
}
</style>"#;

/// A mail's subject, and its body in both formats.
pub struct MailText {
    pub subject: String,
    pub text: String,
    pub html: String,
}

pub enum Block {
    Paragraph(String),
    Strong(String),
    Note(String),
    Button {
        url: String,
        label: String,
    },
    /// Labels and addresses, one below the other.
    Links(Vec<(Cow<'static, str>, String)>),
    /// Labels and values.
    Fields(Vec<(Cow<'static, str>, String)>),
    /// A title, its lines, and a command that shows more or fixes it.
    List(String, Vec<String>, Option<&'static str>),
    /// The footer.
    Foot {
        text: String,
        html: String,
    },
}

impl MailText {
    pub fn new(site: &Site, subject: String, blocks: &[Block]) -> Self {
        let text: Vec<_> = blocks.iter().map(Block::text).collect();
        let html: Vec<_> = blocks.iter().map(|block| block.html(site)).collect();
        Self {
            text: text.join("\n\n") + "\n",
            html: page(site, &subject, &html.join("\n")),
            subject,
        }
    }
}

impl Block {
    pub fn foot(text: &str) -> Self {
        Self::Foot {
            text: text.to_owned(),
            html: text.to_owned(),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Paragraph(text) | Self::Strong(text) | Self::Note(text) => text.clone(),
            Self::Button { url, .. } => url.clone(),
            Self::Links(pairs) | Self::Fields(pairs) => {
                let lines = pairs
                    .iter()
                    .map(|(label, value)| format!("{label}: {value}"));
                lines.collect::<Vec<_>>().join("\n")
            }
            Self::List(title, lines, command) => {
                let lines = lines.iter().map(|line| format!("\n  - {line}"));
                let command = command.iter().map(|command| format!("\n  {command}"));
                lines
                    .chain(command)
                    .fold(title.clone(), |all, line| all + &line)
            }
            Self::Foot { text, .. } => format!("-- \n{text}"),
        }
    }

    fn html(&self, site: &Site) -> String {
        let paragraph = |style: &str, text: &str| {
            let text = escape(text).replace('\n', "<br>\n");
            format!(r#"<p style="margin:0 0 16px;{style}">{text}</p>"#)
        };
        match self {
            Self::Paragraph(text) => paragraph("", text),
            Self::Strong(text) => paragraph("font-weight:600", text),
            Self::Note(text) => paragraph(SMALL, text),
            Self::Button { url, label } => {
                let (url, label, background) =
                    (escape(url), escape(label), &site.mail_colours.button);
                format!(
                    r#"<p style="margin:24px 0"><a class="button" href="{url}" style="display:inline-block;padding:12px 24px;border-radius:12px;background:{background};color:#ffffff;font-weight:600;text-decoration:none">{label}</a></p>"#
                )
            }
            Self::Links(links) => {
                let colour = &site.mail_colours.button;
                // High enough to be tapped with a thumb.
                let style = format!("display:block;padding:10px 0;color:{colour}");
                let link = |(label, url): &(Cow<'_, str>, String)| {
                    format!(r#"<a href="{}" style="{style}">{label}</a>"#, escape(url))
                };
                let links: String = links.iter().map(link).collect();
                format!(r#"<p style="margin:0 0 16px">{links}</p>"#)
            }
            Self::Fields(fields) => {
                let head = "padding:2px 16px 2px 0;text-align:left;vertical-align:top";
                let row = |(label, value): &(Cow<'_, str>, String)| {
                    let (label, value) = (escape(label), escape(value));
                    format!("<tr><th style=\"{head}\">{label}</th><td>{value}</td></tr>\n")
                };
                let rows: String = fields.iter().map(row).collect();
                format!(
                    "<table style=\"margin:0 0 16px;border-collapse:collapse;font-size:14px\">\n\
                    {rows}</table>"
                )
            }
            Self::List(title, lines, command) => {
                let items = lines
                    .iter()
                    .map(|line| format!("<li>{}</li>", escape(line)));
                let items: String = items.collect();
                let list = format!("<ul style=\"padding-left:20px\">{items}</ul>\n");
                [
                    paragraph("font-weight:600", title),
                    if items.is_empty() { items } else { list },
                    paragraph("font-family:monospace", command.unwrap_or_default()),
                ]
                .concat()
            }
            Self::Foot { html, .. } => paragraph(
                &format!("margin-bottom:0;overflow-wrap:anywhere;{SMALL}"),
                html,
            ),
        }
    }
}

/// A complete page around `content`, which must be HTML. Its header is dark even in light mode, so
/// that no mail program puts a dark name on a dark background.
pub fn page(site: &Site, title: &str, content: &str) -> String {
    let (title, name, email) = (escape(title), escape(&site.name), escape(&site.email));
    let (url, location) = (escape(&site.url), escape(&site.location));
    let MailColours { head, link, .. } = &site.mail_colours;
    let style = STYLE.replace("{link}", &link.to_string());
    let style = style.replace("{head}", &head.to_string());
    format!(
        r#"<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
{style}</head>
<body style="margin:0;padding:24px;background:#f4f4f7;color:#1c1b22;font:16px/1.6 sans-serif">
<div class="card" style="max-width:560px;margin:0 auto;background:#ffffff;border-radius:12px;overflow:hidden">
<div class="head" style="padding:16px 24px;background:{head}"><a href="{url}" style="color:#f6f3ff;font-size:18px;font-weight:700;text-decoration:none">{name}</a></div>
<div style="padding:24px">
{content}
</div>
</div>
<p style="max-width:560px;margin:16px auto;{SMALL}"><a href="{url}" style="color:#5b5966">{name}</a>, {location} | <a href="mailto:{email}" style="color:#5b5966">{email}</a></p>
</body>
</html>
"#
    )
}

/// Gives links without a style the colour of the site's buttons, which is legible on white.
pub fn colour_links(site: &Site, html: &str) -> String {
    let colour = &site.mail_colours.button;
    html.replace("<a href=", &format!("<a style=\"color:{colour}\" href="))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::site;

    #[test]
    fn a_mail_is_in_the_colours_of_its_site() {
        let mut site = site().clone();
        let colours = r##"{"head":"#010101","button":"#020202","link":"#030303"}"##;
        site.mail_colours = serde_json::from_str(colours).unwrap();
        let button = [Block::Button {
            url: "https://x".into(),
            label: "Press".into(),
        }];
        let mail = |site: &Site| MailText::new(site, "Title".into(), &button).html;
        let own = mail(&site);
        let link = colour_links(&site, "<a href=\"/x\">");
        assert_eq!(link, "<a style=\"color:#020202\" href=\"/x\">");
        let default = MailColours::default();
        site.mail_colours = default.clone();
        let with_default = mail(&site);
        for (colour, times, default) in [
            ("#010101", 2, default.head),
            ("#020202", 1, default.button),
            ("#030303", 1, default.link),
        ] {
            assert_eq!(own.matches(colour).count(), times, "{own}");
            let default = default.to_string();
            assert!(!own.contains(&default), "{own}");
            assert!(with_default.contains(&default), "{with_default}");
        }
    }
}
