//! The README's picture: a bar per row, to the right of native HDF5's line if we are faster, to the left if we are slower.
//!
//! The scale is logarithmic, so that twice as fast and half as fast are equally long. There is a picture for light pages
//! and one for dark pages: GitHub chooses by its own theme, which a style sheet inside the picture does not know.

use std::fmt::Write as _;

use super::{Shown, shown};
use crate::{Results, Unreadable};

/// Pixels, at the width that GitHub gives a README.
const WIDTH: f64 = 840.0;
const ROW: f64 = 23.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 14.0;
/// Where labels end and bars may begin and end.
const LABELS: f64 = 318.0;
const LEFT: f64 = 332.0;
const RIGHT: f64 = 786.0;

/// Where the scale has lines, if it reaches that far.
const LINES: [(f64, &str); 8] =
    [(0.25, "¼"), (0.5, "½"), (1.0, "1"), (2.0, "2"), (5.0, "5"), (10.0, "10"), (20.0, "20"), (50.0, "50")];

/// The colours of a picture.
#[derive(Debug, Clone, Copy)]
pub struct Colours {
    background: &'static str,
    text: &'static str,
    quiet: &'static str,
    line: &'static str,
    faster: &'static str,
    slower: &'static str,
}

impl Colours {
    /// For light pages.
    pub const LIGHT: Self = Self {
        background: "#ffffff",
        text: "#1f2328",
        quiet: "#59636e",
        line: "#d1d9e0",
        faster: "#1f78b4",
        slower: "#d1560f",
    };
    /// For dark pages.
    pub const DARK: Self = Self {
        background: "#0d1117",
        text: "#e6edf3",
        quiet: "#9198a1",
        line: "#30363d",
        faster: "#4a9fd8",
        slower: "#f0883e",
    };
}

/// The picture, as SVG.
///
/// # Errors
/// If one of the rows was not measured.
pub fn chart(results: &Results, colours: Colours) -> Result<String, Unreadable> {
    let rows = shown(results)?;
    let scale = Scale::of(&rows);
    #[expect(clippy::cast_precision_loss, reason = "there are some twenty rows")]
    let bottom = TOP + rows.len() as f64 * ROW;
    let Colours { background, text, quiet, line, faster, slower } = colours;
    let height = bottom + BOTTOM;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" \
         font-family=\"-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif\" font-size=\"14\">\n\
         <title>Speed compared with native HDF5</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"{background}\"/>\n\
         <text x=\"{LABELS}\" y=\"24\" fill=\"{text}\" text-anchor=\"end\" font-weight=\"600\">Times as fast as native HDF5</text>\n\
         <text x=\"{LABELS}\" y=\"44\" fill=\"{quiet}\" text-anchor=\"end\" font-size=\"12\">logarithmic scale, {} cores</text>\n",
        results.about.cores
    );
    for (ratio, name) in
        LINES.into_iter().filter(|(ratio, _)| scale.least <= *ratio && *ratio <= scale.greatest)
    {
        let x = scale.place(ratio);
        let is_native = name == "1";
        let (stroke, width) = if is_native { (text, 1.5) } else { (line, 1.0) };
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"52\" y2=\"{bottom}\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>\n\
             <text x=\"{x:.1}\" y=\"44\" fill=\"{quiet}\" text-anchor=\"middle\" font-size=\"12\">{name}</text>"
        );
        if is_native {
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"24\" fill=\"{text}\" text-anchor=\"middle\" font-size=\"12\">native HDF5</text>"
            );
        }
    }
    let mut y = TOP;
    for row in &rows {
        let fill = if row.is_slower() { slower } else { faster };
        bar(&mut svg, row, scale, y, [text, fill, background]);
        y += ROW;
    }
    Ok(svg + "</svg>\n")
}

/// A label, a bar from native's line to the ratio, and the figure at its end, clear of the lines behind it.
fn bar(svg: &mut String, row: &Shown, scale: Scale, y: f64, [text, fill, background]: [&str; 3]) {
    let (native, ours) = (scale.place(1.0), scale.place(row.ratio));
    let (from, to) = (native.min(ours), native.max(ours));
    let (base, top) = (y + 16.0, y + 4.0);
    let (at, anchor) = if row.is_slower() { (from - 6.0, "end") } else { (to + 6.0, "start") };
    let _ = writeln!(
        svg,
        "<text x=\"{LABELS}\" y=\"{base}\" fill=\"{text}\" text-anchor=\"end\">{}</text>\n\
         <rect x=\"{from:.1}\" y=\"{top}\" width=\"{:.1}\" height=\"15\" rx=\"2\" fill=\"{fill}\"/>\n\
         <text x=\"{at:.1}\" y=\"{base}\" fill=\"{fill}\" text-anchor=\"{anchor}\" font-weight=\"600\" stroke=\"{background}\" \
         stroke-width=\"4\" paint-order=\"stroke\">{}</text>",
        row.what,
        (to - from).max(2.0),
        row.figure()
    );
}

/// From the least to the greatest ratio, with room for figures at both ends.
#[derive(Clone, Copy)]
struct Scale {
    least: f64,
    greatest: f64,
}

impl Scale {
    fn of(rows: &[Shown]) -> Self {
        let mut scale = Self { least: 1.0, greatest: 2.0 };
        for row in rows {
            scale.least = scale.least.min(row.ratio);
            scale.greatest = scale.greatest.max(row.ratio);
        }
        // The figure of the slowest row stands to the left of its bar.
        Self { least: scale.least / 1.7, ..scale }
    }

    fn place(self, ratio: f64) -> f64 {
        LEFT + (ratio / self.least).ln() / (self.greatest / self.least).ln() * (RIGHT - LEFT)
    }
}
