//! `frontdoor subscribers list --suspended`: whose address is refused, why and
//! since when.

use serde::Serialize;

use super::shown::{SubscriberJson, day};
use crate::cli::filter::Listed;
use crate::cli::table::Column;
use crate::store::Subscriber;

pub struct Suspended(pub Subscriber);

impl Listed for Suspended {
    const NAME: &'static str = "suspended subscribers";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::whole("E-MAIL", |each: &Self| each.0.email.clone()),
        Column::whole("CODE", |each: &Self| {
            each.0.refused_code.clone().unwrap_or_default()
        }),
        Column::whole("REFUSED", |each: &Self| day(each.0.refused_at)),
        Column::whole("SUSPENDED", |each: &Self| day(each.0.suspended_at)).dispensable(2),
        Column::whole("STATE", |each: &Self| each.0.state.as_str().to_owned()).dispensable(1),
    ];

    fn json(&self) -> impl Serialize {
        SubscriberJson::from(&self.0)
    }
}
