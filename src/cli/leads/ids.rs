//! Which leads people mean: the end of an id is enough, or the address of somebody
//! who has sent one only.

use std::collections::{BTreeSet, HashMap};

use crate::cli::Failure;
use crate::cli::table::harmless_line;
use crate::store::{Lead, LeadFilter, Result, SHORT_ID, Store};

/// What an id without a lead is told.
const REMEDY: &str = "`frontdoor leads list` shows them";

/// So many of a person's leads are named to choose from.
const MOST_NAMED: usize = 8;

/// Why no lead is meant.
enum Wrong {
    Unknown(String),
    Ambiguous(String),
}

type Found = std::result::Result<String, Wrong>;

/// The id that is meant.
async fn meant(text: &str, store: &Store) -> Result<Found> {
    if let Some(lead) = store.lead(text).await? {
        return Ok(Ok(lead.id));
    }
    if text.contains('@') {
        return only_one_of(text, store).await;
    }
    let lower = text.to_lowercase();
    let ends = [text, &lower].into_iter().filter_map(end);
    let ends: BTreeSet<_> = ends.map(str::to_owned).collect();
    let mut found = match ends.is_empty() {
        true => Vec::new(),
        false => store.lead_ids_ending(ends.into_iter().collect()).await?,
    };
    found.retain(|id| id.ends_with(text) || id.ends_with(&lower));
    let shown = harmless_line(text);
    Ok(match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Wrong::Unknown(format!("there is no lead {shown}"))),
        _ => {
            let why = format!("{shown} could be {}", found.join(" or "));
            Err(Wrong::Ambiguous(why))
        }
    })
}

async fn only_one_of(email: &str, store: &Store) -> Result<Found> {
    let mut leads = of_person(email, MOST_NAMED + 1, store).await?;
    let shown = harmless_line(email);
    match leads.len() {
        1 => return Ok(Ok(leads.remove(0).id)),
        0 => return Ok(Err(Wrong::Unknown(format!("there is no lead of {shown}")))),
        _ => {}
    }
    let short = ShortIds::of(leads.iter().map(|lead| lead.id.as_str()), store).await?;
    let name = |lead: &Lead| format!("{} ({})", short.short(&lead.id), lead.state.as_str());
    let mut named: Vec<_> = leads.iter().take(MOST_NAMED).map(name).collect();
    if leads.len() > MOST_NAMED {
        named.push("…".into());
    }
    let named = named.join(", ");
    let why = format!("{shown} has several leads: {named}; name one by its id");
    Ok(Err(Wrong::Ambiguous(why)))
}

/// The newest first.
pub async fn of_person(email: &str, limit: usize, store: &Store) -> Result<Vec<Lead>> {
    let filter = LeadFilter {
        email: Some(email.trim().to_owned()),
        limit,
        ..LeadFilter::default()
    };
    store.leads(filter).await
}

/// So that an index can be asked.
fn end(id: &str) -> Option<&str> {
    id.len()
        .checked_sub(SHORT_ID)
        .and_then(|start| id.get(start..))
}

/// The whole id of one lead.
pub async fn lead_id(text: &str, store: &Store) -> std::result::Result<String, Failure> {
    let found = meant(text, store).await?;
    found.map_err(|wrong| {
        Failure::Failed(match wrong {
            Wrong::Unknown(why) => format!("{why}; {REMEDY}"),
            Wrong::Ambiguous(why) => why,
        })
    })
}

pub async fn lead(text: &str, store: &Store) -> std::result::Result<Lead, Failure> {
    let id = lead_id(text, store).await?;
    let lead = store.lead(&id).await?;
    lead.ok_or_else(|| unknown(text))
}

pub fn unknown(text: &str) -> Failure {
    let text = harmless_line(text);
    Failure::Failed(format!("there is no lead {text}; {REMEDY}"))
}

/// Several of which some may be wrong: the others are still done.
#[derive(Default)]
pub struct Meant {
    pub ids: Vec<String>,
    unknown: Vec<String>,
    wrong: Vec<String>,
}

impl Meant {
    pub async fn by(texts: &[String], store: &Store) -> Result<Self> {
        let mut all = Self::default();
        for text in texts {
            match meant(text, store).await? {
                Ok(id) => all.ids.push(id),
                Err(Wrong::Unknown(why)) => all.unknown.push(why),
                Err(Wrong::Ambiguous(why)) => all.wrong.push(why),
            }
        }
        Ok(all)
    }

    /// It went away meanwhile.
    pub fn is_gone(&mut self, id: &str) {
        self.unknown.push(format!("there is no lead {id}"));
    }

    pub fn fails(&mut self, why: String) {
        self.wrong.push(why);
    }

    /// In one line, after what could be done was told.
    pub fn end(mut self) -> std::result::Result<(), Failure> {
        if !self.unknown.is_empty() {
            self.wrong.append(&mut self.unknown);
            self.wrong.push(REMEDY.into());
        }
        match self.wrong.is_empty() {
            true => Ok(()),
            false => Err(Failure::Failed(self.wrong.join("; "))),
        }
    }
}

/// The shortest end of each id that no other lead's has.
pub struct ShortIds(HashMap<String, usize>);

impl ShortIds {
    pub async fn of(ids: impl Iterator<Item = &str>, store: &Store) -> Result<Self> {
        let ends: BTreeSet<_> = ids.filter_map(end).map(str::to_owned).collect();
        let all = store.lead_ids_ending(ends.into_iter().collect()).await?;
        Ok(Self(lengths(&all)))
    }

    pub fn short<'a>(&self, id: &'a str) -> &'a str {
        let length = self.0.get(id).copied().unwrap_or(id.len());
        id.get(id.len() - length..).unwrap_or(id)
    }
}

/// Those that end alike stand side by side when they are read backwards.
fn lengths(ids: &[String]) -> HashMap<String, usize> {
    let backwards = |id: &String| id.bytes().rev().collect::<Vec<_>>();
    let mut sorted: Vec<_> = ids.iter().map(|id| (backwards(id), id)).collect();
    sorted.sort_unstable();
    let length = |place: usize| {
        let (this, id) = &sorted[place];
        let beside = [place.checked_sub(1), Some(place + 1)]
            .into_iter()
            .flatten();
        let shared = beside.filter_map(|other| sorted.get(other));
        let shared = shared.map(|(other, _)| shared_length(this, other)).max();
        let length = shared.map_or(SHORT_ID, |shared| (shared + 1).max(SHORT_ID));
        ((*id).clone(), length.min(id.len()))
    };
    (0..sorted.len()).map(length).collect()
}

fn shared_length(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_as_short_as_it_can_be_without_being_anothers() {
        let ids = [
            "x-11112222",
            "y-11112222",
            "1222",
            "zz-0a111122",
            "a-333344445",
        ];
        let lengths = lengths(&ids.map(str::to_owned));
        assert_eq!(
            ids.map(|id| &id[id.len() - lengths[id]..]),
            ["x-11112222", "y-11112222", "1222", "0a111122", "33344445"]
        );
    }
}
