// The answer in words, then as a picture: for each problem what is best, by how much, and how sure.

function drawTop() {
  const sweep = data.sweep;
  append(document.getElementById('top'), [
    el('h1', null, name(sweep.name)),
    el('p.faint', null, [
      'Sweep ' + sweep.id + ' of ', el('bdi', null, short(data.database, 200)), ' · ', name(sweep.kernel),
      ' · ' + sweep.state, sweep.started ? ' · begun ' + moment(sweep.started) : '',
      data.hosts.length ? [' · ', count(data.hosts.length, 'host'), ': ',
        name(short(data.hosts.map((h) => h.name + ' (' + h.cpu + ')').join(', '), 200))] : '',
      sweep.quick ? ' · a first look with few samples (--quick)' : '',
    ]),
    Object.keys(sweep.tags).length > 0 && el('p.faint', null, 'Tags: ',
      Object.entries(sweep.tags).map(([key, value], i) => [i ? ', ' : '', name(key), '=', name(value)])),
    themeButton(),
  ]);
}

function themeButton() {
  const order = ['auto', 'light', 'dark'];
  let at = 0;
  const button = el('button', {type: 'button', onclick: () => {
    at = (at + 1) % order.length;
    if (at) document.documentElement.dataset.theme = order[at];
    else delete document.documentElement.dataset.theme;
    button.textContent = 'Colours: ' + order[at];
    redraw();
  }}, 'Colours: auto');
  return button;
}

const found = data.answer.found;
const best = found.best;

// Columns of a row may be called as the answer's own are, so what its point has is taken from the point.
const pointOfResult = new Map(points.result.map((result, p) => [result, p]));
function toldBy(row, by, otherwise) {
  const label = by.length && pointOfResult.has(row.result) ? labelOf(pointOfResult.get(row.result), by) : 'all';
  return label === 'all' ? otherwise : label;
}
const PLACES = ['cache', 'host', 'software'];
function settingsOf(row) {
  const skipped = new Set([...best.by, ...PLACES]);
  return toldBy(row, settings.filter((axis) => !skipped.has(axis.name)), row.variant ? String(row.variant)
    : 'the only setting');
}
function problemOf(row) {
  const told = [...best.by, ...PLACES].map((column) => varied.find((axis) => axis.name === column));
  return toldBy(row, told.filter(Boolean), 'the whole sweep');
}

// A column for each part of the problem that differs; many of them share one.
function problemColumns() {
  const value = (row, axis) => (pointOfResult.has(row.result) ? axis.values[axis.codes[pointOfResult.get(row.result)]]
    : null);
  const differing = [...best.by, ...PLACES].map((column) => varied.find((axis) => axis.name === column)).filter((axis) =>
    axis && best.rows.some((row) => value(row, axis) !== value(best.rows[0], axis)));
  if (differing.length === 0 || differing.length > 8) return [{title: 'problem', of: (r) => name(problemOf(r))}];
  return differing.map((axis) => ({title: short(axis.name, 30), number: best.rows.every((row) =>
    typeof value(row, axis) === 'number' || value(row, axis) === null),
  of: (r) => (value(r, axis) === null ? '–' : name(String(value(r, axis))))}));
}

function metricText(x) {
  if (x === null || x === undefined) return '–';
  return best.metric.endsWith('_s') ? seconds(x) : three(x);
}

function drawAnswer() {
  const rows = best.rows;
  const made = section('answer', 'The answer');
  if (rows.length === 0) {
    made.append(el('p', null, 'There is no result to compare.'), el('pre', null, data.answer.text));
    return;
  }
  made.append(el('p', null, sentenceOf(rows)));
  const columns = [
    ...problemColumns(),
    {title: 'best', of: (r) => name(settingsOf(r))},
    {title: 'time', number: true, of: (r) => seconds(r.median_s)},
    rows.some((r) => r.low_s) && {title: '99 % interval', number: true, of: (r) => (r.low_s ? seconds(r.low_s) + ' to ' + seconds(r.high_s) : '–')},
    rows.some((r) => r.gflops) && {title: 'GFLOP/s', number: true, of: (r) => three(r.gflops)},
    best.metric !== 'median_s' && best.metric !== 'gflops' &&
      {title: best.metric, number: true, of: (r) => metricText(r[best.metric])},
    {title: 'verdict', of: (r) => verdict(r.verdict)},
    {title: 'times better', number: true, of: (r) => times(r.times_better)},
    rows.some((r) => r.times_better_low) && {title: 'at least', number: true, of: (r) => times(r.times_better_low)},
    {title: 'than', of: (r) => (r.runner_up ? name(r.runner_up) : '–')},
    {title: 'result', number: true, of: (r) => String(r.result)},
  ].filter(Boolean);
  made.append(long(rows, 25, (some) => table('The best setting for each problem, as kernsweep best says it',
    columns, some)));
  if (best.rows_more) made.append(el('p.faint', null, count(best.rows_more, 'more problem') + ' in the database.'));
  drawOpen(made, rows);
  if (data.answer.effects_text)
    made.append(el('h3', null, 'What matters, other things being equal'),
      effectsOf(data.answer.effects_text));
  made.append(el('h3', null, 'What was left out, and why'), lines(data.answer.left_out),
    data.rejected && lines(data.rejected));
}

function sentenceOf(rows) {
  const by = {};
  for (const row of rows) by[row.verdict || 'alone'] = (by[row.verdict || 'alone'] || 0) + 1;
  const parts = Object.entries(by).map(([word, n]) => [el('strong', null, count(n, 'problem')), ' ',
    {wins: n === 1 ? 'has a winner' : 'have a winner', tied: 'end in a tie',
      leads: n === 1 ? 'has a leader that others may equal' : 'have a leader that others may equal',
      equal: n === 1 ? 'has settings that are equal within a bound' : 'have settings that are equal within a bound', alone: 'had one setting only'}[word] || word]);
  const sure = rows.filter((row) => row.times_better_low > 1);
  const most = sure.reduce((a, b) => (b.times_better > a.times_better ? b : a), sure[0] || {});
  return [parts.map((part, i) => [i ? '; ' : '', part]), '. ', most.times_better_low > 1 && [
    'The largest sure gain: for ', name(problemOf(most)), ', ', el('strong', null, name(settingsOf(most))),
    ' is ' + times(most.times_better) + ' as fast as ', name(most.runner_up),
    ', with 99 % confidence at least ' + times(most.times_better_low) + '.']];
}

function drawOpen(made, rows) {
  // An axis may be called `set`: then the answer has none.
  const open = rows.filter((r) => Array.isArray(r.set) && r.set.length > 1 && r.verdict !== 'wins');
  if (open.length === 0) return;
  const others = (r) => r.set.slice(1, 6).map((m) => name(settingsOf(m)));
  made.append(el('h3', null, 'Where nothing wins'),
    el('p', null, 'These could also be best (',
      data.answer.more_processes.split('`').map((part, i) => (i % 2 ? el('code', null, part) : name(part))), '):'),
    long(open, 6, (some) => el('ul.says', null, some.map((r) => el('li', null, name(problemOf(r)), ': ',
      others(r).map((o, i) => [i ? '; ' : '', o]),
      r.set_size > 6 && ' and ' + (r.set_size - 6) + ' more',
      r.processes_needed && ' (about ' + r.processes_needed + ' processes a point would decide it)')))));
}

function effectsOf(text) {
  const said = text.split('\n').filter((line) => line.trim() && !line.startsWith('What matters'));
  return long(said, 8, (some) => el('ul.says', null, some.map((line) => el('li', null, el('bdi', null, line.trim())))));
}
function lines(text) {
  return el('ul.says', null, text.split('\n').filter((line) => line.trim()).map((line) =>
    el('li', null, el('bdi', null, line.trim()))));
}

// The picture: of each problem the best candidates, as times of the best one, with their intervals.
const CANDIDATES_MAX = 8;

function drawPicture() {
  const made = section('picture', 'A picture of it',
    el('p.faint', null, 'For each problem the best settings, at most ' + CANDIDATES_MAX + ', as multiples of the ' +
      'best time there; a line is the 99 % interval of a time. Further left is faster.'));
  const place = el('div');
  made.append(place);
  let shown = 6;
  const again = onFilters(place, () => {
    place.replaceChildren();
    const all = [...groupsBy(problem).values()];
    const several = all.filter((group) => group.points.length > 1);
    const groups = several.length ? several : all;
    if (groups.length === 0) place.append(el('p', null, 'No point fits the filters.'));
    for (const group of groups.slice(0, shown)) place.append(contest(group));
    if (groups.length > shown)
      place.append(el('button', {type: 'button', onclick: () => { shown += 12; again(); }},
        'Show more of ' + groups.length.toLocaleString('en') + ' problems'));
  });
}

function contest(group) {
  const timed = group.points.filter((p) => points.median_s[p] > 0)
    .sort((a, b) => points.median_s[a] - points.median_s[b]);
  const top = timed.slice(0, CANDIDATES_MAX);
  const told = top.length ? differing(settings, top) : [];
  const common = settings.filter((axis) => !told.includes(axis) && axis.values[axis.codes[top[0]]] !== null);
  const figure = el('figure', null, el('figcaption', null, name(group.label),
    timed.length > top.length && ' · ' + top.length + ' of ' + count(timed.length, 'setting'),
    top.length > 1 && common.length > 0 && [' · all with ', name(labelOf(top[0], common))]));
  if (top.length === 0) return figure;
  const place = el('div');
  figure.append(place);
  document.getElementById('picture').append(figure);  // so that its width is known
  const first = points.median_s[top[0]];
  const limit = 2.2 * Math.max(...top.map((p) => points.median_s[p])) / first;
  const most = Math.max(...top.map((p) => Math.min(limit, (points.high_s[p] || points.median_s[p]) / first)));
  const least = Math.min(...top.map((p) => (points.low_s[p] || points.median_s[p]) / first));
  const left = labelRoom(place, top.map((p) => labelOf(p, told)));
  const made = frame(place, {height: 40 + 24 * top.length, left, bottom: 36, top: 4,
    label: 'The best settings of ' + group.label});
  const x = scaleFor(Math.max(least, most / 1e4), most * 1.02, made.x, most / least > 8);
  if (isLog(x)) x.domain([Math.max(least, most / 1e4) / 1.05, most * 1.05]);
  else x.domain([Math.min(1, least) - 0.02 * (most - least), most + 0.02 * (most - least)]);
  const y = d3.scalePoint().domain(top).range([made.y[1] + 10, made.y[0] - 10]);
  drawAxes(made, x, y, {xLabel: 'times the best', xText: (t) => fine(t) + '×'});
  const row = made.svg.selectAll('.row').data(top).enter().append('g')
    .attr('class', (p) => 'row c' + (points.grades[p] === 'C' ? 7 : p === top[0] ? 2 : 0));
  row.append('text').attr('x', left - 8).attr('y', (p) => y(p) + 4).attr('text-anchor', 'end')
    .text((p) => fit(labelOf(p, told), left - 12));
  const clip = (t) => Math.min(made.x[1], Math.max(made.x[0], x(t)));
  row.filter((p) => points.low_s[p] > 0).append('line').attr('class', 'bar stroke')
    .attr('x1', (p) => clip(points.low_s[p] / first)).attr('x2', (p) => clip(points.high_s[p] / first))
    .attr('y1', y).attr('y2', y);
  row.append('circle').attr('cx', (p) => clip(points.median_s[p] / first)).attr('cy', y).attr('r', 4.5)
    .attr('class', (p) => (points.grades[p] === 'C' ? 'hollow' : 'fill'));
  tells(row, tipOf);
  figure.append(asTable('The best settings of ' + short(group.label), [
    {title: 'setting', of: (p) => name(labelOf(p, settings))},
    {title: 'time', number: true, of: (p) => seconds(points.median_s[p])},
    {title: 'times the best', number: true, of: (p) => times(points.median_s[p] / first)},
    {title: 'grade', of: (p) => points.grades[p]}], top));
  return figure;
}
