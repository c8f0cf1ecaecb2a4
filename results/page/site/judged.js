// Verdicts that the program gave: the comparison with another sweep, and the claims of the sweep file.

function drawComparison() {
  const made = section('comparison', 'Comparison');
  if (!data.comparison) {
    made.append(el('p', null, 'There is no earlier sweep of this name in the database. ',
      el('code', null, 'kernsweep report … --against SWEEP'), ' names another.'));
    return;
  }
  const answer = data.comparison.answer;
  made.append(el('p', null, 'From A, ', name(answer.a.what), ', to B, ', name(answer.b.what), '.'));
  if (answer.not_comparable) {
    made.append(el('p', null, 'Not comparable: ', name(answer.not_comparable)));
    return;
  }
  const word = String(answer.verdict).toLowerCase();
  made.append(el('p', null, verdict(word), ' ',
    `Of ${count(answer.pairs, 'pair')} ${answer.faster} faster, ${answer.slower} slower, ${answer.same} the same, ` +
    `${answer.undecided} undecided. On average B takes ${times(answer.mean_ratio)} the time of A` +
    (answer.mean_low ? ` (99 %: ${times(answer.mean_low)} to ${times(answer.mean_high)}).` : '.')));
  const notes = [...answer.notes];
  if (answer.shared) notes.push(count(answer.shared, 'measurement is', 'measurements are') +
    ' the same stored ones on both sides, and left out');
  if (answer.nothing_own) notes.push(count(answer.nothing_own, 'pair has', 'pairs have') + ' nothing else');
  if (notes.length) made.append(el('ul.says', null, notes.map((note) => el('li', null, name(note)))));
  if (answer.rows.length === 0) return;
  const rank = {slower: 0, undecided: 1, faster: 2, same: 3};
  const of = (row) => String(row.verdict).toLowerCase();
  const rows = answer.rows.map((row, i) => [rank[of(row)], i, row]).sort((a, b) => a[0] - b[0] || a[1] - b[1])
    .map((each) => each[2]);
  ratioChart(made, rows.slice(0, 30));
  made.append(long(rows, 20, (some) => table('Pairs of points: B over A', [
    {title: 'point', of: (r) => name(pointOf(r))},
    {title: 'A', number: true, of: (r) => seconds(r.a_median_s)},
    {title: 'B', number: true, of: (r) => seconds(r.b_median_s)},
    {title: 'B over A', number: true, of: (r) => times(r.ratio)},
    {title: '99 % interval', number: true, of: (r) => interval(r.low, r.high)},
    {title: 'processes', number: true, of: (r) => r.processes},
    {title: 'verdict', of: (r) => verdict(of(r))}], some)));
  if (data.comparison.rows_more)
    made.append(el('p.faint', null, count(data.comparison.rows_more, 'more pair') + ': kernsweep compare shows all.'));
}

// Axes may be called as the columns of the comparison are, so their values stand apart.
function pointOf(row) {
  const {answer, points: values} = data.comparison;
  return values[answer.rows.indexOf(row)].map((value, i) => value !== null &&
    (answer.differing[i] === 'variant' ? '' : answer.differing[i] + '=') + value).filter(Boolean).join(' ') || 'everywhere';
}
function interval(low, high) {
  if (low === null && high === null) return '–';
  return `${typeof low === 'number' ? times(low) : 'not known'} to ${typeof high === 'number' ? times(high) : 'not known'}`;
}

// Ratios with their intervals around 1. rows: [{ratio, low, high, label, kind}].
function intervalChart(place, rows, label, xLabel) {
  const holder = el('figure');
  place.append(holder);
  const left = labelRoom(holder, rows.map((r) => r.label));
  const made = frame(holder, {height: 44 + 22 * rows.length, left, top: 4, bottom: 36, label});
  const inside = (v) => typeof v === 'number' && v > 0 && v < 1e3;
  const values = rows.flatMap((r) => [r.ratio, r.low, r.high, 1].filter(inside));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = d3.scaleLog().domain([low / 1.05, high * 1.05]).range(made.x);
  const y = d3.scalePoint().domain(rows.map((_, i) => i)).range([made.y[1] + 9, made.y[0] - 9]);
  drawAxes(made, x, y, {xLabel, xText: (t) => fine(t) + '×', xTicks: high / low > 4 ? null
    : d3.scaleLinear().domain([low, high]).ticks(5).filter((t) => t > 0)});
  made.svg.append('line').attr('class', 'ideal').attr('x1', x(1)).attr('x2', x(1)).attr('y1', made.y[0]).attr('y2', made.y[1]);
  const clip = (v, other) => (inside(v) ? x(v) : other);
  const row = made.svg.selectAll('.row').data(rows).enter().append('g')
    .attr('class', (r) => 'row ' + ({good: 'c2', bad: 'c9', open: 'c4'}[r.kind] || 'c7'))
    .attr('transform', (_, i) => `translate(0,${y(i)})`);
  row.append('text').attr('x', left - 8).attr('y', 4).attr('text-anchor', 'end')
    .text((r) => fit(r.label, left - 12));
  row.append('line').attr('class', 'bar stroke').attr('x1', (r) => clip(r.low, made.x[0]))
    .attr('x2', (r) => clip(r.high, made.x[1]));
  row.append('circle').attr('class', 'fill').attr('r', 4).attr('cx', (r) => clip(r.ratio, made.x[1]));
  tells(row, (r) => `${short(r.label, 300)}\n${times(r.ratio)}, 99 %: ${interval(r.low, r.high)}`);
}

function ratioChart(made, rows) {
  const shown = rows.filter((r) => r.ratio > 0).map((r) => ({ratio: r.ratio, low: r.low, high: r.high,
    label: pointOf(r), kind: VERDICTS[String(r.verdict).toLowerCase()]}));
  if (shown.length) intervalChart(made, shown, 'Time of B over time of A for each pair', 'time of B over time of A');
}

function drawClaims() {
  const made = section('claims', 'Claims');
  if (!data.claims) {
    made.append(el('p', null, 'The sweep file claims nothing. ', el('code', null, 'claims:'),
      ' in it says what you expect, and is judged here.'));
    return;
  }
  if (data.claims.error) {
    made.append(el('p', null, 'The claims of the sweep file cannot be read: ', name(data.claims.error)));
    return;
  }
  const all = data.claims.claims;
  made.append(el('p', null, `${data.claims.confirmed} confirmed, ${data.claims.refuted} refuted, ` +
    `${data.claims.undecided} undecided.`));
  const ratios = all.filter((claim) => claim.ratio > 0).map((claim) => ({ratio: claim.ratio, low: claim.low,
    high: claim.high, label: claim.name, kind: VERDICTS[claim.verdict]}));
  if (ratios.length) intervalChart(made, ratios, 'Claims with their intervals', 'ratio that was found; 1 is equal, or the bound');
  made.append(table('What the sweep file claims, judged by the results', [
    {title: 'claim', of: (c) => name(c.name)},
    {title: 'verdict', of: (c) => verdict(c.verdict)},
    {title: 'what was found', of: (c) => [name(c.says), c.missing && [' ', name(c.missing)],
      c.disagreements.length > 0 && el('details', null,
        el('summary.faint', null, `${c.against} of ${c.pairs} against it`),
        el('ul.says', null, c.disagreements.slice(0, 20).map((d) => el('li', null,
          name(d.point || 'everywhere'), d.number !== null && ': ' + three(d.number), d.word && [': ', name(d.word)],
          `, result ${d.result}`))))]},
  ], all));
}
