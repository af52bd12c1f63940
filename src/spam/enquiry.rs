//! How people write who want something from the site.

use std::sync::LazyLock;

use super::Assessment;
use super::phrases::Index;
use super::words::Words;

/// However much is asked for: spam asks questions, too.
const MOST: f64 = -4.0;
/// Enough to see why.
const MOST_NAMED: usize = 4;

/// With a weight each; commas between them.
const PHRASES: &[(f64, &str)] = &[
    (
        -2.0,
        "i need a, need a website, need website, need a site, need a new, call me, how \
             much, do you guys, do you do, do you make, do you also, do you build, do you \
             serve, do you use, do you fix, i run a, i own a, i own, i run, we run, strategy \
             call, launch builder, automation suite, your pricing, your packages, the \
             chatbot, a chatbot, the bot, our current site, our old site, my old, combien, je \
             cherche, je voudrais, j'aimerais, nous cherchons, faites vous, necesito, cuánto, \
             quiero, nužen, нужен, нужна, потрібен, сколько, скільки, preciso, potrzebuję, \
             magkano, gusto ko, chahiye, mujhe, i have a question, i was wondering, wondering \
             if, looking for someone, looking for somebody, what is the difference, what \
             happens if, your newsletter, your article, your privacy, heard back, left a \
             message, text me, do u, can u, me gustaría, quisiera, hablan, falam, vorrei, \
             quanto costa, bao nhiêu, kinne, pourriez vous, pouvez vous, avez vous, our menu, \
             our booking, our form",
    ),
    (
        -1.2,
        "i need, we need, i want, we want, i'd like, we'd like, we would like, can you, \
             could you, can it, can the, can your, can somebody, could someone, would you \
             recommend, what would, how long, how many, how do, cost, a quote, rough quote, \
             please quote, ballpark, budget is, my website, my site, our website, our page, \
             my page, my customers, my shop, my store, our shop, our clinic, our office, my \
             business, my company, our customers, people ask, customers ask, we are a small, \
             we're a, my husband, my wife, my daughter, my son, my nephew, my sister, my \
             brother, my dad, my mom, my mother, my friend, by hand, spreadsheet, is it \
             possible, is that possible, is this possible, estimate, looking for help, last \
             year, booking, appointments, nous sommes un, nous avons, j'ai une, est ce que, \
             merci, tengo un, tengo una, gracias, спасибо, дякую, please call, do you teach, \
             would like to know, we currently, our system, our crm, our board, our members, \
             our staff, our listing, our domain, our phone, our software, our inbox, i teach, \
             i sell, i make, i build, we rent, who owns, who would, before christmas, budget, \
             email me, your form, your booking, i'm not, don't want, no idea, we're looking, \
             we are looking, i lost, broken, our old, website that, site that, soumission, \
             rendez vous, página web, salamat, svp",
    ),
    (
        -0.5,
        "do you have, do you offer, do you take, are you able, we use, right now, at the \
             moment, i'm a, i do, we do, we get, what's, where is, does it, does the, does \
             your, is there, is it, is the, can we, can i, asap, deadline, evenings, \
             mornings, your site, lost, fix, one page, por favor, po, what do, need, want, \
             my, chatbot, please, thanks, thank you, website, quote, customers, clients, \
             ontario, phone, our site, possible, we have a, still",
    ),
];

static INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(PHRASES));

pub fn judge(words: &Words<'_>, found: &mut Assessment) {
    let hits = INDEX.hits(words);
    let named = &hits.phrases[..hits.phrases.len().min(MOST_NAMED)];
    let reason = format!("asks for something ({})", named.join(", "));
    found.add(hits.weight.max(MOST), reason);
}

#[cfg(test)]
mod tests {
    use super::super::words::Plain;
    use super::*;

    #[test]
    fn every_phrase_can_be_found() {
        for phrase in PHRASES.iter().flat_map(|(_, phrases)| phrases.split(", ")) {
            let plain = Plain::of(phrase);
            let words = plain.words();
            let texts: Vec<_> = words.iter().map(|word| word.text).collect();
            assert_eq!(texts.join(" "), phrase);
            assert!(INDEX.hits(&words).phrases.contains(&phrase), "{phrase}");
        }
    }

    #[test]
    fn who_asks_for_much_is_not_believed_without_bound() {
        let mut found = Assessment::default();
        let text = "I need a website, how much? Call me. I run a bakery. Do you do chatbots?";
        judge(&Plain::of(text).words(), &mut found);
        assert_eq!(found.score(), MOST);
    }
}
