//! Letters to the owner that list things: each section with its lines, and the
//! command that shows more. In both ways of showing a mail.

use crate::mail::page::{SMALL, safe};

pub struct Section {
    pub title: String,
    pub lines: Vec<String>,
    pub command: Option<&'static str>,
}

/// `end`: small, below all of them.
pub fn text(sections: &[Section], end: &str) -> String {
    let mut text = String::new();
    for Section {
        title,
        lines,
        command,
    } in sections
    {
        text += &format!("{title}\n");
        for line in lines {
            text += &format!("  - {line}\n");
        }
        if let Some(command) = command {
            text += &format!("  {command}\n");
        }
        text.push('\n');
    }
    format!("{text}-- \n{end}\n")
}

pub fn html(sections: &[Section], end: &str) -> String {
    let all: String = sections.iter().map(section).collect();
    format!(r#"{all}<p style="margin:0;{SMALL}">{}</p>"#, safe(end))
}

fn section(section: &Section) -> String {
    let mut html = format!(
        r#"<p style="margin:0 0 4px;font-weight:600">{}</p>
"#,
        safe(&section.title)
    );
    let lines = section.lines.iter();
    let lines: String = lines
        .map(|line| format!("<li>{}</li>", safe(line)))
        .collect();
    if !lines.is_empty() {
        html += &format!(
            r#"<ul style="margin:0 0 4px;padding-left:20px">{lines}</ul>
"#
        );
    }
    let command = section.command.unwrap_or_default();
    html += &format!(
        r#"<p style="margin:0 0 16px;font-family:monospace;font-size:14px">{}</p>
"#,
        safe(command)
    );
    html
}
