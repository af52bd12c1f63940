use super::*;

fn load(change: impl FnOnce(&mut ServeArgs)) -> Result<Settings, ConfigError> {
    let mut args = ServeArgs::default();
    change(&mut args);
    Settings::load(&args)
}

fn complaint(change: impl FnOnce(&mut ServeArgs)) -> String {
    load(change).expect_err("a wrong value").to_string()
}

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

#[test]
fn without_any_setting_the_defaults_of_the_contract_hold() {
    let settings = load(|_| {}).unwrap();
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.ops_listen.unwrap().to_string(), "127.0.0.1:9090");
    assert_eq!(
        format!("{:?}", settings.database),
        "sqlite://data/frontdoor.db"
    );
    assert_eq!(settings.rate_limit, 10);
    assert!(settings.webhook.is_none() && settings.mail.is_none() && settings.chat.is_none());
    assert!(settings.trusted_proxies.is_empty());
}

#[test]
fn an_empty_value_counts_as_not_set() {
    let settings = load(|args| {
        args.listen = Some(String::new());
        args.webhook_url = Some("  ".into());
    });
    let settings = settings.unwrap();
    assert_eq!(settings.listen.port(), 8080);
    assert!(settings.webhook.is_none());
}

#[test]
fn each_wrong_value_names_its_setting() {
    type Change = fn(&mut ServeArgs, String);
    let cases: [(&str, &str, Change); 20] = [
        ("FRONTDOOR_LISTEN", "8080", |a, v| a.listen = Some(v)),
        ("FRONTDOOR_LISTEN", "127.0.0.1:99999", |a, v| {
            a.listen = Some(v)
        }),
        ("FRONTDOOR_OPS_LISTEN", "on", |a, v| a.ops_listen = Some(v)),
        ("DATABASE_URL", "mysql://x", |a, v| {
            a.database.database_url = Some(v)
        }),
        ("FRONTDOOR_WEBHOOK_URL", "ftp://x", |a, v| {
            a.webhook_url = Some(v)
        }),
        ("FRONTDOOR_WEBHOOK_SECRET", "whsec_short", |a, v| {
            a.webhook_secret = Some(v)
        }),
        ("FRONTDOOR_WEBHOOK_HEADER", "no colon", |a, v| {
            a.webhook_header = Some(v)
        }),
        ("FRONTDOOR_SMTP_URL", "http://x", |a, v| {
            a.mail.smtp_url = Some(v)
        }),
        ("FRONTDOOR_MAIL_FROM", "nobody", |a, v| {
            a.mail.mail_from = Some(v)
        }),
        ("FRONTDOOR_NOTIFY_EMAIL", "a@b@c", |a, v| {
            a.notify_email = Some(v)
        }),
        ("FRONTDOOR_AUTO_REPLY", "yes", |a, v| a.auto_reply = Some(v)),
        ("FRONTDOOR_HSTS_SUBDOMAINS", "yes", |a, v| {
            a.hsts_subdomains = Some(v)
        }),
        ("FRONTDOOR_CHAT_PROJECT_ID", "a'b", |a, v| {
            a.chat_project_id = Some(v)
        }),
        ("FRONTDOOR_CHAT_SCRIPT_URL", "javascript:1", |a, v| {
            a.chat_script_url = Some(v)
        }),
        (
            "FRONTDOOR_CHAT_SCRIPT_URL",
            "https://me:secret@cdn.example/x.mjs",
            |a, v| a.chat_script_url = Some(v),
        ),
        ("FRONTDOOR_CHAT_RUNTIME_URL", "runtime.example", |a, v| {
            a.chat_runtime_url = Some(v)
        }),
        ("FRONTDOOR_CHAT_LOAD", "hover", |a, v| a.chat_load = Some(v)),
        ("FRONTDOOR_RATE_LIMIT", "-1", |a, v| a.rate_limit = Some(v)),
        ("FRONTDOOR_TRUSTED_PROXIES", "10.0.0.0/99", |a, v| {
            a.trusted_proxies = Some(v)
        }),
        ("FRONTDOOR_LOG_FORMAT", "xml", |a, v| {
            a.log.log_format = Some(v)
        }),
    ];
    for (setting, value, change) in cases {
        let line = complaint(|args| change(args, value.into()));
        assert!(line.starts_with(&format!("{setting}: must ")), "{line}");
        assert_eq!(line.lines().count(), 1);
    }
}

#[test]
fn secrets_are_in_no_debug_output_and_no_complaint() {
    let settings = load(|args| {
        args.webhook_url = Some("https://hooks.example/very-secret".into());
        args.webhook_secret = Some(SECRET.into());
        args.webhook_header = Some("X-Token: very-secret".into());
        args.mail.smtp_url = Some("smtp://user:very-secret@mail.example".into());
        args.database.database_url = Some("postgres://user:very-secret@db.example/x".into());
    });
    let shown = format!("{:?}", settings.unwrap());
    assert!(
        !shown.contains("very-secret") && !shown.contains("MfKQ"),
        "{shown}"
    );
    let line = complaint(|args| args.webhook_url = Some("very-secret".into()));
    assert!(!line.contains("very-secret"));
}

#[test]
fn mail_goes_from_and_to_the_sites_address_unless_told_otherwise() {
    let settings = load(|args| args.mail.smtp_url = Some("smtps://mail.example".into()));
    let mail = settings.unwrap().mail.unwrap();
    assert_eq!(mail.from.email.to_string(), SITE.email);
    assert_eq!(mail.notify.email.to_string(), SITE.email);
    assert!(!mail.auto_reply);
}

#[test]
fn the_chat_is_the_providers_and_loads_with_the_page_unless_told_otherwise() {
    let settings = load(|args| args.chat_project_id = Some("p1".into()));
    let chat = settings.unwrap().chat.unwrap();
    assert_eq!(chat.script_url.as_str(), CHAT_SCRIPT);
    assert_eq!(chat.runtime_url.as_str(), format!("{CHAT_RUNTIME}/"));
    assert_eq!(chat.load, ChatLoad::Load);

    let settings = load(|args| {
        args.chat_project_id = Some("p1".into());
        args.chat_load = Some("click".into());
    });
    assert_eq!(settings.unwrap().chat.unwrap().load, ChatLoad::Click);
}

#[test]
fn wrong_chat_settings_are_refused_even_while_the_chat_is_off() {
    let line = complaint(|args| args.chat_load = Some("LOAD".into()));
    assert_eq!(line, "FRONTDOOR_CHAT_LOAD: must be `load` or `click`");
}

#[test]
fn the_ops_listener_can_be_off_and_proxies_are_a_list() {
    let settings = load(|args| {
        args.ops_listen = Some("off".into());
        args.trusted_proxies = Some("10.0.0.1, fd00::/8,".into());
        args.listen = Some("localhost:0".into());
    });
    let settings = settings.unwrap();
    assert_eq!(settings.ops_listen, None);
    assert_eq!(settings.trusted_proxies.len(), 2);
    assert!(settings.listen.ip().is_loopback());
}
