//! Keeps `desk/src/api/types.ts` in step with the types of the desk's responses.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::fs;

use ts_rs::{Config, TS, TypeVisitor};

use super::{Message, health, inbox, lead, newsletter, numbers, reply, session, site};
use crate::check::Finding;
use crate::http::ReleaseRow;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/desk/src/api/types.ts");
const HEAD: &str = "\
// The answers of `/api/desk/…`, written from the structs in `src/desk`: UPDATE_TYPES=1 cargo test the_types_of_the_desk
// Times are RFC 3339 in UTC.
";

struct Declarations {
    config: Config,
    known: HashSet<TypeId>,
    /// Declarations, sorted by the name of the type.
    texts: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.known.insert(TypeId::of::<T>()) {
            return;
        }
        // Only our own types have a place of their own.
        if T::output_path().is_some() {
            let fields = T::decl(&self.config).replace(", }", ";\n}");
            let fields = fields.replace("{ ", "{\n  ").replace(", ", ";\n  ");
            let fields = fields
                .replace("\n/**\n * ", "/** ")
                .replace("\n */\n", " */\n  ");
            let name = T::ident(&self.config);
            self.texts.insert(name, format!("\nexport {fields}\n"));
        }
        T::visit_dependencies(self);
    }
}

/// `UPDATE_TYPES=1` writes the file.
#[test]
fn the_types_of_the_desk_are_current() {
    let mut all = Declarations {
        config: Config::new().with_large_int("number"),
        known: HashSet::new(),
        texts: BTreeMap::new(),
    };
    all.visit::<session::Me>();
    all.visit::<inbox::Inbox>();
    all.visit::<inbox::InboxView>();
    all.visit::<inbox::Summary>();
    all.visit::<lead::LeadPage>();
    all.visit::<lead::Done>();
    all.visit::<Message>();
    all.visit::<reply::Preview>();
    all.visit::<newsletter::Newsletter>();
    all.visit::<newsletter::KeptDraft>();
    all.visit::<newsletter::LeavingIssue>();
    all.visit::<newsletter::IssuePreview>();
    all.visit::<newsletter::Subscribers>();
    all.visit::<newsletter::ProofLine>();
    all.visit::<numbers::Numbers>();
    all.visit::<ReleaseRow>();
    all.visit::<site::RolledBack>();
    all.visit::<health::Health>();
    all.visit::<Finding>();
    let text = HEAD.to_owned() + &all.texts.into_values().collect::<String>();
    if std::env::var_os("UPDATE_TYPES").is_some() {
        fs::write(FILE, &text).expect("types.ts can be written");
    }
    let current = fs::read_to_string(FILE).expect("types.ts");
    assert!(text == current, "run this test with UPDATE_TYPES=1");
}
