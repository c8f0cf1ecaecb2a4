// What all charts have in common: a frame with axes that fits its place, a legend, a table of what is drawn.

const SERIES_MAX = 10;
const drawn = [];  // {place, draw, dirty}

// A part that is drawn when it is near the screen, and again when filters have changed.
const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const each = drawn.find((one) => one.place === entry.target);
    each.seen = entry.isIntersecting;
    if (each.seen) refresh(each);
  }
});

function refresh(each) {
  if (!each.dirty) return;
  each.dirty = false;
  each.draw();
}
function onFilters(place, draw) {
  const each = {place, draw, dirty: true, seen: false};
  drawn.push(each);
  near.observe(place);
  return () => { each.dirty = true; refresh(each); };
}
function redraw() {
  for (const each of drawn) {
    each.dirty = true;
    if (each.seen) refresh(each);
  }
}
addEventListener('beforeprint', () => drawn.forEach(refresh));

// A scale for these numbers: logarithmic where they differ much.
function scaleFor(low, high, range, always) {
  if (!(low < high)) { low *= 0.9; high *= 1.1; }
  if (always || (low > 0 && high / low > 8)) return d3.scaleLog().domain([low, high]).range(range).nice();
  return d3.scaleLinear().domain([Math.min(0, low), high]).range(range).nice();
}
const isLog = (scale) => 'base' in scale;

// Few ticks, those of a logarithmic scale at powers, with 2 and 5 where there are few of these.
function ticksOf(scale, most) {
  if (!isLog(scale)) return scale.ticks(most);
  const powers = scale.ticks(2 * most).filter((x) => {
    const digit = Math.round(x / Math.pow(10, Math.floor(Math.log10(x) + 1e-9)));
    return digit === 1 || digit === 2 || digit === 5;
  });
  const ones = powers.filter((x) => Math.abs(Math.log10(x) - Math.round(Math.log10(x))) < 1e-6);
  const chosen = powers.length <= most || ones.length < 3 ? powers : ones;
  const step = Math.ceil(chosen.length / most);
  return chosen.filter((_, i) => i % step === 0);
}

// The room that a part has; before it is laid out, that of the page.
const widthOf = (place) => place.clientWidth || document.getElementById('report').clientWidth || 640;

// Labels at the left of a chart: as wide as the longest, at most 42 % of the place; what does not fit is cut.
const ruler = document.createElement('canvas').getContext('2d');
ruler.font = '12px system-ui, sans-serif';
function fit(text, room) {
  let shown = short(text, 200);
  while (shown.length > 2 && ruler.measureText(shown).width > room) shown = short(shown, shown.length - 1);
  return shown;
}
function labelRoom(place, labels) {
  const widest = Math.max(...labels.map((label) => ruler.measureText(short(label, 200)).width));
  return Math.min(Math.ceil(widest) + 16, Math.floor(widthOf(place) * 0.42));
}

// frame(place, {height, left, bottom, label}): an SVG as wide as its place.
function frame(place, {height = 320, left = 64, right = 16, top = 12, bottom = 44, label}) {
  const width = Math.max(280, Math.floor(widthOf(place)));
  const svg = d3.select(place).append('svg').attr('class', 'chart').attr('viewBox', `0 0 ${width} ${height}`)
    .attr('width', width)
    .attr('role', 'img').attr('aria-label', label);
  return {svg, width, height, left, top, x: [left, width - right], y: [height - bottom, top], bottom};
}

function drawAxes(made, x, y, {xLabel, yLabel, xText, yText, xTicks, xWord}) {
  const {svg, width, left} = made;
  const [floor, ceiling] = made.y;
  const most = Math.max(2, Math.floor((width - left) / 80));
  const across = x.ticks ? d3.axisBottom(x).tickValues(xTicks || ticksOf(x, most)) : d3.axisBottom(x);
  across.tickSizeOuter(0);
  if (x.ticks) across.tickFormat(xText || fine);
  else {  // words: as many as have room
    const words = x.domain(), step = Math.ceil(words.length / most);
    across.tickValues(words.filter((_, i) => i % step === 0));
    if (xWord) across.tickFormat(xWord);
  }
  svg.append('g').attr('transform', `translate(0,${floor})`).call(across);
  if (y.ticks) {
    const up = d3.axisLeft(y).tickValues(ticksOf(y, 6)).tickSizeOuter(0).tickFormat(yText || fine);
    svg.append('g').attr('class', 'grid').attr('transform', `translate(${left},0)`)
      .call(d3.axisLeft(y).tickValues(ticksOf(y, 6)).tickSize(left - made.x[1]).tickFormat(''));
    svg.append('g').attr('transform', `translate(${left},0)`).call(up);
  }
  svg.append('text').attr('x', (made.x[0] + made.x[1]) / 2).attr('y', made.height - 6)
    .attr('text-anchor', 'middle').text(short(xLabel, 60));
  if (yLabel)
    svg.append('text').attr('transform', `translate(13,${(floor + ceiling) / 2}) rotate(-90)`)
      .attr('text-anchor', 'middle').text(short(yLabel, 50));
}

// A mark that says what it is to a pointer.
function tells(mark, text) {
  mark.on('pointermove', function (d) { showTip(d3.event || window.event, text(d)); })
    .on('pointerleave', hideTip);
  return mark;
}

function legend(labels) {
  return el('ul.legend', null, labels.map((text, i) =>
    el('li.c' + (i % SERIES_MAX), null, el('i', {'aria-hidden': 'true'}), name(text))));
}

// What a chart shows, as a table; made when it is opened.
function asTable(caption, columns, rows) {
  const details = el('details', {ontoggle: () => {
    if (details.open && details.children.length === 1)
      details.append(long(rows, 50, (some) => table(caption, columns, some)));
  }}, el('summary.faint', null, 'As a table'));
  return details;
}

// The choices of a chart: which problem it is about. `used`: axes that the chart itself spreads out.
function problemChoice(used, chosen, use) {
  const left = problem.filter((axis) => !used.includes(axis));
  const groups = left.length ? groupsBy(left) : new Map();
  if (groups.size < 2) return {among: state.visible, control: null};
  const many = [...groups.values()];
  const rates = state.metric.larger;
  const options = many.slice(0, 500).map((g) => [g.key, g.label]);
  if (rates) options.unshift(['all', 'all: the best of each']);
  let now = chosen;
  if (!(now === 'all' && rates) && !groups.has(Number(now))) now = rates ? 'all' : many[0].key;
  return {
    among: now === 'all' ? state.visible : groups.get(Number(now)).points,
    control: choice('Problem', options, now, use), title: now === 'all' ? '' : groups.get(Number(now)).label,
  };
}
