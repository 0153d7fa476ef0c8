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

/// A word (a path, a name, what stands where a number should) and a sentence of more characters lose their middle.
const LONGEST_WORD: usize = 100;
const LONGEST_SENTENCE: usize = 250;

/// A text as a sentence that somebody will read: printable, in one line, of at most 250 characters.
///
/// What others wrote may be of any length, and an error that quotes it must still say what is wrong at its beginning and what
/// would be right at its end.
pub fn sentence(text: &str) -> Cow<'_, str> {
    let text = printable(text);
    let words = text.split(' ');
    if text.len() <= LONGEST_SENTENCE && words.clone().all(|word| word.len() <= LONGEST_WORD) {
        return text;
    }
    let words: Vec<_> = words.map(|word| without_middle(word, LONGEST_WORD)).collect();
    Cow::Owned(without_middle(&words.join(" "), LONGEST_SENTENCE).into_owned())
}

/// A text of at most `longest` characters: both ends of a longer one, the first twice as long as the last.
fn without_middle(text: &str, longest: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= longest {
        return Cow::Borrowed(text);
    }
    let kept = longest - "...".len();
    let last = kept / 3;
    let start: String = text.chars().take(kept - last).collect();
    Cow::Owned(start + "..." + &text.chars().skip(count - last).collect::<String>())
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
    fn sentences_keep_both_ends_of_what_is_long_and_all_of_what_is_short() {
        let short = format!("{}: is wrong", "a/b/".repeat(20));
        assert!(matches!(sentence(&short), Cow::Borrowed(same) if same == short));
        let name =
            format!("a.xml:3: geom \"{}\": the size is -1: it must be positive", "\u{e9}".repeat(100_000));
        let shown = sentence(&name);
        assert!(
            shown.starts_with("a.xml:3: geom \"\u{e9}")
                && shown.ends_with("\u{e9}\": the size is -1: it must be positive")
        );
        for text in [name, "word ".repeat(1000), "\n\u{1b}".repeat(500), "x".into(), "\u{202e} ".repeat(90)] {
            let shown = sentence(&text);
            assert!(shown.chars().count() <= LONGEST_SENTENCE && shown.chars().all(is_printable), "{shown}");
        }
    }

    #[test]
    fn names_in_any_script_stay_as_they_are() {
        for name in ["größe", "关节", "مفصل", "שלום", "🤖", "a\u{200d}b", "\u{fffd}"] {
            assert!(matches!(printable(name), Cow::Borrowed(same) if same == name));
        }
    }
}
