//! The route table of everything that isn't a page. The `Allow` header, the names in the log and
//! the metrics, and the response after a panic come from it.

use std::pin::Pin;
use std::sync::Arc;

use axum::body::Body;
use http::{Method, StatusCode};

use super::bookings::{self, receive_event};
use super::edge::response::{self, HttpResponse, PAGE_METHODS, Problem};
use super::forms::contact::{ContactPost, SENT, show_sent_page};
use super::forms::newsletter::{CONFIRM, NewsletterPost, UNSUBSCRIBE, link_failed, visit_link};
use super::forms::{Form, failed, submit};
use super::ops::Class;
use super::request::ApiRequest;
use super::visits;
use crate::store::{BookingService, LinkPurpose};

const TABLE: [Route; 10] = [
    Route {
        path: SENT,
        class: Class::Page,
        methods: "GET, HEAD, OPTIONS",
        handle: |request, _| Box::pin(show_sent_page(request)),
        failed: failed::<ContactPost>,
    },
    booking(bookings::CAL, |request, body| {
        Box::pin(receive_event(BookingService::Cal, request, body))
    }),
    booking(bookings::CALENDLY, |request, body| {
        Box::pin(receive_event(BookingService::Calendly, request, body))
    }),
    form::<ContactPost>("/api/contacts", Class::Contact),
    form::<NewsletterPost>("/api/newsletter", Class::Newsletter),
    link(CONFIRM, |request, body| {
        Box::pin(visit_link(LinkPurpose::Confirm, request, body))
    }),
    link(UNSUBSCRIBE, |request, body| {
        Box::pin(visit_link(LinkPurpose::Unsubscribe, request, body))
    }),
    visit("/api/visits/seen", |request, body| {
        Box::pin(visits::count(|figures| &mut figures.seen, request, body))
    }),
    visit("/api/visits/form", |request, body| {
        Box::pin(visits::count(
            |figures| &mut figures.form_started,
            request,
            body,
        ))
    }),
    visit("/api/visits/booking", |request, body| {
        Box::pin(visits::count(
            |figures| &mut figures.booking_presses,
            request,
            body,
        ))
    }),
];

struct Route {
    path: &'static str,
    class: Class,
    methods: &'static str,
    handle: Handler,
    /// Makes the response when the handler panics.
    failed: fn(&ApiRequest) -> HttpResponse,
}

type Handler = fn(Arc<ApiRequest>, Body) -> Pin<Box<dyn Future<Output = HttpResponse> + Send>>;

const fn form<F: Form>(path: &'static str, class: Class) -> Route {
    Route {
        path,
        class,
        methods: "POST, OPTIONS",
        handle: |request, body| Box::pin(submit::<F>(request, body)),
        failed: failed::<F>,
    }
}

const fn booking(path: &'static str, handle: Handler) -> Route {
    Route {
        path,
        class: Class::Other,
        methods: "POST, OPTIONS",
        handle,
        failed: bookings::failed,
    }
}

/// The target of a link in mails.
const fn link(path: &'static str, handle: Handler) -> Route {
    Route {
        path,
        class: Class::Newsletter,
        methods: "GET, HEAD, POST, OPTIONS",
        handle,
        failed: link_failed,
    }
}

/// A report on a visit from a page's script.
const fn visit(path: &'static str, handle: Handler) -> Route {
    Route {
        path,
        class: Class::Visit,
        methods: "POST, OPTIONS",
        handle,
        failed: |_| response::bare(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

/// The response, and the request's names in the metrics and the log.
pub async fn answer(request: ApiRequest, body: Body) -> (HttpResponse, Class, &'static str) {
    let path = request.head.uri.path();
    let Some(route) = TABLE.iter().find(|route| route.path == path) else {
        return unknown_path(&request);
    };
    let method = &request.head.method;
    let mut allowed = route.methods.split(", ");
    let is_handled = *method != Method::OPTIONS && allowed.any(|allowed| *method == allowed);
    let answer = if is_handled {
        guarded(route, request, body).await
    } else {
        response::other_method(method, route.methods)
    };
    (answer, route.class, route.path)
}

/// Runs the handler in its own task, so that a message is stored even if the visitor disconnects
/// early, and a panic still yields a response.
async fn guarded(route: &Route, request: ApiRequest, body: Body) -> HttpResponse {
    let request = Arc::new(request);
    let answer = tokio::spawn((route.handle)(request.clone(), body)).await;
    answer.unwrap_or_else(|_| (route.failed)(&request))
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
        let pages = request.parts.site.pages();
        let page = pages.missing(path);
        let answer = page.answer(method, &request.head.headers, request.client.tls);
        (answer, Class::Page, "unknown")
    }
}
