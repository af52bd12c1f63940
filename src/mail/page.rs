//! The frame of every HTML mail, and text made safe for it.

use crate::content::{MailColours, Site};
use crate::html::escape;

/// The style of what matters less.
pub const SMALL: &str = "color:#5b5966;font-size:13px";

pub fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    escape(text, &mut safe);
    safe
}

/// What stands in a page's head. Programs that throw it away show the page in
/// light colours, which all stand in the elements themselves.
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

/// A whole page around `content`, which must be HTML already. Its head is dark
/// in light colours, too: nobody's program puts a dark name on a dark ground.
pub fn page(site: &Site, title: &str, content: &str) -> String {
    let (title, name, email) = (safe(title), safe(&site.name), safe(&site.email));
    let (url, location) = (safe(&site.url), safe(&site.location));
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

/// HTML whose links have no style yet, with links in the colour of the site's
/// buttons: on white it is read as well as white is on it.
pub fn colour_links(site: &Site, html: &str) -> String {
    let colour = &site.mail_colours.button;
    html.replace("<a href=", &format!("<a style=\"color:{colour}\" href="))
}

/// A link that looks like the site's buttons.
pub fn button(site: &Site, url: &str, label: &str) -> String {
    let (url, label) = (safe(url), safe(label));
    let ground = &site.mail_colours.button;
    format!(
        r#"<p style="margin:24px 0"><a class="button" href="{url}" style="display:inline-block;padding:12px 24px;border-radius:12px;background:{ground};color:#ffffff;font-weight:600;text-decoration:none">{label}</a></p>"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::SITE;

    #[test]
    fn a_mail_is_in_the_colours_of_its_site() {
        let mut site = SITE.clone();
        let colours = r##"{"head":"#010101","button":"#020202","link":"#030303"}"##;
        site.mail_colours = serde_json::from_str(colours).unwrap();
        let mail = |site: &Site| page(site, "Title", &button(site, "https://x", "Press"));
        let own = mail(&site);
        let drawn = MailColours::default();
        site.mail_colours = drawn.clone();
        let ours = mail(&site);
        for (colour, times, default) in [
            ("#010101", 2, drawn.head),
            ("#020202", 1, drawn.button),
            ("#030303", 1, drawn.link),
        ] {
            assert_eq!(own.matches(colour).count(), times, "{own}");
            assert!(!own.contains(&default.to_string()), "{own}");
            assert!(ours.contains(&default.to_string()), "{ours}");
        }
    }
}
