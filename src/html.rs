//! Escapes text for HTML elements and attributes.

pub fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // HTML parsers turn a bare CR into LF; a character reference preserves it.
            '\r' => out.push_str("&#13;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn escaped_text_holds_no_markup(text in any::<String>()) {
            let mut safe = String::new();
            escape(&text, &mut safe);
            prop_assert!(!safe.contains(['<', '>', '"', '\'']));
        }
    }
}
