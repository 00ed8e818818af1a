//! Which parts must come one after another.

use std::fs::File;
use std::os::fd::OwnedFd;

use selection::Extent;
use store::{Descriptor, Store};

use super::*;

fn source() -> Source {
    let file = File::open("/dev/null").unwrap();
    Source::File(Arc::new(Store::new(Descriptor::new(OwnedFd::from(file)), u64::MAX)))
}

fn part(file: Selection) -> WritePart<'static> {
    let memory_selection = file.clone();
    WritePart { element: 4, conversion: None, file, file_in_order: true, memory_selection, memory: &[] }
}

#[test]
fn parts_that_may_lie_between_each_other() {
    let (one, two) = (source(), source());
    let extent = Extent::new(&[10, 10]).unwrap();
    let rows = |first, count| part(Selection::tile(&extent, &[first, 0], &[count, 10]).unwrap());
    let columns = |first| part(Selection::tile(&extent, &[0, first], &[10, 2]).unwrap());
    let check = |parts: [(&WritePart<'_>, &Source, Places); 2], overlap: bool| {
        let [first, second] =
            parts.map(|(part, target, layout)| InPlace { part, target, layout, is_all_claimed: false });
        assert_eq!(targets_overlap(&[first, second]), overlap);
    };
    let at = Places::Contiguous;
    let (top, bottom, left, right) = (rows(0, 5), rows(5, 5), columns(0), columns(7));
    check([(&top, &one, at(0)), (&bottom, &one, at(0))], false);
    check([(&bottom, &one, at(0)), (&rows(4, 3), &one, at(0))], true);
    check([(&left, &one, at(0)), (&right, &one, at(0))], true);
    check([(&left, &one, at(0)), (&right, &two, at(0))], false);
    check([(&left, &one, at(0)), (&right, &one, at(400))], false);
    let nothing = part(Selection::none(&extent));
    check([(&left, &one, at(0)), (&nothing, &one, at(0))], false);
    let grid = ChunkGrid::new(&extent, &[10, 5]).unwrap();
    let chunk = |address| Places::Chunked { grid: grid.clone(), chunks: vec![ChunkAddress::At(address)] };
    check([(&left, &one, chunk(0)), (&right, &one, chunk(200))], false);
    check([(&left, &one, chunk(0)), (&columns(2), &one, chunk(0))], true);
    check([(&left, &one, chunk(0)), (&right, &one, chunk(199))], true);
    let missing = Places::Chunked { grid: grid.clone(), chunks: vec![ChunkAddress::Missing] };
    check([(&left, &one, chunk(0)), (&columns(2), &one, missing)], false);
}
