// Scaling: the speed-up over the fewest threads (or another count), the ideal, and Amdahl's law fitted to it.

// Amdahl's law (AFIPS 1967) as `kernsweep scaling` fits it: t(n) = a + b / n by least squares of relative errors,
// n counted in multiples of the first. The serial share a / (a + b); null: fewer than two counts.
function amdahl(counts, times) {
  let uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
  counts.forEach((n, i) => {
    const u = 1 / times[i], v = 1 / (n * times[i]);
    uu += u * u; uv += u * v; vv += v * v; u1 += u; v1 += v;
  });
  const a = u1 * vv - v1 * uv, b = v1 * uu - u1 * uv;
  return uu * vv - uv * uv > 0 && a + b > 0 ? a / (a + b) : null;
}

function drawScaling() {
  const countable = varied.filter((axis) => axis.numeric && axis.values.every((v) => v === null || v > 0));
  const axis = countable.find((a) => a.name === 'threads') || countable.find((a) => a.name === 'copies') ||
    countable.find((a) => /threads|cores|procs|workers/.test(a.name));
  const made = section('scaling', 'Scaling');
  if (!axis) {
    made.append(el('p', null, 'This sweep does not vary a number of threads.'));
    return;
  }
  const chosen = {axis, series: settings.find((a) => a.name === 'variant' && a !== axis) ||
    settings.find((a) => a !== axis) || null, problem: null};
  made.append(el('p.faint', null, 'Speed-up over the smallest count of the same line, by the time of the best point at ' +
    'each count. Dashed: linear, and Amdahl’s law; how sure its fit is says kernsweep scaling.'));
  const place = el('div');
  made.append(place);
  const again = onFilters(place, () => {
    place.replaceChildren();
    const metric = state.metric;
    state.metric = {key: 'median_s', label: 'time of a call', larger: false, text: seconds};
    const one = problemChoice([chosen.axis, chosen.series].filter(Boolean), chosen.problem,
      (key) => { chosen.problem = key; again(); });
    place.append(el('div.controls', null,
      countable.length > 1 && choice('Count', axisOptions(countable), chosen.axis.at, (at) => {
        chosen.axis = axisAt(at);
        if (chosen.series === chosen.axis) chosen.series = null;
        again();
      }),
      choice('Lines', [['none', 'one line'], ...axisOptions(settings.filter((a) => a !== chosen.axis))],
        chosen.series ? chosen.series.at : 'none', (at) => {
          chosen.series = at === 'none' ? null : axisAt(at);
          again();
        }), one.control));
    scalingChart(place, chosen.axis, chosen.series, one.among);
    state.metric = metric;
  });
}

function scalingChart(place, axis, series, among) {
  const number = (p) => axis.values[axis.codes[p]];
  const found = seriesOf(bestOfPairs(among, axis, series), axis, series);
  const lines = found.shown.map((each, i) => {
    const own = each.own.filter((p) => number(p) !== null);
    const speedups = own.map((p) => points.median_s[own[0]] / points.median_s[p]);
    const counts = own.map((p) => number(p) / number(own[0]));
    const each_process = own.flatMap((p, at) => processesOf(p)
      .filter((row) => data.processes.grades[row] !== 'C').map((row) => [counts[at], data.processes.median_s[row]]));
    const fitted = each_process.length ? each_process : own.map((p, at) => [counts[at], points.median_s[p]]);
    return {label: each.label, own, speedups, colour: i, first: own.length ? number(own[0]) : 1,
      serial: own.length > 1 ? amdahl(fitted.map((f) => f[0]), fitted.map((f) => f[1])) : null};
  }).filter((line) => line.own.length > 1);
  if (lines.length === 0) {
    place.append(el('p', null, 'No line has two counts or more under these filters.'));
    return;
  }
  const all = lines.flatMap((line) => line.own);
  const most = Math.max(...lines.map((line) => number(line.own[line.own.length - 1]) / line.first));
  const made = frame(place, {label: `Speed-up over ${axis.name}`});
  const x = scaleAcross(axis, all, made.x);
  const y = d3.scaleLinear().domain([0, Math.max(most, ...lines.flatMap((line) => line.speedups)) * 1.05]).range(made.y);
  drawAxes(made, x.scale, y, {xLabel: axis.name, yLabel: 'speed-up', xTicks: sparse(x.ticks, x.scale)});
  const first = Math.min(...lines.map((line) => line.first));
  const counts = d3.range(41).map((i) => first * Math.pow(most, i / 40));
  made.svg.append('path').attr('class', 'ideal').attr('d', d3.line().x(x.scale).y((n) => y(n / first))(counts));
  for (const line of lines) {
    const group = made.svg.append('g').attr('class', 'c' + line.colour);
    if (line.serial !== null)
      group.append('path').attr('class', 'fit').attr('d', d3.line().x(x.scale)
        .y((n) => y(1 / (line.serial + (1 - line.serial) * line.first / n)))(counts.filter((n) => n >= line.first &&
          line.serial + (1 - line.serial) * line.first / n > 0)));
    const at = line.own.map((p, i) => [x.at(p), y(line.speedups[i])]);
    group.append('path').attr('class', 'series stroke').attr('d', d3.line()(at));
    tells(group.selectAll('circle').data(line.own).enter().append('circle').attr('class', 'fill').attr('r', 4)
      .attr('cx', (p, i) => at[i][0]).attr('cy', (p, i) => at[i][1]), tipOf);
  }
  place.append(legendOf(lines));
  const last = (line) => line.own.length - 1;
  place.append(table('Speed-up at the largest count, and what Amdahl’s law makes of it', [
    {title: series ? series.name : 'line', of: (line) => name(line.label)},
    {title: axis.name, number: true, of: (line) => `${number(line.own[0])} to ${number(line.own[last(line)])}`},
    {title: 'speed-up', number: true, of: (line) => times(line.speedups[last(line)])},
    {title: 'serial', number: true, of: (line) => (line.serial === null ? '–' : three(100 * line.serial) + ' %')},
  ], lines));
}

function legendOf(lines) {
  return el('ul.legend', null, lines.map((line) => el('li.c' + line.colour, null,
    el('i', {'aria-hidden': 'true'}), name(line.label))));
}
