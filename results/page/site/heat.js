// The heat map is a table, so that it can be read, searched and heard: colour only adds to the numbers.

const HEAT_MAX = 40;

function drawHeat() {
  if (varied.length < 2) return;
  const bySize = varied.slice().sort((a, b) => b.texts.length - a.texts.length);
  const fits = bySize.filter((axis) => axis.texts.length <= HEAT_MAX);
  const chosen = {
    rows: settings.find((axis) => axis.name === 'variant' && axis.texts.length <= HEAT_MAX) ||
      fits[0] || bySize[0],
    columns: null, problem: null,
  };
  chosen.columns = varied.find((axis) => axis.name === 'threads' && axis !== chosen.rows) ||
    fits.find((axis) => axis !== chosen.rows) || bySize.find((axis) => axis !== chosen.rows);
  const place = el('div');
  section('heat', 'Heat map', el('p.faint', null, 'Each cell is the best of what is left; the darker or ' +
    'stronger the colour, the better. The best cell has a frame.'), place);
  const again = onFilters(place, () => {
    place.replaceChildren();
    const one = problemChoice([chosen.rows, chosen.columns], chosen.problem,
      (key) => { chosen.problem = key; again(); });
    place.append(el('div.controls', null,
      choice('Rows', axisOptions(varied), chosen.rows.at, (at) => swap('rows', 'columns', at)),
      choice('Columns', axisOptions(varied), chosen.columns.at, (at) => swap('columns', 'rows', at)),
      one.control), heatTable(chosen.rows, chosen.columns, one.among));
  });
  const swap = (which, other, at) => {
    if (chosen[other] === axisAt(at)) chosen[other] = chosen[which];
    chosen[which] = axisAt(at);
    again();
  };
}

function usedCodes(axis, among) {
  const used = new Uint8Array(axis.texts.length);
  for (const p of among) used[axis.codes[p]] = 1;
  const codes = axis.texts.map((_, i) => i).filter((i) => used[i]);
  if (axis.numeric) codes.sort((a, b) => axis.values[a] - axis.values[b]);
  return codes;
}

function heatTable(rows, columns, among) {
  const best = bestOfPairs(among, rows, columns);
  const height = columns.texts.length;
  const allRows = usedCodes(rows, among), allColumns = usedCodes(columns, among);
  const down = allRows.slice(0, HEAT_MAX), across = allColumns.slice(0, HEAT_MAX);
  const cells = down.flatMap((r) => across.map((c) => best[r * height + c])).filter((p) => p >= 0);
  if (cells.length === 0) return el('p', null, 'No point with this number fits the filters.');
  const logs = cells.map((p) => Math.log(valueOf(p)));
  const low = Math.min(...logs), high = Math.max(...logs);
  const top = cells.reduce((a, b) => (isBetter(valueOf(b), valueOf(a)) ? b : a));
  const level = (p) => {
    if (high === low) return 4;
    const share = (Math.log(valueOf(p)) - low) / (high - low);
    return Math.round(8 * (state.metric.larger ? share : 1 - share));
  };
  const cell = (r, c) => {
    const p = best[r * height + c];
    if (p < 0) return el('td', {'aria-label': 'nothing'}, '');
    const text = state.metric.key === 'median_s' ? seconds(valueOf(p)) : three(valueOf(p));
    return el('td.q' + level(p) + (p === top ? '.top' : ''), {
      onpointermove: (event) => showTip(event, tipOf(p)), onpointerleave: hideTip},
    text, points.grades[p] === 'C' && el('span', {title: 'measured only under disturbance'}, ' ?'));
  };
  const downTexts = apart(rows.texts, 60), acrossTexts = apart(columns.texts, 24);
  const body = down.map((r) => el('tr', null,
    el('th', {scope: 'row'}, el('span.cell', null, name(downTexts[r]))), across.map((c) => cell(r, c))));
  const caption = `${state.metric.label}: ${short(rows.name)} by ${short(columns.name)}`;
  const made = el('div.wide', {tabindex: '0', role: 'region', 'aria-label': caption}, el('table.heat', null,
    el('caption.faint', null, caption),
    el('thead', null, el('tr', null, el('th', {scope: 'col'}, name(short(rows.name, 30)), ' \\ ',
      name(short(columns.name, 30))), across.map((c) =>
      el('th.number', {scope: 'col'}, name(acrossTexts[c]))))),
    el('tbody', null, body)));
  const cut = allRows.length > down.length || allColumns.length > across.length;
  return cut ? el('div', null, made, el('p.faint', null, `The first ${HEAT_MAX} rows and columns; the filters ` +
    'show others.')) : made;
}
