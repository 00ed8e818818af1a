//! Writes streams of any blocks, also such that no compressor would write, and ones that are not valid.

use super::random::Random;

pub(super) const END: usize = 256;

/// The smallest length or distance of each symbol, and its extra bits: as the specification has them.
pub(super) const LENGTHS: [(usize, u32); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];
pub(super) const DISTANCES: [(usize, u32); 30] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 1),
    (7, 1),
    (9, 2),
    (13, 2),
    (17, 3),
    (25, 3),
    (33, 4),
    (49, 4),
    (65, 5),
    (97, 5),
    (129, 6),
    (193, 6),
    (257, 7),
    (385, 7),
    (513, 8),
    (769, 8),
    (1025, 9),
    (1537, 9),
    (2049, 10),
    (3073, 10),
    (4097, 11),
    (6145, 11),
    (8193, 12),
    (12289, 12),
    (16385, 13),
    (24577, 13),
];

/// The order in which the lengths of the codes for lengths are given.
pub(super) const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

pub(super) fn fixed_lengths() -> (Vec<u8>, Vec<u8>) {
    let symbols = [(144, 8), (112, 9), (24, 7), (8, 8)].map(|(count, length)| vec![length; count]);
    (symbols.concat(), vec![5; 32])
}

/// The code of each symbol, the first bit highest, counted up as the specification says.
pub(super) fn codes(lengths: &[u8]) -> Vec<usize> {
    let mut codes = vec![0; lengths.len()];
    let mut next = 0;
    for length in 1..=15 {
        next <<= 1;
        for (code, _) in codes.iter_mut().zip(lengths).filter(|(_, own)| **own == length) {
            *code = next;
            next += 1;
        }
    }
    codes
}

/// The Adler-32 of the specification.
pub(super) fn checksum(data: &[u8]) -> [u8; 4] {
    let sums = data.iter().fold((1_u32, 0_u32), |(one, two), &byte| {
        let one = (one + u32::from(byte)) % 65521;
        (one, (two + one) % 65521)
    });
    (sums.1 << 16 | sums.0).to_be_bytes()
}

/// A stream, and what it should decode to.
pub(super) struct Writer {
    stream: Vec<u8>,
    /// Bits in the last byte, 8 if there is none.
    used: u32,
    pub(super) data: Vec<u8>,
    symbols: Vec<(usize, u8)>,
    distances: Vec<(usize, u8)>,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self {
            stream: vec![0x78, 0x9C],
            used: 8,
            data: Vec::new(),
            symbols: Vec::new(),
            distances: Vec::new(),
        }
    }

    /// Bits, the lowest first.
    pub(super) fn bits(&mut self, value: usize, count: u32) {
        for place in 0..count {
            if self.used == 8 {
                self.stream.push(0);
                self.used = 0;
            }
            let bit = u8::from(value >> place & 1 == 1);
            *self.stream.last_mut().unwrap() |= bit << self.used;
            self.used += 1;
        }
    }

    fn code(&mut self, (code, length): (usize, u8)) {
        assert!(length > 0, "a symbol without a code");
        for place in (0..length).rev() {
            self.bits(code >> place & 1, 1);
        }
    }

    pub(super) fn begin(&mut self, last: bool, kind: usize) {
        self.bits(usize::from(last), 1);
        self.bits(kind, 2);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.used = 8;
        self.stream.extend_from_slice(bytes);
    }

    pub(super) fn stored(&mut self, last: bool, bytes: &[u8]) {
        let length = u16::try_from(bytes.len()).unwrap();
        self.begin(last, 0);
        self.bytes(&length.to_le_bytes());
        self.bytes(&(!length).to_le_bytes());
        self.bytes(bytes);
        self.data.extend_from_slice(bytes);
    }

    pub(super) fn begin_fixed(&mut self, last: bool) {
        self.begin(last, 1);
        let (symbols, distances) = fixed_lengths();
        self.set(&symbols, &distances);
    }

    fn set(&mut self, symbols: &[u8], distances: &[u8]) {
        let with_lengths = |lengths: &[u8]| codes(lengths).into_iter().zip(lengths.iter().copied()).collect();
        (self.symbols, self.distances) = (with_lengths(symbols), with_lengths(distances));
    }

    /// A block whose codes have these lengths, of which there may be fewer than must be given: those are zero.
    pub(super) fn begin_dynamic(
        &mut self,
        last: bool,
        symbols: &[u8],
        distances: &[u8],
        random: &mut Random,
    ) {
        let padded = |lengths: &[u8], least: usize| {
            let mut lengths = lengths.to_vec();
            lengths.resize(lengths.len().max(least), 0);
            lengths
        };
        let (symbols, distances) = (padded(symbols, 257), padded(distances, 1));
        self.begin(last, 2);
        self.lengths(symbols.len() - 257, distances.len() - 1, &[&symbols[..], &distances].concat(), random);
        self.set(&symbols, &distances);
    }

    /// The lengths of codes, with repetitions now and then, by a code of all symbols for them.
    fn lengths(&mut self, symbols: usize, distances: usize, lengths: &[u8], random: &mut Random) {
        let code = random.code(&(0..19).collect::<Vec<_>>(), 7, 1);
        self.bits(symbols, 5);
        self.bits(distances, 5);
        self.bits(15, 4);
        for place in ORDER {
            self.bits(code[place].into(), 3);
        }
        let codes: Vec<(usize, u8)> = codes(&code).into_iter().zip(code).collect();
        let mut done = 0;
        while let Some(&length) = lengths.get(done) {
            let same = lengths[done..].iter().take_while(|&&other| other == length).count();
            let repeats = done > 0 && lengths[done - 1] == length;
            let (symbol, least, most, extra) = match (random.below(3), length) {
                (0, _) if repeats => (16, 3, 6, 2),
                (1, 0) => (17, 3, 10, 3),
                (2, 0) => (18, 11, 138, 7),
                _ => (usize::from(length), 1, 1, 0),
            };
            if same < least {
                self.code(codes[usize::from(length)]);
                done += 1;
            } else {
                let times = same.min(most);
                self.code(codes[symbol]);
                self.bits(times - least, extra);
                done += times;
            }
        }
    }

    pub(super) fn symbol(&mut self, symbol: usize) {
        self.code(self.symbols[symbol]);
    }

    pub(super) fn distance_symbol(&mut self, symbol: usize) {
        self.code(self.distances[symbol]);
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.symbol(byte.into());
        self.data.push(byte);
    }

    /// A copy, by these symbols and extra bits.
    pub(super) fn copy_by(&mut self, (symbol, more): (usize, usize), (distance, further): (usize, usize)) {
        let (base, extra) = LENGTHS[symbol];
        self.symbol(END + 1 + symbol);
        self.bits(more, extra);
        let (length, (base, extra)) = (base + more, DISTANCES[distance]);
        self.distance_symbol(distance);
        self.bits(further, extra);
        // Byte by byte, as the specification describes it.
        for _ in 0..length {
            self.data.push(self.data[self.data.len() - base - further]);
        }
    }

    pub(super) fn copy(&mut self, length: usize, distance: usize) {
        let find = |of: &[(usize, u32)], number: usize| {
            let symbol = of.iter().rposition(|&(base, _)| base <= number).unwrap();
            (symbol, number - of[symbol].0)
        };
        self.copy_by(find(&LENGTHS, length), find(&DISTANCES, distance));
    }

    pub(super) fn end(&mut self) {
        self.symbol(END);
    }

    /// The stream, with its checksum, and the data.
    pub(super) fn finish(mut self) -> (Vec<u8>, Vec<u8>) {
        let sum = checksum(&self.data);
        self.bytes(&sum);
        (self.stream, self.data)
    }
}
