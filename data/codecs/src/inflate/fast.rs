//! The loop that decodes codes while there is enough input and room that neither must be checked for each of them.
//!
//! Everything here is about what the processor waits for: the next entry is looked up before the bits behind it are
//! fetched, and what was decoded is copied in words, beyond its end, where there is room for it.

#![expect(clippy::inline_always, reason = "the loops must keep everything in registers")]

use super::bits::{Bits, FILLED};
use super::codes::{DISTANCE_BITS, Entry, SYMBOL_BITS, Tables};
use super::stream::Stream;

/// Bytes of input that a step reads at most, from where it begins: words of 8 at two places, the second 7 bytes further.
const INPUT: usize = 16;

/// Bytes that a step writes at most, also beyond what it decodes: two bytes, the longest copy, and 15 of its last word. (Of a
/// short copy more is written beyond its end, but less in all.)
const OUTPUT: usize = 2 + 258 + 15;

/// Bits that a distance has at most, with the extra ones, and the symbol behind it that is looked up: if the distance is in
/// the first part of its table, and else.
const DISTANCE: u32 = DISTANCE_BITS + 13 + SYMBOL_BITS;
const LONGER_DISTANCE: u32 = 15 + 13 + SYMBOL_BITS;

/// Whether there is enough input and room for the loop: one word of bits is fetched before its first step.
pub(super) fn can_run(stream: &Stream<'_>) -> bool {
    let input = stream.bits.input.len().saturating_sub(stream.bits.next);
    input >= 7 + INPUT && stream.output.len() - stream.written >= OUTPUT
}

/// Decodes as far as it can.
pub(super) fn run(stream: &mut Stream<'_>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { x86::run(stream) };
    }
    run_one(stream);
}

/// Decodes two streams in turns, as far as both can.
pub(super) fn run_both(one: &mut Stream<'_>, other: &mut Stream<'_>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { x86::run_both(one, other) };
    }
    run_two(one, other);
}

/// The same loops, with instructions that shift by any register.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Stream, run_one, run_two};

    #[target_feature(enable = "bmi2")]
    pub(super) fn run(stream: &mut Stream<'_>) {
        run_one(stream);
    }

    #[target_feature(enable = "bmi2")]
    pub(super) fn run_both(one: &mut Stream<'_>, other: &mut Stream<'_>) {
        run_two(one, other);
    }
}

#[inline(always)]
fn run_one(stream: &mut Stream<'_>) {
    let (mut lane, codes) = Lane::of(stream);
    let step = loop {
        if !lane.can_step() {
            break Step::Decoded;
        }
        // SAFETY: `can_step`.
        let step = unsafe { lane.step(codes) };
        if step != Step::Decoded {
            break step;
        }
    };
    let after = lane.after();
    after.give_back(stream, step);
}

#[inline(always)]
fn run_two(one: &mut Stream<'_>, other: &mut Stream<'_>) {
    let (mut first, codes) = Lane::of(one);
    let (mut second, other_codes) = Lane::of(other);
    let steps = loop {
        if !(first.can_step() && second.can_step()) {
            break (Step::Decoded, Step::Decoded);
        }
        // SAFETY: `can_step`.
        let step = unsafe { first.step(codes) };
        if step != Step::Decoded {
            break (step, Step::Decoded);
        }
        // SAFETY: `can_step`.
        let step = unsafe { second.step(other_codes) };
        if step != Step::Decoded {
            break (Step::Decoded, step);
        }
    };
    let (after_first, after_second) = (first.after(), second.after());
    after_first.give_back(one, steps.0);
    after_second.give_back(other, steps.1);
}

/// What a step came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Decoded,
    EndOfBlock,
    Corrupt,
}

/// A stream while it is in the loop.
struct Lane {
    input: *const u8,
    /// The last place at which a step may begin.
    last_input: *const u8,
    begin: *mut u8,
    output: *mut u8,
    last_output: *mut u8,
    /// Bits, of which the lowest byte of `count` says how many are there.
    buffer: u64,
    count: u32,
    /// What the first of them mean: they are still there.
    entry: Entry,
}

/// What the loop has used of the input, and written.
struct After {
    read: *const u8,
    written: *mut u8,
    buffer: u64,
    count: u32,
}

impl Lane {
    /// Where a stream is that can run, and its codes.
    #[inline(always)]
    fn of<'c>(stream: &'c mut Stream<'_>) -> (Self, &'c Tables) {
        debug_assert!(can_run(stream));
        let Stream { bits, output, written, codes, .. } = stream;
        let codes = codes.tables();
        let (input, output) = (&bits.input[bits.next..], &mut output[..]);
        let (begin, places) = (output.as_mut_ptr(), output.len() - OUTPUT);
        let mut lane = Self {
            input: input.as_ptr(),
            last_input: input[..=input.len() - INPUT].as_ptr_range().end.wrapping_sub(1),
            begin,
            // Not of a part of the slice: copies read what is before it.
            output: begin.wrapping_add(*written),
            last_output: begin.wrapping_add(places),
            buffer: bits.buffer,
            count: bits.count,
            entry: codes.symbol(0),
        };
        // SAFETY: a stream that can run has a word of input, and more.
        unsafe { lane.fill() };
        lane.entry = codes.symbol(lane.buffer);
        (lane, codes)
    }

    #[inline(always)]
    fn can_step(&self) -> bool {
        self.input <= self.last_input && self.output <= self.last_output
    }

    fn after(&self) -> After {
        After { read: self.input, written: self.output, buffer: self.buffer, count: self.count & 0xFF }
    }

    /// Fetches bits, so that there are at least 56. Those that are there already are fetched again where they do not make
    /// a byte: they are the same.
    ///
    /// # Safety
    /// There are 8 bytes of input.
    #[inline(always)]
    unsafe fn fill(&mut self) {
        // SAFETY: as the caller says. A word may be anywhere.
        let word = u64::from_le(unsafe { self.input.cast::<u64>().read_unaligned() });
        self.buffer |= word << (self.count & 63);
        self.input = self.input.wrapping_add(7 - (self.count >> 3 & 7) as usize);
        self.count |= FILLED;
    }

    /// Uses the bits of an entry.
    #[inline(always)]
    fn skip(&mut self, entry: Entry) {
        self.buffer >>= entry.bits() & 63;
        // The other bytes of the entry do not matter: they change no lower one.
        self.count = self.count.wrapping_sub(entry.bits());
    }

    /// Writes a byte.
    ///
    /// # Safety
    /// There is room for it.
    #[inline(always)]
    unsafe fn put(&mut self, entry: Entry) {
        // SAFETY: as the caller says.
        unsafe { self.output.write(entry.value()) };
        self.output = self.output.wrapping_add(1);
    }

    /// Decodes up to three bytes, or fewer and a copy of earlier ones.
    ///
    /// # Safety
    /// [`Self::can_step`].
    #[inline(always)]
    unsafe fn step(&mut self, codes: &Tables) -> Step {
        let mut entry = self.entry;
        let mut buffer = self.buffer;
        self.skip(entry);
        if entry.is_byte() {
            // SAFETY: there is room for more than three bytes, here and below.
            unsafe { self.put(entry) };
            entry = codes.symbol(self.buffer);
            buffer = self.buffer;
            self.skip(entry);
            if entry.is_byte() {
                // SAFETY: see above.
                unsafe { self.put(entry) };
                entry = codes.symbol(self.buffer);
                buffer = self.buffer;
                self.skip(entry);
                if entry.is_byte() {
                    // SAFETY: see above.
                    unsafe { self.put(entry) };
                    // Of 56 bits not more than 33 were used, so there are enough for any entry.
                    self.entry = codes.symbol(self.buffer);
                    // SAFETY: the first word that is read in this step.
                    unsafe { self.fill() };
                    return Step::Decoded;
                }
            }
        }
        if entry.is_rare() {
            if entry.is_longer() {
                entry = codes.longer_symbol(entry, self.buffer);
                buffer = self.buffer;
                self.skip(entry);
                if entry.is_byte() {
                    // SAFETY: at most the third byte.
                    unsafe {
                        self.put(entry);
                        self.fill();
                    }
                    self.entry = codes.symbol(self.buffer);
                    return Step::Decoded;
                }
            }
            if entry.is_rare() {
                return if entry.is_end() { Step::EndOfBlock } else { Step::Corrupt };
            }
        }
        let length = entry.with_extra(buffer);
        // Of 56 bits not more than 42 were used.
        let mut entry = codes.distance(self.buffer);
        if self.count & 0xFF < DISTANCE {
            // SAFETY: the first word that is read in this step.
            unsafe { self.fill() };
        }
        if entry.is_rare() {
            if !entry.is_longer() {
                return Step::Corrupt;
            }
            if self.count & 0xFF < LONGER_DISTANCE {
                // SAFETY: the first word that is read in this step: there were bits enough above.
                unsafe { self.fill() };
            }
            self.skip(entry);
            entry = codes.longer_distance(entry, self.buffer);
            if entry.is_rare() {
                return Step::Corrupt;
            }
        }
        let distance = entry.with_extra(self.buffer);
        self.skip(entry);
        self.entry = codes.symbol(self.buffer);
        // SAFETY: at most the second word that is read in this step.
        unsafe { self.fill() };
        if distance > self.output.addr() - self.begin.addr() {
            return Step::Corrupt;
        }
        // SAFETY: there are as many bytes before this place, and room for the longest copy after at most two.
        unsafe { self.copy(distance, length) };
        Step::Decoded
    }

    /// Writes bytes again that were written so far back. Most copies are short: three words are written without looking. A
    /// distance of 8 is as frequent as any in numbers of 8 bytes: it must not be a case of its own here, because the processor
    /// could not foresee when it comes.
    ///
    /// # Safety
    /// There are as many; and there is room for 15 bytes more than the length, and for 32.
    #[inline(always)]
    unsafe fn copy(&mut self, distance: usize, length: usize) {
        let mut to = self.output;
        let mut from = to.wrapping_sub(distance).cast_const();
        let end = to.wrapping_add(length);
        self.output = end;
        // SAFETY: the first words are in the room for 32 bytes. Others begin before the end, so that of 16 bytes at most 15 are
        // beyond it. A word of 8 or 16 bytes is read at least that far back, or, at a distance of less than 8, ends in the room.
        // Of those words as many bytes are right as the distance, and the next one begins after them.
        unsafe {
            if distance >= 8 {
                copy_word::<8>(to, from);
                copy_word::<8>(to.wrapping_add(8), from.wrapping_add(8));
                copy_word::<8>(to.wrapping_add(16), from.wrapping_add(16));
                (to, from) = (to.wrapping_add(24), from.wrapping_add(24));
                if distance >= 16 {
                    while to < end {
                        copy_word::<16>(to, from);
                        (to, from) = (to.wrapping_add(16), from.wrapping_add(16));
                    }
                } else {
                    while to < end {
                        copy_word::<8>(to, from);
                        (to, from) = (to.wrapping_add(8), from.wrapping_add(8));
                    }
                }
            } else if distance == 1 {
                let word = [from.read(); 16];
                while to < end {
                    to.cast::<[u8; 16]>().write_unaligned(word);
                    to = to.wrapping_add(16);
                }
            } else {
                copy_word::<8>(to, from);
                copy_word::<8>(to.wrapping_add(distance), from.wrapping_add(distance));
                (to, from) = (to.wrapping_add(2 * distance), from.wrapping_add(2 * distance));
                while to < end {
                    copy_word::<8>(to, from);
                    (to, from) = (to.wrapping_add(distance), from.wrapping_add(distance));
                }
            }
        }
    }
}

/// Copies so many bytes.
///
/// # Safety
/// There are as many to read, and room for them.
#[inline(always)]
unsafe fn copy_word<const BYTES: usize>(to: *mut u8, from: *const u8) {
    // SAFETY: as the caller says. A word may be anywhere.
    unsafe { to.cast::<[u8; BYTES]>().write_unaligned(from.cast::<[u8; BYTES]>().read_unaligned()) };
}

impl After {
    #[inline(always)]
    fn give_back(self, stream: &mut Stream<'_>, step: Step) {
        let Stream { bits, output, written, .. } = stream;
        let Bits { input, next, buffer, count } = bits;
        *next = self.read.addr() - input.as_ptr().addr();
        (*buffer, *count) = (self.buffer, self.count);
        bits.put_back();
        *written = self.written.addr() - output.as_ptr().addr();
        match step {
            Step::Decoded => {}
            Step::EndOfBlock => stream.end_block(),
            Step::Corrupt => stream.fail(),
        }
    }
}
