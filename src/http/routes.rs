//! The route table of everything that isn't a page. The `Allow` header, the names in the log and
//! the metrics, and the response after a panic come from it: with axum's router, as at the desk,
//! each of them would need a layer of its own.

use std::sync::Arc;

use axum::body::Body;
use http::{Method, StatusCode};

use super::bookings;
use super::edge::response::{self, HttpResponse, PAGE_METHODS, Problem};
use super::forms::contact::{ContactPost, SENT, show_sent_page};
use super::forms::newsletter::{CONFIRM, NewsletterPost, UNSUBSCRIBE, link_failed, visit_link};
use super::forms::{failed, submit};
use super::ops::Class;
use super::request::ApiRequest;
use super::visits;
use crate::store::{BookingService, Figures, LinkPurpose};

const TABLE: [(&str, Route); 10] = [
    (SENT, Route::SentPage),
    ("/api/bookings/cal", Route::Booking(BookingService::Cal)),
    (
        "/api/bookings/calendly",
        Route::Booking(BookingService::Calendly),
    ),
    ("/api/contacts", Route::ContactForm),
    ("/api/newsletter", Route::NewsletterForm),
    (CONFIRM, Route::MailLink(LinkPurpose::Confirm)),
    (UNSUBSCRIBE, Route::MailLink(LinkPurpose::Unsubscribe)),
    (
        "/api/visits/seen",
        Route::Visit(|figures| &mut figures.seen),
    ),
    (
        "/api/visits/form",
        Route::Visit(|figures| &mut figures.form_started),
    ),
    (
        "/api/visits/booking",
        Route::Visit(|figures| &mut figures.booking_presses),
    ),
];

#[derive(Clone, Copy)]
enum Route {
    /// The page after the contact form was sent without JavaScript.
    SentPage,
    /// The webhook of a booking service.
    Booking(BookingService),
    ContactForm,
    NewsletterForm,
    /// The target of a link in mails.
    MailLink(LinkPurpose),
    /// A report on a visit from a page's script, and what it counts.
    Visit(fn(&mut Figures) -> &mut u64),
}

impl Route {
    fn class(self) -> Class {
        match self {
            Self::SentPage => Class::Page,
            Self::Booking(_) => Class::Other,
            Self::ContactForm => Class::Contact,
            Self::NewsletterForm | Self::MailLink(_) => Class::Newsletter,
            Self::Visit(_) => Class::Visit,
        }
    }

    fn methods(self) -> &'static str {
        match self {
            Self::SentPage => PAGE_METHODS,
            Self::MailLink(_) => "GET, HEAD, POST, OPTIONS",
            _ => "POST, OPTIONS",
        }
    }

    async fn handle(self, request: &ApiRequest, body: Body) -> HttpResponse {
        match self {
            Self::SentPage => show_sent_page(request).await,
            Self::Booking(service) => bookings::receive_event(service, request, body).await,
            Self::ContactForm => submit::<ContactPost>(request, body).await,
            Self::NewsletterForm => submit::<NewsletterPost>(request, body).await,
            Self::MailLink(purpose) => visit_link(purpose, request, body).await,
            Self::Visit(figure) => visits::count(figure, request, body).await,
        }
    }

    /// The response when the handler panics.
    fn failed(self, request: &ApiRequest) -> HttpResponse {
        match self {
            Self::SentPage | Self::ContactForm => failed::<ContactPost>(request),
            Self::NewsletterForm => failed::<NewsletterPost>(request),
            Self::MailLink(_) => link_failed(request),
            Self::Booking(_) => bookings::failed(),
            Self::Visit(_) => response::bare(StatusCode::INTERNAL_SERVER_ERROR),
        }
    }
}

/// The response, and the request's names in the metrics and the log.
pub async fn answer(request: ApiRequest, body: Body) -> (HttpResponse, Class, &'static str) {
    let path = request.head.uri.path();
    let Some((path, route)) = TABLE.into_iter().find(|(known, _)| *known == path) else {
        return unknown_path(&request);
    };
    let (method, methods) = (&request.head.method, route.methods());
    let is_handled =
        method != Method::OPTIONS && methods.split(", ").any(|allowed| method == allowed);
    let answer = if is_handled {
        guarded(route, request, body).await
    } else {
        response::other_method(method, methods)
    };
    (answer, route.class(), path)
}

/// Runs the handler in its own task, so that a message is stored even if the visitor disconnects
/// early, and a panic still yields a response.
async fn guarded(route: Route, request: ApiRequest, body: Body) -> HttpResponse {
    let request = Arc::new(request);
    let handled = request.clone();
    let handling = tokio::spawn(async move { route.handle(&handled, body).await });
    handling.await.unwrap_or_else(|_| route.failed(&request))
}

/// A trailing slash redirects to the plain path; anything else is a 404.
fn unknown_path(request: &ApiRequest) -> (HttpResponse, Class, &'static str) {
    let (path, method) = (request.head.uri.path(), &request.head.method);
    if let Some(answer) = response::without_trailing_slash(&request.head.uri) {
        (answer, Class::Other, "trailing slash")
    } else if path == "*" || method == Method::CONNECT {
        let answer = response::other_method(method, PAGE_METHODS);
        (answer, Class::Other, "unknown")
    } else if path.starts_with("/api/") {
        let problem = Problem::new(StatusCode::NOT_FOUND, "There is nothing at this path");
        (problem.answer(), Class::Other, "unknown")
    } else {
        let pages = request.state.releases.pages();
        let page = pages.missing(path);
        let answer = page.answer(method, &request.head.headers, request.client.tls);
        (answer, Class::Page, "unknown")
    }
}
