//! Huffman codes as tables: what the next bits mean, looked up in one step, or in two for long codes.

#![expect(clippy::inline_always, reason = "looking up is what decoding consists of")]
#![expect(clippy::cast_possible_truncation, reason = "numbers of a few bits")]

use core::ops::Range;

/// Bits that are looked up at once.
pub(super) const SYMBOL_BITS: u32 = 11;
pub(super) const DISTANCE_BITS: u32 = 8;
const LENGTH_BITS: u32 = 7;

/// Entries of the tables, a power of 2 that is never reached: 2342 and 402 are the most there can be.
const SYMBOLS: usize = 4096;
const DISTANCES: usize = 512;

/// What some bits mean: one number, because everything depends on how fast it is there.
///
/// Lowest byte: how many bits it is, with the extra bits that follow. Next five bits: without those. Next three: flags, of
/// what is rare. Above: the byte, the length or distance without the extra bits, or where in the table it goes on. The
/// highest bit is set for bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(u32);

impl Entry {
    const BYTE: u32 = 1 << 31;
    /// Neither a byte nor a length or distance: goes on, the end of the block, or, without another flag, not a code.
    const RARE: u32 = 1 << 15;
    const LONGER: u32 = 1 << 14;
    const END: u32 = 1 << 13;
    const INVALID: Self = Self(Self::RARE);

    const fn byte(value: usize) -> Self {
        Self(Self::BYTE | (value as u32) << 16)
    }

    const fn number(base: u16, extra: u32) -> Self {
        Self((base as u32) << 16 | extra)
    }

    /// The same for a code of so many bits.
    fn of_bits(self, bits: u32) -> Self {
        if self == Self::INVALID { self } else { Self(self.0 + (bits | bits << 8)) }
    }

    /// Codes that begin like this one are in another part of the table, by so many more bits.
    fn longer(start: usize, bits: u32, more: u32) -> Self {
        let start = u32::try_from(start).unwrap_or(0);
        Self(start << 16 | Self::RARE | Self::LONGER | more << 8 | bits)
    }

    #[inline(always)]
    pub(super) fn is_byte(self) -> bool {
        self.0 & Self::BYTE != 0
    }

    #[inline(always)]
    pub(super) fn is_rare(self) -> bool {
        self.0 & Self::RARE != 0
    }

    /// Of rare ones.
    #[inline(always)]
    pub(super) fn is_longer(self) -> bool {
        self.0 & Self::LONGER != 0
    }

    /// Of rare ones.
    #[inline(always)]
    pub(super) fn is_end(self) -> bool {
        self.0 & Self::END != 0
    }

    /// All bits, in the lowest byte of the result.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(super) fn value(self) -> u8 {
        (self.0 >> 16) as u8
    }

    /// A length or distance, of the bits that it was looked up by.
    #[inline(always)]
    pub(super) fn with_extra(self, buffer: u64) -> usize {
        let own = buffer & !(u64::MAX << (self.0 & 63));
        // At most 13 bits.
        (self.0 >> 16) as usize + (own >> (self.0 >> 8 & 31)) as usize
    }

    /// Where a longer code is, of the bits that follow.
    #[inline(always)]
    fn further(self, buffer: u64) -> usize {
        (self.0 >> 16) as usize + (buffer & !(u64::MAX << (self.0 >> 8 & 31))) as usize
    }
}

/// What bytes, lengths and the end of a block are coded as, and distances.
#[derive(Debug)]
pub(crate) struct Codes(Box<Tables>);

/// Both tables in one place: a loop needs one register for them.
#[derive(Debug)]
pub(super) struct Tables {
    symbols: [Entry; SYMBOLS],
    distances: [Entry; DISTANCES],
}

impl Default for Codes {
    fn default() -> Self {
        Self(Box::new(Tables { symbols: [Entry::INVALID; SYMBOLS], distances: [Entry::INVALID; DISTANCES] }))
    }
}

const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

impl Tables {
    #[inline(always)]
    pub(super) fn symbol(&self, buffer: u64) -> Entry {
        self.symbols[(buffer & mask(SYMBOL_BITS)) as usize]
    }

    #[inline(always)]
    pub(super) fn longer_symbol(&self, entry: Entry, buffer: u64) -> Entry {
        self.symbols[entry.further(buffer) % SYMBOLS]
    }

    #[inline(always)]
    pub(super) fn distance(&self, buffer: u64) -> Entry {
        self.distances[(buffer & mask(DISTANCE_BITS)) as usize]
    }

    #[inline(always)]
    pub(super) fn longer_distance(&self, entry: Entry, buffer: u64) -> Entry {
        self.distances[entry.further(buffer) % DISTANCES]
    }
}

impl Codes {
    pub(super) fn tables(&self) -> &Tables {
        &self.0
    }

    /// Codes with these lengths. Nothing if there is no such code.
    pub(super) fn set(&mut self, symbols: &[u8], distances: &[u8]) -> Option<()> {
        // Without a code for the end of a block it would have none.
        if *symbols.get(END_OF_BLOCK)? == 0 {
            return None;
        }
        build(&mut self.0.distances, distances, DISTANCE_BITS, &DISTANCE_ENTRIES, true)?;
        build(&mut self.0.symbols, symbols, SYMBOL_BITS, &SYMBOL_ENTRIES, true)
    }

    /// The codes that need not be told.
    pub(super) fn set_fixed(&mut self) -> Option<()> {
        let mut lengths = [8; SYMBOL_ENTRIES.len()];
        lengths[144..256].fill(9);
        lengths[256..280].fill(7);
        self.set(&lengths, &[5; DISTANCE_ENTRIES.len()])
    }
}

/// What lengths of codes are coded as.
pub(super) struct LengthCodes([Entry; 1 << LENGTH_BITS]);

impl LengthCodes {
    pub(super) fn new(lengths: &[u8; 19]) -> Option<Self> {
        let mut table = [Entry::INVALID; 1 << LENGTH_BITS];
        build(&mut table, lengths, LENGTH_BITS, &LENGTH_ENTRIES, false)?;
        Some(Self(table))
    }

    /// The bits of the code, and what it means; nothing if there is no such code.
    pub(super) fn look_up(&self, buffer: u64) -> Option<(u32, u8)> {
        let entry = self.0[(buffer & mask(LENGTH_BITS)) as usize];
        (!entry.is_rare()).then_some((entry.bits() & 0xFF, entry.value()))
    }
}

const END_OF_BLOCK: usize = 256;
const FIRST_LENGTH: usize = END_OF_BLOCK + 1;

const LENGTH_BASES: [u16; 29] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227, 258,
];

const DISTANCE_BASES: [u16; 30] = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
    4097, 6145, 8193, 12289, 16385, 24577,
];

/// What symbols mean. The last two are in the fixed code, and mean nothing.
const SYMBOL_ENTRIES: [Entry; 288] = {
    let mut entries = [Entry::INVALID; 288];
    let mut symbol = 0;
    while symbol < END_OF_BLOCK {
        entries[symbol] = Entry::byte(symbol);
        symbol += 1;
    }
    entries[END_OF_BLOCK] = Entry(Entry::RARE | Entry::END);
    let mut length = 0;
    while length < LENGTH_BASES.len() {
        let extra = match length {
            8..28 => length as u32 / 4 - 1,
            _ => 0,
        };
        entries[FIRST_LENGTH + length] = Entry::number(LENGTH_BASES[length], extra);
        length += 1;
    }
    entries
};

const DISTANCE_ENTRIES: [Entry; 32] = {
    let mut entries = [Entry::INVALID; 32];
    let mut distance = 0;
    while distance < DISTANCE_BASES.len() {
        let extra = if distance < 2 { 0 } else { distance as u32 / 2 - 1 };
        entries[distance] = Entry::number(DISTANCE_BASES[distance], extra);
        distance += 1;
    }
    entries
};

const LENGTH_ENTRIES: [Entry; 19] = {
    let mut entries = [Entry::INVALID; 19];
    let mut length = 0;
    while length < entries.len() {
        entries[length] = Entry::number(length as u16, 0);
        length += 1;
    }
    entries
};

const LONGEST: usize = 15;

/// Fills a table for codes of these lengths, of which `bits` are looked up at once; what they mean is in `entries`.
/// Nothing if there is no such code: more codes than there is room for, or less, except that a single one may have one bit.
fn build(
    table: &mut [Entry],
    lengths: &[u8],
    bits: u32,
    entries: &[Entry],
    may_be_single: bool,
) -> Option<()> {
    let mut counts = [0; LONGEST + 1];
    for &length in lengths {
        counts[usize::from(length)] += 1;
    }
    counts[0] = 0;
    let sum = counts.iter().fold(0, |sum, count| 2 * sum + count);
    if sum != 1_usize << LONGEST {
        return if may_be_single { single(&mut table[..1 << bits], lengths, &counts, entries) } else { None };
    }
    // The symbols by the lengths of their codes, which is the order of their codes.
    let mut starts = [0; LONGEST + 2];
    for length in 1..=LONGEST {
        starts[length + 1] = starts[length] + counts[length];
    }
    let mut sorted = [0_u16; SYMBOL_ENTRIES.len()];
    let mut next = starts;
    for (symbol, &length) in (0..).zip(lengths) {
        if length > 0 {
            sorted[next[usize::from(length)]] = symbol;
            next[usize::from(length)] += 1;
        }
    }
    let of_length = |length: u32| -> Range<usize> { starts[length as usize]..starts[length as usize + 1] };
    let entry = |symbol: u16, length: u32| entries[usize::from(symbol)].of_bits(length);

    // A code's place is its bits in the order in which they are stored, the last one highest. A table for codes of one bit
    // less, twice, is one for one bit more: each entry is written once, and then copied with others.
    let mut code = 0;
    for length in 1..=bits {
        let size = 1 << length;
        table.copy_within(..size / 2, size / 2);
        for &symbol in &sorted[of_length(length)] {
            table[code] = entry(symbol, length);
            code = following(code, size);
        }
    }

    // Longer codes that begin with the same bits have a part of the table of their own.
    let first = 1 << bits;
    let mut end = first;
    let mut part = Range { start: 0, end: 0 };
    let mut beginning = usize::MAX;
    for length in bits + 1..=LONGEST as u32 {
        let symbols = &sorted[of_length(length)];
        for (done, &symbol) in symbols.iter().enumerate() {
            if code % first != beginning {
                beginning = code % first;
                // As many bits more as the codes need that fill the part, of which the ones to come are the first.
                let mut more = length - bits;
                let mut filled = symbols.len() - done;
                while filled < 1 << more {
                    more += 1;
                    filled = 2 * filled + counts.get((bits + more) as usize)?;
                }
                part = end..end + (1 << more);
                end = part.end;
                table[beginning] = Entry::longer(part.start, bits, more);
            }
            let more = length - bits;
            for place in (part.start + code / first..part.end).step_by(1 << more) {
                *table.get_mut(place)? = entry(symbol, more);
            }
            code = following(code, 1 << length);
        }
    }
    Some(())
}

/// The code that follows among those of the same length, `size` of which there can be; 0 after the last. The bits are in
/// the order in which they are stored, so it is the highest that counts one on.
fn following(code: usize, size: usize) -> usize {
    let zeros = !code & (size - 1);
    match zeros.checked_ilog2() {
        Some(place) => code & ((1 << place) - 1) | 1 << place,
        None => 0,
    }
}

/// One code of one bit, or none at all, which is how it is said that there are no distances.
fn single(
    table: &mut [Entry],
    lengths: &[u8],
    counts: &[usize; LONGEST + 1],
    entries: &[Entry],
) -> Option<()> {
    match (counts[1], counts.iter().sum()) {
        (0, 0) => table.fill(Entry::INVALID),
        (1, 1) => {
            let symbol = lengths.iter().position(|&length| length == 1)?;
            let [code, other] = [entries[symbol].of_bits(1), Entry::INVALID];
            for (place, entry) in table.iter_mut().enumerate() {
                *entry = if place % 2 == 0 { code } else { other };
            }
        }
        _ => return None,
    }
    Some(())
}
