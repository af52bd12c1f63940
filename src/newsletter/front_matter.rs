//! What stands between two lines of `+++` at the top of a file: the subject of
//! an issue, or all that belongs to a post of the blog.

#[derive(Debug, PartialEq, Eq)]
pub enum Front {
    /// Nothing that says what the file is.
    Plain,
    Subject(String),
    /// A post of the blog, by its title.
    Post(String),
}

/// What is wrong with it.
pub type Wrong = &'static str;

/// What the front matter says, and the rest.
pub fn split(source: &str) -> Result<(Front, &str), Wrong> {
    let Some(rest) = source.strip_prefix("+++\n") else {
        return Ok((Front::Plain, source));
    };
    let unclosed = "its second line of +++ is missing";
    let (head, body) = match rest.strip_prefix("+++\n") {
        Some(body) => ("", body),
        None => rest.split_once("\n+++\n").ok_or(unclosed)?,
    };
    Ok((read(head)?, body))
}

fn read(head: &str) -> Result<Front, Wrong> {
    let lines = head.lines().map(str::trim);
    let said = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let said: Vec<&str> = said.collect();
    if let Some(title) = title(&said) {
        let wrong = "the title of a post is one line like title = \"…\"";
        return title.map(Front::Post).ok_or(wrong);
    }
    match said.as_slice() {
        [] => Ok(Front::Plain),
        [line] if let Some(subject) = value(line, "subject") => Ok(Front::Subject(subject)),
        _ => Err(
            "one line like subject = \"…\" is all that can stand there, or what a post of the \
            blog has",
        ),
    }
}

/// Of a post; the inner one is empty when it cannot be read.
fn title(said: &[&str]) -> Option<Option<String>> {
    // What follows a heading is about something else.
    let own = said.iter().take_while(|line| !line.starts_with('['));
    let mut titles = own.filter(|line| {
        let rest = line.strip_prefix("title").map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with('='))
    });
    titles.next().map(|line| value(line, "title"))
}

/// The value of one line of TOML, in either kind of quotes. What stands in
/// double ones is written as in JSON.
fn value(line: &str, name: &str) -> Option<String> {
    let value = line.strip_prefix(name)?.trim_start();
    let value = value.strip_prefix('=')?.trim_start();
    let (text, rest) = match value.strip_prefix('\'') {
        Some(literal) => literal
            .split_once('\'')
            .map(|(text, rest)| (text.to_owned(), rest))?,
        None => {
            let mut json = serde_json::Deserializer::from_str(value).into_iter();
            (json.next()?.ok()?, &value[json.byte_offset()..])
        }
    };
    let rest = rest.trim_start();
    (rest.is_empty() || rest.starts_with('#')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_of_the_blog_is_known_by_its_title() {
        let source = "+++\n# An article\nid = \"post-2\"\ntitle = \"How AI \\\"works\\\"\"\n\
            categories = [\"a\"]\n\n[picture]\nalt = \"x\"\n+++\n\nBody";
        let (front, body) = split(source).unwrap();
        assert_eq!(front, Front::Post("How AI \"works\"".into()));
        assert_eq!(body, "\nBody");
    }

    #[test]
    fn a_title_of_something_else_makes_no_post() {
        let (other, broken) = (
            "+++\nid = 1\n[cta]\ntitle = \"x\"\n+++\n",
            "+++\ntitle = x\n+++\n",
        );
        assert!(split(other).is_err() && split(broken).is_err());
    }
}
