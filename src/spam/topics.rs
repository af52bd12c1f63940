//! What contact forms everywhere are offered, named outright. A visitor may
//! have a reason to speak of one of these, hardly of several.

use std::sync::LazyLock;

use super::Assessment;
use super::phrases::Index;
use super::words::Words;

const MOST: f64 = 5.0;

/// With a weight each; commas between them.
const PHRASES: &[(f64, &str)] = &[
    // Places in search results, and addresses.
    (
        2.5,
        "backlink, backlinks, link building, link exchange, guest post, guest posts, guest article, \
         sponsored post, sponsored article, article invité, do follow, dofollow, pbn, domain authority, \
         organic traffic, targeted traffic, real visitors, off page, free audit, seo audit, \
         audit gratuit, auditoría gratis, référencement, posicionamiento, продвижение, раскрутка, \
         email list, email lists, listes de courriels, attendee list, bulk sms, mass mailing, рассылку, \
         followers, seguidores, negative reviews, star reviews, wikipedia page, press release",
    ),
    // Money for nothing.
    (
        2.5,
        "no credit check, bad credit, credit check, working capital, business loans, personal loans, \
         payday loan, payday loans, collateral, pre approved, unsecured, line of credit, direct lender, \
         next of kin, late husband, inherited, beneficiary, barrister, unclaimed, passive income, \
         work from home, earn money, make money, extra income, forex, usdt, airdrop, presale, \
         trading robot, trading bot, card processing, merchant account, lottery, gift card, claim your, \
         prêt, sans enquête de crédit, préstamos, préstamo, inversión, invirtiendo, кредит, займ, ставки",
    ),
    // Gambling, pills, sex, papers.
    (
        3.0,
        "free spins, online casino, betting, jackpot, viagra, cialis, xanax, tramadol, without prescription, \
         no prescription, male enhancement, weight loss, keto, sex, sexy, porn, escort, escorts, horny, nude, \
         lonely women, live cams, hot girls, spell caster, voyance, replica, rolex, fake documents, \
         essay writing, dissertation, no exams, iptv, казино, виагра, виагру, секс, диплом, дипломов",
    ),
    // Alarms.
    (
        2.5,
        "final notice, last reminder, last warning, final warning, i have hacked, your mailbox, \
         your password, dark web, customs fee, legal action, face a lawsuit, be suspended, be deactivated, \
         blacklist, critical vulnerability, malware on your, your wallet, unpaid invoice, verify ownership, \
         confirm your account, verify your account, ethical hackers",
    ),
    // Hours and goods by the dozen.
    (
        2.0,
        "outsourcing, outsource, offshore, virtual assistant, virtual assistants, white label, bpo, \
         development company, software testing company, web design company, app development, \
         explainer video, logo design, manufacturer, fabricant, exporter, wholesale, moq, fob, oem, \
         factory price, factory, minimum order, private label, sea freight, per hour, years experience",
    ),
    // How it is said.
    (
        2.0,
        "would you be open to, are you open to, open to a, would it make sense, hope this message finds, \
         i'm reaching out, i am reaching out, came across your, stumbled upon your, took a look at your, \
         was looking at your, going through your, i visited your, we can redesign, want me to send, \
         like me to send, shall i send, should i send, may i send, can i send, could i send, \
         may i share, can i share, would you be interested, are you interested, if interested, \
         right person, dear sir, dear webmaster, hello webmaster, dear business owner, kindly revert, \
         opt out, unsubscribe click, act now, order now, buy now, apply now, limited time, money back, \
         no obligation, no strings attached, free trial, day trial, click here, reply yes, spots left, \
         businesses like yours, companies like yours, agencies like yours, like yours, your competitors, \
         your industry, your niche, we help, i help, we offer, we provide, we supply, nous vendons, \
         ofrecemos, otorgamos, предлагаем, недорого, telegram, your competition, guaranteed",
    ),
];

static INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(PHRASES));

pub fn judge(words: &Words<'_>, found: &mut Assessment) {
    let hits = INDEX.hits(words);
    let reason = format!("speaks of what spam sells ({})", hits.phrases.join(", "));
    found.add(hits.weight.min(MOST), reason);
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
}
