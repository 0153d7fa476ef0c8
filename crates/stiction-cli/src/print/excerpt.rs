//! The line of a scene that a message is about, with the place underlined.

use std::io::IsTerminal;
use stiction::scene::Place;
use stiction_solvers::io::{is_printable, read_file};

/// Characters of a line that are shown; of a longer one, the part around the place.
const WIDEST: usize = 100;

/// Whether a stream should get colours: a terminal does, unless the user says no (<https://no-color.org>).
pub(crate) fn coloured(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Names of the elements that a scene's files begin with.
const ROOTS: [&str; 2] = ["mujoco", "mujocoinclude"];

/// The excerpt, each line with its newline; nothing when the file cannot be read (any more), and nothing of what is not a
/// scene: a scene may name any file of this machine.
pub(crate) fn excerpt(place: &Place, coloured: bool) -> String {
    let bytes = read_file(place.file.as_ref()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let (Some(root), Some(line)) = (root(&text), text.lines().nth(place.line.saturating_sub(1))) else {
        return String::new();
    };
    if ROOTS.contains(&&text[root.clone()]) {
        return underlined(line, place, coloured);
    }
    // That the first element is another is said with its name, and nothing else.
    let before = &text[..root.start];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let here = (before.matches('\n').count() + 1, text[start..root.start].chars().count() + 1);
    match here == (place.line, place.column) {
        true => underlined(&format!("{}{}", " ".repeat(here.1 - 1), &text[root]), place, coloured),
        false => String::new(),
    }
}

/// Where the name of the first element stands, if the text begins like XML.
fn root(text: &str) -> Option<std::ops::Range<usize>> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!") => ">",
            _ => break,
        };
        rest = rest.split_once(end)?.1.trim_start();
    }
    let name = rest.strip_prefix('<')?;
    let start = text.len() - name.len();
    let length = name.find(|c: char| c.is_whitespace() || "/>".contains(c)).unwrap_or(name.len());
    (length > 0).then_some(start..start + length)
}

fn underlined(line: &str, place: &Place, coloured: bool) -> String {
    // Control characters would move the underline, or the terminal.
    let line: Vec<char> = line.chars().map(|c| if is_printable(c) { c } else { ' ' }).collect();
    let start = (place.column - 1).min(line.len());
    let end = (start + place.length).clamp(start, line.len().max(start + 1));
    // A third of the room goes to what stands before the place.
    let from = if end <= WIDEST { 0 } else { start - start.min(WIDEST / 3) };
    let to = line.len().min(from + WIDEST);
    let dots = |cut: bool| if cut { "..." } else { "" };
    let shown: String = line[from..to].iter().collect();
    let (before, after) = (dots(from > 0), dots(to < line.len()));
    let room = " ".repeat(start - from + before.len());
    let marks = "^".repeat(end.min(from + WIDEST) - start);
    let number = place.line.to_string();
    let margin = " ".repeat(number.len());
    let (red, plain) = if coloured { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
    let shown = format!("{before}{shown}{after}");
    format!("{margin} |\n{number} | {}\n{margin} | {room}{red}{marks}{plain}\n", shown.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: usize, column: usize, length: usize) -> Place {
        Place { file: "scene.xml".into(), line, column, length }
    }

    #[test]
    fn the_place_is_underlined_and_tabs_stand_for_one_column() {
        let text = underlined("\t<geom size=\"-1\"/>", &place(12, 14, 2), false);
        assert_eq!(text, "   |\n12 |  <geom size=\"-1\"/>\n   |              ^^\n");
        let text = underlined("<geom/>", &place(3, 2, 4), true);
        assert_eq!(text, "  |\n3 | <geom/>\n  |  \x1b[1;31m^^^^\x1b[0m\n");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let line = format!("{}BAD{}", "a".repeat(500), "b".repeat(500));
        let text = underlined(&line, &place(1, 501, 3), false);
        let [_, shown, marks] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        assert!(shown.len() < 115 && shown.starts_with("1 | ...aa") && shown.ends_with("bb..."), "{text}");
        assert_eq!(shown.find("BAD"), marks.find("^^^"), "{text}");
        // A place that is itself too long.
        let text = underlined(&line, &place(1, 1, 1003), false);
        assert!(text.lines().all(|line| line.len() < 115), "{text}");
    }

    #[test]
    fn places_at_and_beyond_the_end_of_a_line_and_escapes_do_no_harm() {
        assert!(underlined("", &place(1, 1, 1), false).ends_with("| ^\n"));
        assert!(underlined("ab", &place(1, 9, 4), false).ends_with("|   ^\n"));
        assert!(!underlined("\x1b[2Jab", &place(1, 1, 1), false).contains('\x1b'));
        assert!(!underlined("a\u{202e}b", &place(1, 1, 1), false).contains('\u{202e}'));
        assert_eq!(excerpt(&Place { file: "no/such/file.xml".into(), ..place(1, 1, 1) }, false), "");
    }

    #[test]
    fn the_first_element_of_a_text_is_found_behind_what_may_stand_before_it() {
        for (text, expected) in [
            ("<mujoco/>", Some("mujoco")),
            (
                "\u{feff}<?xml version=\"1.0\"?>\n<!-- <a> -->\n<!DOCTYPE x>\n<mujocoinclude a=\"1\">",
                Some("mujocoinclude"),
            ),
            (" <größe>", Some("größe")),
            ("<", None),
            ("<!-- <mujoco/>", None),
            ("root:x:0:0:<mujoco/>", None),
            ("", None),
        ] {
            assert_eq!(root(text).map(|range| &text[range]), expected, "{text}");
        }
    }
}
