//! What acts several times in a step, and what all of that comes to.
//!
//! A step may act on a contact or a row more than once: at its beginning and at its end, in each of the parts that it is taken in, in
//! each impact. The laws hold of every *act*, with the velocity that belongs to it, and a recording keeps them all, so that each can be judged.
//! Who reads the forces of a step wants one entry for each contact and each row: the acts are sorted by what they are of, in their
//! order in time, and those of one are added up.

/// What a contact or a row did at once, to which the next act of the same in a step can be added.
pub(crate) trait Act: Copy {
    /// By what acts are told apart, and in which order they stand.
    type Key: Ord;

    fn key(&self) -> Self::Key;

    /// Whether it is all of a step that is one act, as far as it can tell.
    fn is_whole(&self) -> bool;

    /// As all of a step.
    fn whole(self) -> Self;

    /// Adds an act that comes later.
    fn add(&mut self, later: &Self);

    /// Takes what has been told of all acts once they were added up ([`Acts::tell`]).
    fn take_told(&mut self, act: &Self);
}

/// The acts of a step. Keeps its capacity.
#[derive(Clone, Debug)]
pub(crate) struct Acts<T> {
    /// All acts, sorted once the step is complete.
    pub(crate) all: Vec<T>,
    /// The sums, unless every act is one.
    sums: Vec<T>,
    order: Vec<usize>,
    sorted: Vec<T>,
}

impl<T> Default for Acts<T> {
    fn default() -> Self {
        Self { all: Vec::new(), sums: Vec::new(), order: Vec::new(), sorted: Vec::new() }
    }
}

impl<T: Act> Acts<T> {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.sums.clear();
    }

    /// Completes a step: sorts the acts and adds them up.
    pub(crate) fn close(&mut self) {
        self.sums.clear();
        self.sums.reserve(self.all.capacity());
        self.sort();
        let differ = |pair: &[T]| pair[0].key() != pair[1].key();
        if self.all.iter().all(T::is_whole) && self.all.windows(2).all(differ) {
            return;
        }
        for act in &self.all {
            match self.sums.last_mut().filter(|sum| sum.key() == act.key()) {
                Some(sum) => sum.add(act),
                None => self.sums.push(act.whole()),
            }
        }
    }

    /// Sorts the acts, those of one key in their order. (A sort of the acts themselves that keeps it would need memory.)
    fn sort(&mut self) {
        if self.all.is_sorted_by_key(T::key) {
            return;
        }
        self.order.clear();
        self.order.reserve(self.all.capacity());
        self.order.extend(0..self.all.len());
        self.order.sort_unstable_by_key(|&act| (self.all[act].key(), act));
        self.sorted.clear();
        self.sorted.reserve(self.all.capacity());
        self.sorted.extend(self.order.iter().map(|&act| self.all[act]));
        std::mem::swap(&mut self.all, &mut self.sorted);
    }

    /// Shows the acts of each key, to be told something of them, the same of all; the sums get it too.
    pub(crate) fn tell(&mut self, mut tell: impl FnMut(&mut [T])) {
        let mut sums = self.sums.iter_mut();
        for acts in self.all.chunk_by_mut(|a, b| a.key() == b.key()) {
            tell(acts);
            if let (Some(sum), Some(act)) = (sums.next(), acts.first()) {
                sum.take_told(act);
            }
        }
    }

    /// What each key did in the whole step, sorted.
    pub(crate) fn sums(&self) -> &[T] {
        if self.sums.is_empty() { &self.all } else { &self.sums }
    }
}
