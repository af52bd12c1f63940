//! The frame of every HTML mail, and text made safe for it.

use crate::site::Site;

pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(c),
        }
    }
    safe
}

/// A whole page around `content`, which must be HTML already.
pub fn page(site: &Site, title: &str, content: &str) -> String {
    let (title, name) = (escape(title), escape(&site.name));
    let (url, location) = (escape(&site.url), escape(&site.location));
    format!(
        r#"<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title></head>
<body style="margin:0;padding:24px;background:#f4f4f7;color:#1c1b22;font:16px/1.5 sans-serif">
<div style="max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px">
{content}
</div>
<p style="max-width:560px;margin:16px auto;color:#5b5966;font-size:13px"><a href="{url}" style="color:#5b5966">{name}</a>, {location}</p>
</body>
</html>
"#
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn escaped_text_holds_no_markup(text in any::<String>()) {
            let safe = escape(&text);
            prop_assert!(!safe.contains(['<', '>', '"', '\'']));
        }
    }
}
