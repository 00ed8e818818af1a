//! Packing elements and unpacking them.

use super::fields::{FieldWriter, Fields, from_bytes, low_bits, to_bytes};
use super::layout::{Layout, Number};

/// Unpacks elements of that size and layout until `output` is full. Gaps of compounds are left alone.
pub(super) fn unpack(layout: &Layout, size: usize, fields: &mut Fields, output: &mut [u8]) {
    match layout {
        Layout::Number(number) => unpack_numbers(*number, fields, output),
        Layout::Array { stride, element } => unpack(element, *stride, fields, output),
        Layout::Compound(members) => {
            for compound in output.chunks_exact_mut(size) {
                for member in members {
                    let place = &mut compound[member.offset..][..member.size];
                    unpack(&member.layout, member.size, fields, place);
                }
            }
        }
        Layout::Bytes => output.iter_mut().for_each(|byte| *byte = low_byte(fields.next(8))),
    }
}

/// Packs all elements of `input`, of that size and layout.
pub(super) fn pack(layout: &Layout, size: usize, input: &[u8], fields: &mut FieldWriter) {
    match layout {
        Layout::Number(number) => pack_numbers(*number, input, fields),
        Layout::Array { stride, element } => pack(element, *stride, input, fields),
        Layout::Compound(members) => {
            for compound in input.chunks_exact(size) {
                for member in members {
                    let place = &compound[member.offset..][..member.size];
                    pack(&member.layout, member.size, place, fields);
                }
            }
        }
        Layout::Bytes => input.iter().for_each(|byte| fields.put(u64::from(*byte), 8)),
    }
}

fn unpack_numbers(number: Number, fields: &mut Fields, output: &mut [u8]) {
    match number.size {
        1 => unpack_sized::<1>(number, fields, output),
        2 => unpack_sized::<2>(number, fields, output),
        3 => unpack_sized::<3>(number, fields, output),
        4 => unpack_sized::<4>(number, fields, output),
        5 => unpack_sized::<5>(number, fields, output),
        6 => unpack_sized::<6>(number, fields, output),
        7 => unpack_sized::<7>(number, fields, output),
        8 => unpack_sized::<8>(number, fields, output),
        _ => unpack_large(number, fields, output),
    }
}

fn pack_numbers(number: Number, input: &[u8], fields: &mut FieldWriter) {
    match number.size {
        1 => pack_sized::<1>(number, input, fields),
        2 => pack_sized::<2>(number, input, fields),
        3 => pack_sized::<3>(number, input, fields),
        4 => pack_sized::<4>(number, input, fields),
        5 => pack_sized::<5>(number, input, fields),
        6 => pack_sized::<6>(number, input, fields),
        7 => pack_sized::<7>(number, input, fields),
        8 => pack_sized::<8>(number, input, fields),
        _ => pack_large(number, input, fields),
    }
}

fn unpack_sized<const SIZE: usize>(number: Number, fields: &mut Fields, output: &mut [u8]) {
    for bytes in output.as_chunks_mut::<SIZE>().0 {
        *bytes = to_bytes(fields.next(number.precision) << number.offset, number.big_endian);
    }
}

fn pack_sized<const SIZE: usize>(number: Number, input: &[u8], fields: &mut FieldWriter) {
    let significant = low_bits(number.precision);
    for bytes in input.as_chunks::<SIZE>().0 {
        let value = from_bytes(*bytes, number.big_endian) >> number.offset;
        fields.put(value & significant, number.precision);
    }
}

/// Numbers larger than a word go byte by byte.
fn unpack_large(number: Number, fields: &mut Fields, output: &mut [u8]) {
    for bytes in output.chunks_exact_mut(number.size) {
        bytes.fill(0);
        for part in parts(number) {
            bytes[part.byte] = low_byte(fields.next(part.width) << part.shift);
        }
    }
}

fn pack_large(number: Number, input: &[u8], fields: &mut FieldWriter) {
    for bytes in input.chunks_exact(number.size) {
        for part in parts(number) {
            let value = u64::from(bytes[part.byte]) >> part.shift;
            fields.put(value & low_bits(part.width), part.width);
        }
    }
}

/// The significant bits in one byte of a number.
struct Part {
    byte: usize,
    width: u32,
    shift: u32,
}

/// The bytes of a number that have significant bits, the most significant first.
fn parts(number: Number) -> impl Iterator<Item = Part> {
    let end = number.offset + number.precision;
    let bytes = number.offset / 8..end.div_ceil(8);
    bytes.rev().map(move |byte| {
        let shift = number.offset.saturating_sub(8 * byte);
        let width = (end - 8 * byte).min(8) - shift;
        let byte = byte as usize;
        Part { byte: if number.big_endian { number.size - 1 - byte } else { byte }, width, shift }
    })
}

fn low_byte(value: u64) -> u8 {
    value.to_le_bytes()[0]
}
