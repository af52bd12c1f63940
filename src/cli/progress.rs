//! How far a long command is: a bar on a terminal, a line now and then
//! elsewhere. On standard error, so that results stay apart.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use super::output::{aside, tell};

const BAR: usize = 30;
const REDRAW: Duration = Duration::from_millis(100);
/// Without a terminal: a line for each of so many parts.
const LINES: u64 = 10;

pub struct Progress {
    total: u64,
    start: Instant,
    on_terminal: bool,
    drawn: Option<Instant>,
    lines: u64,
}

impl Progress {
    pub fn new(total: u64) -> Self {
        Self {
            total,
            start: Instant::now(),
            on_terminal: io::stderr().is_terminal(),
            drawn: None,
            lines: 0,
        }
    }

    pub fn show(&mut self, done: u64) {
        if !self.on_terminal {
            return self.show_line(done);
        }
        let is_fresh = self.drawn.is_some_and(|time| time.elapsed() < REDRAW);
        if !is_fresh || done >= self.total {
            let line = bar(done, self.total, self.start.elapsed());
            aside(&format!("\r{line}\x1b[K"));
            self.drawn = Some(Instant::now());
        }
    }

    fn show_line(&mut self, done: u64) {
        let part = done * LINES / self.total.max(1);
        if part > self.lines {
            self.lines = part;
            tell!("{done} of {}", self.total);
        }
    }

    /// Leaves the bar as it stands and goes to the next line.
    pub fn end(&self) {
        if self.drawn.is_some() {
            aside("\n");
        }
    }
}

fn bar(done: u64, total: u64, took: Duration) -> String {
    let share = done as f64 / total.max(1) as f64;
    let full = ((share * BAR as f64) as usize).min(BAR);
    let left = match done {
        0 => String::new(),
        _ => {
            let left = took.as_secs_f64() / done as f64 * total.saturating_sub(done) as f64;
            format!("  {} left", span(left.ceil() as u64))
        }
    };
    format!(
        "[{}{}] {done}/{total}{left}",
        "#".repeat(full),
        "-".repeat(BAR - full)
    )
}

fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_up_and_says_how_long_it_will_take() {
        let second = Duration::from_secs(10);
        assert_eq!(bar(0, 10, second), format!("[{}] 0/10", "-".repeat(30)));
        let half = format!("[{}{}] 5/10  10 s left", "#".repeat(15), "-".repeat(15));
        assert_eq!(bar(5, 10, second), half);
        assert!(bar(10, 10, second).ends_with("10/10  0 s left"));
        assert!(bar(1, 0, second).starts_with("[####"));
    }

    #[test]
    fn long_times_are_told_in_larger_units() {
        assert_eq!(span(59), "59 s");
        assert_eq!(span(61), "2 min");
        assert_eq!(span(7320), "2 h 2 min");
    }
}
