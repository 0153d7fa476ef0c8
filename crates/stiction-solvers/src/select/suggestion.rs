//! "Did you mean": the nearest known name by edit distance.

/// ` (did you mean "size"?)` when a candidate is close to the name, nothing otherwise.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(name, candidates) {
        Some(candidate) => format!(" (did you mean {candidate:?}?)"),
        None => String::new(),
    }
}

/// The candidate with the least edit distance, if that is at most a third of the name's length, rounded up
/// (and three at most). The first of equally near ones.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(64).collect();
    let limit = name.len().div_ceil(3).clamp(1, 3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = edit_distance(&name, &candidate.chars().collect::<Vec<_>>());
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other (the optimal
/// string alignment distance; Damerau, 1964).
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut row = above.clone();
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replace = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_neighbour_and_a_strange_one_finds_none() {
        let names = ["size", "friction", "frictionloss", "fromto"];
        assert_eq!(nearest("frictoin", names), Some("friction"));
        assert_eq!(nearest("sizes", names), Some("size"));
        assert_eq!(nearest("formto", names), Some("fromto"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn the_edit_distance_of_a_word_to_itself_is_zero_and_to_nothing_its_length() {
        let word: Vec<char> = "capsule".chars().collect();
        assert_eq!(edit_distance(&word, &word), 0);
        assert_eq!(edit_distance(&word, &[]), 7);
        assert_eq!(edit_distance(&[], &word), 7);
    }
}
