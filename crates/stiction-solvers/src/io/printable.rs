//! Text that others wrote, made fit to be shown.
//!
//! Names in scenes and problems may hold characters that a terminal obeys (escape sequences), or that turn the direction in
//! which what follows is written, so that a line reads as something else. They are shown by their numbers.
//!
//! # References
//! ECMA-48: the control functions C0 and C1. Unicode Standard Annex 9: the directional formatting characters. N. Boucher,
//! R. Anderson, *Trojan Source: Invisible Vulnerabilities* (2023).

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character only shows itself: it is no control character, and turns no direction and ends no line.
pub fn is_printable(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_a_line = matches!(c, '\u{2028}' | '\u{2029}');
    !(c.is_control() || turns || ends_a_line)
}

/// The text with the number of every character that is not printable in its place, as `\u{1b}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, is_printable, |shown, c| write!(shown, "\\u{{{:x}}}", u32::from(c)))
}

/// The same for a text of several lines and columns: line feeds and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let kept = |c| is_printable(c) || c == '\n' || c == '\t';
    replaced(text, kept, |shown, c| write!(shown, "\\u{{{:x}}}", u32::from(c)))
}

/// The same for JSON, where such characters stand in strings only and `\u001b` is their other form.
pub fn printable_json(text: &str) -> Cow<'_, str> {
    let kept = |c| is_printable(c) || c == '\n' || c == '\t';
    replaced(text, kept, |shown, c| write!(shown, "\\u{:04x}", u32::from(c)))
}

fn replaced(
    text: &str,
    kept: impl Fn(char) -> bool,
    number: impl Fn(&mut String, char) -> std::fmt::Result,
) -> Cow<'_, str> {
    if text.chars().all(&kept) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match kept(c) {
            true => shown.push(c),
            // Writing to a string does not fail.
            false => drop(number(&mut shown, c)),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_obey_and_what_turns_the_direction_is_shown_by_its_number() {
        for c in [
            '\0', '\x07', '\x1b', '\x7f', '\u{85}', '\u{9b}', '\u{61c}', '\u{200f}', '\u{202e}', '\u{2028}',
            '\u{2067}',
        ] {
            let text = format!("a{c}b");
            let expected = format!("a\\u{{{:x}}}b", u32::from(c));
            assert_eq!(printable(&text), expected);
            assert_eq!(printable_lines(&text), expected);
            let json = format!("\"{}\"", printable_json(&text));
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
            assert!(json.chars().all(is_printable));
        }
        assert_eq!(printable("a\nb\tc"), "a\\u{a}b\\u{9}c");
        assert_eq!(printable_lines("a\nb\tc"), "a\nb\tc");
    }

    #[test]
    fn names_in_any_script_stay_as_they_are() {
        for name in ["größe", "关节", "مفصل", "שלום", "🤖", "a\u{200d}b", "\u{fffd}"] {
            assert!(matches!(printable(name), Cow::Borrowed(same) if same == name));
        }
    }
}
