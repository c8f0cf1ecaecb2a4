// Strips: of the best points of a problem each process by itself, its samples as five numbers.

const STRIPS_MAX = 12;
const processesOf = (() => {  // of each point the range of its rows in `processes`
  const first = new Map(), p = data.processes.point;
  for (let i = 0; i < p.length; ++i) {
    const range = first.get(p[i]);
    if (range) range[1] = i + 1;
    else first.set(p[i], [i, i + 1]);
  }
  return (point) => {
    const [from, to] = first.get(point) || [0, 0];
    return Array.from({length: to - from}, (_, i) => from + i);
  };
})();

function drawStrips() {
  if (data.processes.point.length === 0) return;
  const place = el('div');
  const chosen = {problem: null};
  section('strips', 'Processes and samples', el('p.faint', null, 'Each row is a process of a setting: the dot ' +
    'is the median of its samples, the thick line its quartiles, the thin line from the smallest to the largest. ' +
    'Hollow: graded C or X. Rows of one setting that lie apart say that its processes differ.'), place);
  const again = onFilters(place, () => {
    place.replaceChildren();
    const metric = state.metric;
    state.metric = {key: 'median_s', label: 'time of a call', larger: false, text: seconds};
    const one = problemChoice([], chosen.problem, (key) => { chosen.problem = key; again(); });
    state.metric = metric;
    if (one.control) place.append(el('div.controls', null, one.control));
    const list = [...one.among].filter((p) => points.median_s[p] > 0)
      .sort((a, b) => points.median_s[a] - points.median_s[b]).slice(0, STRIPS_MAX);
    if (list.length) stripChart(place, list);
    else place.append(el('p', null, 'No point fits the filters.'));
  });
}

function stripChart(place, list) {
  const all = data.processes;
  const told = differing(settings, list);
  const rows = list.flatMap((p, i) => processesOf(p).map((row, n) => ({p, row, i, first: n === 0})));
  const low = Math.min(...rows.map((r) => all.min_s[r.row] || all.median_s[r.row]).filter((s) => s > 0));
  const high = Math.max(...rows.map((r) => all.max_s[r.row] || all.median_s[r.row]));
  const left = labelRoom(place, list.map((p) => labelOf(p, told)));
  const heights = [];
  let at = 10;
  rows.forEach((r) => { at += r.first && heights.length ? 22 : 14; heights.push(at); });
  const made = frame(place, {height: at + 56, left, top: 4, label: 'Processes of the best settings'});
  const x = scaleFor(low, high, made.x, high / low > 8);
  if (!isLog(x)) x.domain([low - 0.03 * (high - low), high + 0.03 * (high - low)]);
  const y = d3.scalePoint().domain(rows.map((_, i) => i)).range([0, 1]);
  drawAxes(made, x, y, {xLabel: 'time of a call', xText: seconds});
  const row = made.svg.selectAll('.row').data(rows).enter().append('g').attr('class', (r) => 'row c' + r.i % 2)
    .attr('transform', (_, i) => `translate(0,${heights[i]})`);
  row.filter((r) => r.first).append('text').attr('x', left - 8).attr('y', 4).attr('text-anchor', 'end')
    .text((r) => fit(labelOf(r.p, told), left - 12));
  const line = (of, from, to) => row.filter((r) => all[from][r.row] > 0).append('line').attr('class', of + ' stroke')
    .attr('x1', (r) => x(all[from][r.row])).attr('x2', (r) => x(all[to][r.row]));
  line('bar', 'min_s', 'max_s');
  line('quartiles', 'q1_s', 'q3_s');
  row.append('circle').attr('r', 3.5).attr('cx', (r) => x(all.median_s[r.row]))
    .attr('class', (r) => ('CX'.includes(all.grades[r.row]) ? 'hollow' : 'fill'));
  const says = (r) => `${short(labelOf(r.p, settings), 200)}\nprocess ${all.process[r.row]}, result ` +
    `${all.result[r.row]}, grade ${all.grades[r.row]}\nmedian ${seconds(all.median_s[r.row])} of ` +
    `${count(all.samples[r.row], 'sample')}\n${seconds(all.min_s[r.row])} to ${seconds(all.max_s[r.row])}`;
  tells(row, says);
  place.append(asTable('Processes of the best settings', [
    {title: 'setting', of: (r) => name(labelOf(r.p, settings))},
    {title: 'process', number: true, of: (r) => String(all.process[r.row])},
    ...[['median', 'median_s'], ['smallest', 'min_s'], ['first quartile', 'q1_s'], ['third quartile', 'q3_s'],
      ['largest', 'max_s']].map(([title, key]) => ({title, number: true, of: (r) => seconds(all[key][r.row])})),
    {title: 'samples', number: true, of: (r) => String(all.samples[r.row])},
    {title: 'grade', of: (r) => all.grades[r.row]},
    {title: 'result', number: true, of: (r) => String(all.result[r.row])}], rows));
}
