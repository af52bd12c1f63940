//! The plain form post of a browser without JavaScript.

use frontdoor::content::fields;

use crate::support::{TestApp, fields_with, header, urlencoded};

fn good() -> Vec<(&'static str, &'static str)> {
    fields_with(&[("phone", ""), ("message", "One\r\nTwo & three")])
}

/// The tag of the field with this name, for example `<input … name="email" …>`.
fn field_tag<'a>(html: &'a str, name: &str) -> &'a str {
    let place = html.find(&format!("name=\"{name}\"")).unwrap();
    let start = html[..place].rfind('<').unwrap();
    let end = place + html[place..].find('>').unwrap();
    &html[start..=end]
}

/// The value of an attribute.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = tag.split_once(&format!(" {name}=\""))?;
    after.split('"').next()
}

/// Which fields are marked as wrong, each linked to the message.
fn marked<'a>(html: &str, names: &[&'a str], message: &str) -> Vec<&'a str> {
    let is_marked = |name: &&&str| {
        let tag = field_tag(html, name);
        let wrong = attribute(tag, "aria-invalid") == Some("true");
        let described = attribute(tag, "aria-describedby").unwrap_or_default();
        assert_eq!(wrong, !described.is_empty(), "{tag}");
        if wrong {
            let region = format!(" id=\"{described}\"");
            let (_, after) = html.split_once(&region).expect("the message is there");
            let end = after.find("</div>").unwrap();
            assert!(after[..end].contains(message), "{tag} is told why");
        }
        wrong
    };
    names.iter().filter(is_marked).copied().collect()
}

#[tokio::test]
async fn a_bad_form_comes_back_with_the_words_typed_and_marks_the_wrong_fields_only() {
    let app = TestApp::start().await;
    let names = ["name", "email", "phone", "message"];
    let (required, shape) = (
        "Please fill in all required fields",
        "Please enter a valid email address",
    );
    let long = "5".repeat(41);
    let cases: [(Vec<_>, &[&str], &str); 3] = [
        (vec![], &["name", "email", "message"], required),
        (fields_with(&[("email", "a")]), &["email"], shape),
        (
            fields_with(&[("phone", &long)]),
            &["phone"],
            "Phone is too long: at most 40 characters",
        ),
    ];
    for (fields, wrong, message) in cases {
        let response = app.send_form(&fields).await;
        assert_eq!(response.status(), 422);
        let html = response.text().await.unwrap();
        assert_eq!(marked(&html, &names, message), wrong, "{fields:?}");
    }
    let failed = app.post_form(&good()).header("origin", "null");
    let html = failed.send().await.unwrap().text().await.unwrap();
    assert!(marked(&html, &names, "").is_empty(), "no field is to blame");

    let typed: Vec<_> = fields()
        .all()
        .map(|field| {
            (
                field.name,
                format!("\"{}\" & </textarea>{{{{x}}}}", field.name),
            )
        })
        .collect();
    let form = typed.iter().map(|(name, words)| (*name, words.as_str()));
    let response = app.send_form(&form.collect::<Vec<_>>()).await;
    assert_eq!(response.status(), 422, "one of them is no address");
    let kind = header(&response, "content-type");
    assert_eq!(kind, "text/html; charset=utf-8");
    assert_eq!(header(&response, "cache-control"), "no-store");
    let html = response.text().await.unwrap();
    assert!(html.contains("Please enter a valid email address"));
    for (name, _) in &typed {
        field_tag(&html, name);
        let kept = format!("&quot;{name}&quot; &amp; &lt;/textarea&gt;{{{{x}}}}");
        assert!(html.contains(&kept), "{name} is lost");
    }
    assert!(app.leads().await.is_empty());
}

#[tokio::test]
async fn the_newsletters_page_marks_its_field_when_it_is_wrong() {
    let app = TestApp::with(|args| args.network.rate_limit = Some("2".into())).await;
    let post = async |body: &str| {
        let request = app.request(reqwest::Method::POST, "/api/newsletter");
        let kind = "application/x-www-form-urlencoded";
        let request = request.header("content-type", kind);
        let response = request.body(body.to_owned()).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    };
    for (email, message) in [
        ("", "Please enter your email address"),
        ("\">&lt;b>", "Please enter a valid email address"),
    ] {
        let (status, html) = post(&urlencoded(&[("email", email)])).await;
        assert_eq!(status, 422);
        assert!(html.contains("action=\"/api/newsletter\"") && !html.contains("{{"));
        assert_eq!(marked(&html, &["email"], message), ["email"]);
        let value = attribute(field_tag(&html, "email"), "value").unwrap();
        let escaped = email.replace('&', "&amp;").replace('"', "&quot;");
        assert_eq!(value, escaped.replace('>', "&gt;"));
    }
    let (status, html) = post("email=ada%40example.org").await;
    assert_eq!(status, 429);
    assert!(html.contains("Failed to subscribe. Please try again later."));
    assert!(html.contains("ada@example.org"), "the words are kept");
    let marked = marked(&html, &["email"], "");
    assert!(marked.is_empty(), "the address isn't to blame");
}

#[tokio::test]
async fn a_form_that_is_pressed_twice_is_one_lead_and_ends_on_a_page_that_says_so() {
    let app = TestApp::start().await;
    let press = || app.post_form(&good()).send();
    let (one, two, three) = tokio::join!(press(), press(), press());
    for pressed in [one, two, three, press().await] {
        let pressed = pressed.unwrap();
        assert_eq!(pressed.status(), 303);
        let page = header(&pressed, "location");
        assert!(page.starts_with("/contact/sent?lead="), "{page}");
    }
    let page = app.get("/contact/sent").await;
    assert_eq!(page.status(), 200);
    let html = page.text().await.unwrap();
    assert!(html.contains("Thank you for your message! We will get back to you soon."));
    let leads = app.leads().await;
    assert_eq!(leads.len(), 1);
    assert_eq!(leads[0].message, "One\nTwo & three");
    // A browser may keep the page's key when the visitor writes something else.
    for message in ["First words", "Other words", "Other words", "First words"] {
        let form = fields_with(&[("message", message), ("idempotency_key", "key of the page")]);
        assert_eq!(app.send_form(&form).await.status(), 303);
    }
    assert_eq!(app.leads().await.len(), 3);
}
