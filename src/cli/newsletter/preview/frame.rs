//! The page around the mail: how to look at it, and its plain text beside it.

use crate::mail::MailText;
use crate::mail::template::{IF_DARK, safe};
use crate::newsletter::Picture;

const STYLE: &str = "
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: #e6e4ee; color: #1c1b22; }
header { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: baseline; padding: 12px 16px;
  background: #fff; border-bottom: 1px solid #cbc8d8; }
h1 { margin: 0; font-size: 17px; overflow-wrap: anywhere; }
h2 { margin: 0 0 8px; font-size: 14px; font-weight: 600; }
nav { display: flex; gap: 8px; }
nav a { padding: 4px 12px; border: 1px solid #8f8aa8; border-radius: 8px; color: #3a2a8c;
  text-decoration: none; }
nav a[aria-current] { background: #3a2a8c; border-color: #3a2a8c; color: #fff; }
main { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start; padding: 16px; }
section { max-width: 100%; }
iframe { display: block; max-width: 100%; height: 1100px; border: 1px solid #cbc8d8;
  border-radius: 8px; background: #fff; }
pre { box-sizing: border-box; max-width: 100%; margin: 0; padding: 16px; border: 1px solid #cbc8d8;
  border-radius: 8px; background: #fff; font: 14px/1.5 ui-monospace, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; width: 620px; }
.wrong { margin: 48px auto; max-width: 640px; padding: 16px 24px; background: #fff;
  border-left: 4px solid #b3261e; }
";

/// How the owner looks at the mail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct View {
    is_dark: bool,
    /// In pixels: a window's, or a phone's.
    width: u32,
}

const DESK: u32 = 700;
const PHONE: u32 = 360;

impl View {
    /// From the query of an address.
    pub fn read(query: Option<&str>) -> Self {
        let asked = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        let mut view = Self {
            is_dark: false,
            width: DESK,
        };
        for (name, value) in asked {
            match (name.as_ref(), value.as_ref()) {
                ("scheme", "dark") => view.is_dark = true,
                ("width", "360") => view.width = PHONE,
                _ => {}
            }
        }
        view
    }

    fn query(self) -> String {
        let scheme = if self.is_dark { "dark" } else { "light" };
        format!("?scheme={scheme}&amp;width={}", self.width)
    }
}

pub fn page(view: &View, letter: &MailText) -> String {
    let link = |words: &str, to: View| {
        let here = match to == *view {
            true => " aria-current=\"page\"",
            false => "",
        };
        format!("<a href=\"/{}\"{here}>{words}</a>", to.query())
    };
    let colours = |is_dark| View { is_dark, ..*view };
    let wide = |width| View { width, ..*view };
    let (light, dark) = (link("Light", colours(false)), link("Dark", colours(true)));
    let (desk, phone) = (link("Desk", wide(DESK)), link("Phone", wide(PHONE)));
    let (subject, text) = (safe(&letter.subject), safe(&letter.text));
    let (query, width) = (view.query(), view.width);
    whole(&format!(
        r#"<header><h1>{subject}</h1><nav aria-label="Colours">{light}{dark}</nav><nav aria-label="Width">{desk}{phone}</nav></header>
<main>
<section><h2>HTML, {width} pixels wide</h2><iframe title="The mail" src="/mail{query}" width="{width}"></iframe></section>
<section><h2>Plain text</h2><pre>{text}</pre></section>
</main>"#
    ))
}

/// What is wrong with the file, until it is mended.
pub fn complaint(words: &str) -> String {
    whole(&format!("<p class=\"wrong\">{}</p>", safe(words)))
}

fn whole(content: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
        <meta name=\"viewport\" content=\"width=device-width\"><title>Preview</title>\
        <style>{STYLE}</style></head>\n<body>{content}<script src=\"/reload.js\"></script></body></html>\n"
    )
}

/// The mail as a program with these colours shows it, whatever the browser's.
pub fn as_seen(view: &View, letter: &MailText, pictures: &[Picture]) -> String {
    let mut html = match view.is_dark {
        true => letter.html.replace(IF_DARK, "@media all"),
        false => letter.html.replace(IF_DARK, "@media not all"),
    };
    for (number, picture) in pictures.iter().enumerate() {
        html = html.replace(
            &format!("cid:{}", picture.id),
            &format!("/picture/{number}"),
        );
    }
    html
}
