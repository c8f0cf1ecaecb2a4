// The points: their axes, which of them the filters leave, and what is drawn of them.

const points = data.points;
const axes = data.axes.map((axis, at) => {
  const texts = axis.values.map((v) => (v === null ? 'not set' : String(v)));
  const numbers = axis.values.every((v) => v === null || typeof v === 'number');
  return Object.assign(axis, {
    at, texts, codes: Uint32Array.from(points.codes[at]), chosen: new Uint8Array(texts.length).fill(1),
    numeric: numbers && axis.values.some((v) => v !== null),
  });
});
points.codes = null;
// An axis that has one value in all points says nothing about their differences.
const varied = axes.filter((axis) => axis.texts.length > 1)
  .sort((a, b) => (b.name === 'variant') - (a.name === 'variant'));
const settings = varied.filter((axis) => axis.kind === 'setting');
const problem = varied.filter((axis) => axis.kind === 'problem' || axis.kind === 'place');

const METRICS = [
  {key: 'median_s', label: 'time of a call', unit: 's', larger: false, text: seconds},
  {key: 'gflops', label: 'GFLOP/s', unit: 'GFLOP/s', larger: true, text: (x) => three(x) + ' GFLOP/s'},
  {key: 'gbps', label: 'GB/s', unit: 'GB/s', larger: true, text: (x) => three(x) + ' GB/s'},
].filter((metric) => points[metric.key].some((x) => x !== null && x > 0));
for (const key of ['median_s', 'low_s', 'high_s', 'gflops', 'gbps', 'flops', 'bytes'])
  points[key] = Float64Array.from(points[key], (x) => (x === null ? NaN : x));

const state = {visible: new Uint32Array(0), metric: METRICS[0] || {key: 'median_s', label: 'time of a call',
  larger: false, text: seconds}};

function filterPoints() {
  const narrowed = varied.filter((axis) => axis.chosen.includes(0));
  const kept = new Uint32Array(points.count);
  let size = 0;
  for (let p = 0; p < points.count; ++p) {
    let keep = true;
    for (const axis of narrowed) if (!axis.chosen[axis.codes[p]]) { keep = false; break; }
    if (keep) kept[size++] = p;
  }
  state.visible = kept.subarray(0, size);
  grouped.clear();
}

const isBetter = (a, b) => (state.metric.larger ? a > b : a < b);
const valueOf = (p) => points[state.metric.key][p];

// "m=64 n=128": what tells a point apart by these axes; values that are not set are left out.
function labelOf(p, by) {
  const parts = [];
  for (const axis of by) {
    const value = axis.values[axis.codes[p]];
    if (value !== null) parts.push(axis.name === 'variant' ? String(value) : axis.name + '=' + value);
  }
  return parts.join(' ') || 'all';
}

// Groups of the visible points that agree in these axes, as Map from a number or text to {label, points}; in order
// met. Several charts ask for the same.
const grouped = new Map();
function groupsBy(by) {
  const asked = by.map((axis) => axis.at).join();
  if (grouped.has(asked)) return grouped.get(asked);
  const groups = new Map();
  grouped.set(asked, groups);
  const many = by.reduce((product, axis) => product * axis.texts.length, 1) > Number.MAX_SAFE_INTEGER;
  for (const p of state.visible) {
    let key = 0;
    if (many) key = by.map((axis) => axis.codes[p]).join();
    else for (const axis of by) key = key * axis.texts.length + axis.codes[p];
    let group = groups.get(key);
    if (!group) groups.set(key, group = {key, first: p, points: []});
    group.points.push(p);
  }
  for (const group of groups.values()) group.label = labelOf(group.first, by);
  return groups;
}

// The best visible point of each pair of values of two axes: best[x * rows + y], -1 where there is none.
function bestOfPairs(among, x, y) {
  const rows = y ? y.texts.length : 1;
  const best = new Int32Array(x.texts.length * rows).fill(-1);
  const values = points[state.metric.key], larger = state.metric.larger;
  for (const p of among) {
    const value = values[p];
    if (!(value > 0)) continue;
    const at = x.codes[p] * rows + (y ? y.codes[p] : 0);
    if (best[at] < 0 || (larger ? value > values[best[at]] : value < values[best[at]])) best[at] = p;
  }
  return best;
}

// Of these axes those in which the points differ, so that labels are short.
function differing(by, among) {
  const found = by.filter((axis) => among.some((p) => axis.codes[p] !== axis.codes[among[0]]));
  return found.length ? found : by.filter((axis) => axis.name === 'variant');
}

function tipOf(p) {
  const metric = state.metric;
  const lines = [labelOf(p, varied), metric.text(valueOf(p))];
  if (metric.key !== 'median_s') lines.push(seconds(points.median_s[p]));
  if (points.low_s[p] > 0) lines.push('99 %: ' + seconds(points.low_s[p]) + ' to ' + seconds(points.high_s[p]));
  lines.push(count(points.processes[p], 'process', 'processes') + ', grade ' + points.grades[p] +
    ', result ' + points.result[p]);
  return lines.map((line) => short(line, 400)).join('\n');
}

// The interval of the metric: of a rate it follows from that of the time.
function boundsOf(p) {
  const low = points.low_s[p], high = points.high_s[p];
  if (!(low > 0) || !(high > 0)) return null;
  if (!state.metric.larger) return [low, high];
  const work = valueOf(p) * points.median_s[p];
  return [work / high, work / low];
}

function download(file, text) {
  const link = el('a', {href: URL.createObjectURL(new Blob([text], {type: 'text/csv'})), download: file});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
