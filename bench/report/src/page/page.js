"use strict";
// Draws the spans of the timeline. Names reach the page only as text: fillText and textContent.
(() => {
  const data = document.getElementById("spans");
  const box = document.querySelector("#timeline .canvas");
  if (!data || !data.textContent || !box) return;
  const drawing = JSON.parse(data.textContent);
  const canvas = box.querySelector("canvas"), tip = box.querySelector(".tip"), paper = canvas.getContext("2d");
  // In pixels; PARTS are the numbers of a span, MARGIN is the style's padding around the canvas.
  const AXIS = 24, NAME = 18, LEVEL = 19, GAP = 9, MARGIN = 28, PARTS = 4;
  const all = drawing.length * 10;
  let from = 0, until = all, width = 0, colours = {};

  let height = AXIS;
  for (const thread of drawing.threads) {
    thread.top = height + NAME;
    height = thread.top + thread.levels * LEVEL + GAP;
  }
  box.hidden = false;

  const x = (time) => (time - from) / (until - from) * width;
  const shown = (tenths) => {
    const micros = tenths / 10;
    if (micros >= 1e6) return (micros / 1e6).toPrecision(3) + " s";
    return micros >= 1000 ? (micros / 1000).toPrecision(3) + " ms" : micros.toFixed(1) + " µs";
  };
  const short = (text, length) => text.length > length ? text.slice(0, length - 1) + "…" : text;

  function measure() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "soft", "line", "card", ...drawing.kinds.map((kind) => kind[1])]) {
      colours[name] = style.getPropertyValue("--" + name).trim();
    }
    const dense = window.devicePixelRatio || 1;
    width = box.clientWidth - MARGIN;
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round(height * dense);
    canvas.style.height = height + "px";
    paper.setTransform(dense, 0, 0, dense, 0, 0);
    draw();
  }

  function drawAxis() {
    const rough = (until - from) / Math.max(2, width / 110), power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
    paper.font = "12px system-ui, sans-serif";
    for (let time = Math.ceil(from / step) * step; time <= until; time += step) {
      paper.fillStyle = colours.line;
      paper.fillRect(Math.round(x(time)), AXIS - 4, 1, height - AXIS);
      paper.fillStyle = colours.soft;
      const millis = time / 1e4, digits = Math.max(0, Math.ceil(-Math.log10(step / 1e4) - 1e-9));
      const label = millis.toFixed(Math.min(digits, 4)) + " ms";
      if (x(time) + paper.measureText(label).width < width) paper.fillText(label, x(time) + 3, 12);
    }
  }

  function draw() {
    paper.fillStyle = colours.card;
    paper.fillRect(0, 0, width, height);
    drawAxis();
    for (const thread of drawing.threads) {
      const spans = thread.spans, drawn = new Array(thread.levels).fill(-1);
      for (let at = 0; at < spans.length; at += PARTS) {
        const start = spans[at + 2], end = start + spans[at + 3];
        if (end < from || start > until) continue;
        const left = Math.max(0, x(start)), right = Math.min(width, x(end)), level = spans[at + 1];
        // Many short spans in one pixel are drawn once.
        if (right - left < 0.6 && right - drawn[level] < 0.6) continue;
        drawn[level] = right;
        const [kind, colour] = drawing.kinds[spans[at]];
        // Neighbours of one colour stay apart where there is room for it.
        const wide = right - left, gap = wide > 5 ? 1 : 0, top = thread.top + level * LEVEL;
        paper.fillStyle = colours[colour];
        paper.fillRect(left, top, Math.max(wide - gap, 0.6), LEVEL - 2);
        if (wide > 44) {
          paper.fillStyle = colour === "around" ? colours.ink : colours.card;
          const text = short(kind, Math.floor((wide - 8) / 6.6));
          paper.fillText(text, left + 5, top + 12.5);
        }
      }
      paper.fillStyle = colours.ink;
      paper.fillText(short(thread.name, Math.floor(width / 7)), 0, thread.top - 5);
    }
  }

  function move(start, length) {
    const size = Math.min(Math.max(length, 50), all);
    from = Math.min(Math.max(start, 0), all - size);
    until = from + size;
    draw();
  }
  // The time under `place` stays there.
  function zoom(factor, place) {
    const size = Math.min(Math.max((until - from) / factor, 50), all), share = place / width;
    move(from + (until - from) * share - size * share, size);
  }

  function under(place, row) {
    const time = from + place / width * (until - from), slack = (until - from) / width;
    for (const thread of drawing.threads) {
      const level = Math.floor((row - thread.top) / LEVEL);
      if (level < 0 || level >= thread.levels) continue;
      for (let at = 0; at < thread.spans.length; at += PARTS) {
        const [kind, own, start, size] = thread.spans.slice(at, at + PARTS);
        if (own === level && start - slack <= time && time <= start + size + slack) {
          return drawing.kinds[kind][0] + ": " + shown(size) + ", at " + shown(start);
        }
      }
    }
    return "";
  }

  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = { x: event.offsetX, from };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointercancel", () => { held = null; });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("pointermove", (event) => {
    if (held && Math.abs(event.offsetX - held.x) > 2) {
      move(held.from - (event.offsetX - held.x) / width * (until - from), until - from);
      tip.hidden = true;
      return;
    }
    const words = under(event.offsetX, event.offsetY);
    tip.hidden = !words;
    tip.textContent = words;
    const left = canvas.offsetLeft + event.offsetX;
    tip.style.left = Math.min(left + 12, box.clientWidth - Math.min(290, tip.offsetWidth + 8)) + "px";
    tip.style.top = canvas.offsetTop + event.offsetY + 18 + "px";
  });
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, event.offsetX);
    } else if (event.deltaX) {
      event.preventDefault();
      move(from + event.deltaX / width * (until - from), until - from);
    }
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoom(2, event.offsetX));
  canvas.addEventListener("keydown", (event) => {
    const size = until - from;
    const act = {
      ArrowLeft: () => move(from - size / 8, size), ArrowRight: () => move(from + size / 8, size),
      "+": () => zoom(1.5, width / 2), "=": () => zoom(1.5, width / 2), "-": () => zoom(1 / 1.5, width / 2), 0: () => move(0, all),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  });
  for (const button of box.querySelectorAll("[data-zoom]")) {
    const factor = Number(button.dataset.zoom);
    button.addEventListener("click", () => factor ? zoom(factor, width / 2) : move(0, all));
  }
  measure();
  // Its height follows from what is drawn; only another width changes that.
  new ResizeObserver(() => { if (box.clientWidth - MARGIN !== width) measure(); }).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", measure);
})();
