//! Escapes text for HTML elements and attributes.

pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // HTML parsers turn a bare CR into LF; a character reference preserves it.
            '\r' => safe.push_str("&#13;"),
            c => safe.push(c),
        }
    }
    safe
}
