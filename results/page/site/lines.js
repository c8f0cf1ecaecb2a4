// The line plot: the metric over one axis, a line for each value of another. Where several points share a
// place, the best of them is drawn.

function axisOptions(list) {
  return list.map((axis) => [axis.at, axis.name]);
}
const axisAt = (at) => axes[Number(at)];

function firstLineAxes() {
  const numeric = varied.filter((axis) => axis.numeric);
  const x = numeric.find((axis) => axis.name === 'threads') || numeric.slice()
    .sort((a, b) => b.texts.length - a.texts.length)[0] || varied.find((axis) => axis.name !== 'variant') || varied[0];
  const series = settings.filter((axis) => axis !== x);
  return {x, series: series.find((axis) => axis.name === 'variant') || series[0] ||
    varied.find((axis) => axis !== x) || null};
}

function drawLines() {
  if (varied.length === 0) return;
  const chosen = Object.assign(firstLineAxes(), {problem: null});
  const place = el('div');
  section('lines', 'Line plot', el('p.faint', null, 'Where several settings share a place, the best of them ' +
    'is drawn; the filters choose which. A vertical line is the 99 % interval.'), place);
  const again = onFilters(place, () => {
    place.replaceChildren();
    const others = [['none', 'one line'], ...axisOptions(varied.filter((axis) => axis !== chosen.x))];
    const one = problemChoice([chosen.x, chosen.series].filter(Boolean), chosen.problem,
      (key) => { chosen.problem = key; again(); });
    place.append(el('div.controls', null,
      choice('Across', axisOptions(varied), chosen.x.at, (at) => {
        chosen.x = axisAt(at);
        if (chosen.series === chosen.x) chosen.series = null;
        again();
      }),
      choice('Lines', others, chosen.series ? chosen.series.at : 'none', (at) => {
        chosen.series = at === 'none' ? null : axisAt(at);
        again();
      }), one.control));
    lineChart(place, chosen.x, chosen.series, one);
  });
}

// The series that are drawn: the ones with the best points first, at most SERIES_MAX.
function seriesOf(best, xAxis, series) {
  const rows = series ? series.texts.length : 1;
  const made = [];
  for (let s = 0; s < rows; ++s) {
    const own = [];
    for (let x = 0; x < xAxis.texts.length; ++x) if (best[x * rows + s] >= 0) own.push(best[x * rows + s]);
    if (own.length === 0) continue;
    if (xAxis.numeric) own.sort((a, b) => xAxis.values[xAxis.codes[a]] - xAxis.values[xAxis.codes[b]]);
    const top = own.reduce((a, b) => (isBetter(valueOf(b), valueOf(a)) ? b : a));
    made.push({label: series ? series.texts[s] : state.metric.label, own, top, code: s});
  }
  made.sort((a, b) => (isBetter(valueOf(a.top), valueOf(b.top)) ? -1 : 1));
  return {all: made.length, shown: made.slice(0, SERIES_MAX)};
}

function scaleAcross(axis, drawnPoints, range) {
  const values = drawnPoints.map((p) => axis.values[axis.codes[p]]);
  if (axis.numeric && !values.includes(null)) {
    const low = Math.min(...values), high = Math.max(...values);
    const scale = scaleFor(low, high, range);
    if (isLog(scale)) scale.domain([low / 1.08, high * 1.08]);
    else if (low < high) scale.domain([low - 0.04 * (high - low), high + 0.04 * (high - low)]);
    return {scale, at: (p) => scale(axis.values[axis.codes[p]]), ticks: new Set(values).size <= 12
      ? [...new Set(values)].sort((a, b) => a - b) : null};
  }
  const codes = [...new Set(drawnPoints.map((p) => axis.codes[p]))];
  const scale = d3.scalePoint().domain(codes).range(range).padding(0.5);
  const words = apart(axis.texts, 14);
  return {scale, at: (p) => scale(axis.codes[p]), word: (code) => words[code]};
}

function lineChart(place, xAxis, series, one) {
  const found = seriesOf(bestOfPairs(one.among, xAxis, series), xAxis, series);
  const all = found.shown.flatMap((each) => each.own);
  if (all.length === 0) {
    place.append(el('p', null, 'No point with this number fits the filters.'));
    return;
  }
  const metric = state.metric;
  const values = all.map(valueOf);
  const label = `${metric.label} over ${xAxis.name}`;
  const made = frame(place, {label, left: 76});
  const x = scaleAcross(xAxis, all, made.x);
  const y = scaleFor(Math.min(...values), Math.max(...values), made.y);
  drawAxes(made, x.scale, y, {xLabel: xAxis.name, yLabel: metric.label, xTicks: sparse(x.ticks, x.scale), xWord: x.word,
    xText: x.ticks && String,
    yText: metric.key === 'median_s' ? seconds : three});
  found.shown.forEach((each, i) => {
    const group = made.svg.append('g').attr('class', 'c' + i);
    if (each.own.length > 1)
      group.append('path').attr('class', 'series stroke')
        .attr('d', d3.line().x(x.at).y((p) => y(valueOf(p)))(each.own));
    const clip = (v) => Math.max(made.y[1], Math.min(made.y[0], y(Math.max(v, 1e-300))));
    const bounded = each.own.filter(boundsOf);
    group.selectAll('line').data(bounded).enter().append('line').attr('class', 'bar stroke')
      .attr('x1', x.at).attr('x2', x.at)
      .attr('y1', (p) => clip(boundsOf(p)[0])).attr('y2', (p) => clip(boundsOf(p)[1]));
    tells(group.selectAll('circle').data(each.own).enter().append('circle').attr('r', 4)
      .attr('class', (p) => (points.grades[p] === 'C' ? 'hollow' : 'fill'))
      .attr('cx', x.at).attr('cy', (p) => y(valueOf(p))), tipOf);
  });
  if (series) place.append(legend(found.shown.map((each) => each.label)));
  if (found.all > SERIES_MAX)
    place.append(el('p.faint', null, `The best ${SERIES_MAX} of ${found.all} lines; the filters show others.`));
  place.append(asTable(label, [
    {title: xAxis.name, of: (p) => name(xAxis.texts[xAxis.codes[p]])},
    series && {title: series.name, of: (p) => name(series.texts[series.codes[p]])},
    {title: metric.label, number: true, of: (p) => metric.text(valueOf(p))},
    {title: 'setting', of: (p) => name(labelOf(p, settings))}].filter(Boolean), all));
}

// The values themselves as ticks, as far as they do not run into each other.
function sparse(ticks, scale) {
  if (!ticks) return null;
  let last = -Infinity;
  return ticks.filter((value) => {
    if (scale(value) - last < Math.max(38, ruler.measureText(String(value)).width + 8)) return false;
    last = scale(value);
    return true;
  });
}
