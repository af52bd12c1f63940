//! What the build's own HTML says, found by its spelling: React writes every
//! attribute in double quotes, and every quote in a text as an entity.

/// The values of an attribute, in their order.
pub fn values<'a>(html: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {attribute}=\"");
    let pieces: Vec<&str> = html.split(&start).skip(1).collect();
    pieces
        .into_iter()
        .filter_map(|piece| piece.split('"').next())
}

/// The attributes and the text of each element of this name.
pub fn elements<'a>(html: &'a str, name: &str) -> Vec<(&'a str, &'a str)> {
    let (start, end) = (format!("<{name}"), format!("</{name}>"));
    let pieces = html.split(&start).skip(1).filter_map(|piece| {
        let (attributes, rest) = piece.split_once('>')?;
        let is_it = attributes.is_empty() || attributes.starts_with(' ');
        is_it.then(|| (attributes, rest.split(&end).next().unwrap_or(rest)))
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_and_elements_are_found() {
        let html =
            "<a href=\"/a\" id=\"x\">b</a><style>c</style><style id=\"own\">d</style><styled>";
        assert_eq!(values(html, "href").collect::<Vec<_>>(), ["/a"]);
        assert_eq!(values(html, "id").collect::<Vec<_>>(), ["x", "own"]);
        assert_eq!(elements(html, "style"), [("", "c"), (" id=\"own\"", "d")]);
    }
}
