// The roofline: rate over arithmetic intensity, under the measured roofs of the host. Points are drawn on a
// canvas, because there may be 100,000 of them; axes and roofs are lines above it.

function drawRoofline() {
  const usable = (p) => points.flops[p] > 0 && points.bytes[p] > 0 && points.median_s[p] > 0;
  let any = false;
  for (let p = 0; p < points.count && !any; ++p) any = usable(p);
  const made = section('roofline', 'Roofline');
  if (!any) {
    made.append(el('p', null, 'No point has both operations and bytes, so none has a place under a roof.'));
    return;
  }
  const chosen = {colour: settings.find((axis) => axis.name === 'variant') || settings[0] || null, roof: 0};
  if (data.roofs.length) chosen.roof = data.roofs.reduce((most, roof, i) =>
    (roof.threads > data.roofs[most].threads ? i : most), 0);
  made.append(el('p.faint', null, 'How close points come to the limits of the host: the slope is the bandwidth of a ' +
    'level of memory, the flat part the peak of a data type. ', data.roofs.length ? ''
    : ['The roofs were not measured on this database: ', el('code', null, 'kernsweep roofs --db ' + short(data.database, 100)),
      ' adds them.']));
  const place = el('div');
  made.append(place);
  const again = onFilters(place, () => {
    place.replaceChildren();
    place.append(el('div.controls', null,
      settings.length > 1 && choice('Colour', axisOptions(settings), chosen.colour.at, (at) => {
        chosen.colour = axisAt(at);
        again();
      }),
      data.roofs.length > 1 && choice('Roofs', data.roofs.map((roof, i) =>
        [i, `${roof.host}${roof.gpu ? ' ' + roof.gpu : ''}, ${count(roof.threads, 'thread')}`]), chosen.roof,
      (at) => { chosen.roof = Number(at); again(); })));
    rooflineChart(place, state.visible.filter(usable), chosen.colour, data.roofs[chosen.roof]);
  });
}

function extent(list, of) {
  let low = Infinity, high = -Infinity;
  for (const p of list) {
    const value = of(p);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function rooflineChart(place, list, colour, roofs) {
  if (list.length === 0) {
    place.append(el('p', null, 'No point with operations and bytes fits the filters.'));
    return;
  }
  const intensity = (p) => points.flops[p] / points.bytes[p];
  const rate = (p) => 1e-9 * points.flops[p] / points.median_s[p];
  const [left, right] = extent(list, intensity), [low, high] = extent(list, rate);
  const peaks = roofs ? roofs.peaks.filter((peak) => peak.rate > 0) : [];
  const top = Math.max(high, ...peaks.map((peak) => peak.rate));
  const layers = el('div.layers');
  place.append(layers);
  const canvas = el('canvas', {'aria-hidden': 'true'});
  layers.append(canvas);
  const made = frame(layers, {height: 380, left: 76,
    label: `Roofline: GFLOP/s over operations per byte, ${count(list.length, 'point')}`});
  const x = d3.scaleLog().domain([left / 2, right * 2]).range(made.x);
  const y = d3.scaleLog().domain([low / 2, top * 1.6]).range(made.y);
  drawAxes(made, x, y, {xLabel: 'operations per byte', yLabel: 'GFLOP/s'});
  if (roofs) drawRoofs(made, x, y, roofs, peaks);
  const used = colour ? usedCodes(colour, list) : [0];
  const place_of = new Uint16Array(colour ? colour.texts.length : 1);
  used.forEach((code, i) => { place_of[code] = i % SERIES_MAX; });
  const at = paintPoints(canvas, made, list, (p) => x(intensity(p)), (p) => y(rate(p)),
    (p) => (colour ? place_of[colour.codes[p]] : 0));
  made.svg.on('pointermove', () => {
    const event = d3.event, box = made.svg.node().getBoundingClientRect(), scale = made.width / box.width;
    const p = at((event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
    showTip(event, p < 0 ? '' : `${tipOf(p)}\n${three(rate(p))} GFLOP/s, ${three(intensity(p))} operations per byte`);
  }).on('pointerleave', hideTip);
  if (colour) place.append(legend(used.slice(0, 3 * SERIES_MAX).map((code) => colour.texts[code])));
  if (used.length > SERIES_MAX)
    place.append(el('p.faint', null, `Colours repeat: ${short(colour.name)} has ${used.length} values here.`));
  const best = [...list].sort((a, b) => rate(b) - rate(a)).slice(0, 200);
  place.append(asTable('The points of the highest rates', [
    {title: 'point', of: (p) => name(labelOf(p, varied))},
    {title: 'GFLOP/s', number: true, of: (p) => three(rate(p))},
    {title: 'operations per byte', number: true, of: (p) => three(intensity(p))}], best));
}

// Each level of memory as a slope up to the highest peak; each peak as a line from where memory allows it.
function drawRoofs(made, x, y, roofs, peaks) {
  const [left, right] = x.domain(), [low, high] = y.domain();
  const most = peaks.length ? Math.max(...peaks.map((peak) => peak.rate)) : high;
  const fastest = Math.max(0, ...roofs.levels.map((level) => level.rate));
  const segment = (x1, y1, x2, y2, text) => {
    const line = made.svg.append('path').attr('class', 'roof').attr('d', d3.line()([[x(x1), y(y1)], [x(x2), y(y2)]]));
    tells(line, () => text);
  };
  for (const level of roofs.levels.filter((l) => l.rate > 0)) {
    const from = Math.max(left, low / level.rate), to = Math.min(right, most / level.rate);
    if (from >= to) continue;
    segment(from, from * level.rate, to, to * level.rate, `${level.name}: ${three(level.rate)} GB/s (${level.by})`);
    made.svg.append('text').attr('class', 'note').attr('x', x(from) + 4).attr('y', y(from * level.rate) - 6)
      .text(short(level.name, 12));
  }
  for (const peak of peaks) {
    const from = Math.max(left, fastest > 0 ? peak.rate / fastest : left);
    if (from >= right) continue;
    segment(from, peak.rate, right, peak.rate, `${peak.name} peak: ${three(peak.rate)} GFLOP/s (${peak.by})`);
    made.svg.append('text').attr('x', made.x[1] - 2).attr('y', y(peak.rate) - 5).attr('text-anchor', 'end')
      .text(`${short(peak.name, 10)} ${three(peak.rate)}`);
  }
}

// Returns at(x, y): the point nearest to a place, -1 where none is within 12 pixels.
function paintPoints(canvas, made, list, xOf, yOf, colourOf) {
  const ratio = Math.min(2, devicePixelRatio || 1);
  canvas.width = made.width * ratio;
  canvas.height = made.height * ratio;
  canvas.style.width = made.width + 'px';
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const size = list.length > 5000 ? 2 : list.length > 500 ? 3 : 5;
  const xs = new Float32Array(list.length), ys = new Float32Array(list.length);
  const taken = new Map();  // one mark for each pixel and colour is enough
  const groups = Array.from({length: SERIES_MAX}, () => []);
  for (let i = 0; i < list.length; ++i) {
    xs[i] = xOf(list[i]);
    ys[i] = yOf(list[i]);
    const colour = colourOf(list[i]);
    const key = (Math.round(xs[i]) * 4096 + Math.round(ys[i])) * SERIES_MAX + colour;
    if (taken.has(key)) continue;
    taken.set(key, 1);
    groups[colour].push(i);
  }
  context.globalAlpha = list.length > 5000 ? 0.7 : 0.85;
  groups.forEach((own, colour) => {
    context.fillStyle = style.getPropertyValue('--s' + colour).trim();
    for (const i of own) context.fillRect(xs[i] - size / 2, ys[i] - size / 2, size, size);
  });
  return (x, y) => {
    let nearest = -1, reach = 144;
    for (let i = 0; i < list.length; ++i) {
      const away = (xs[i] - x) * (xs[i] - x) + (ys[i] - y) * (ys[i] - y);
      if (away < reach) { reach = away; nearest = list[i]; }
    }
    return nearest;
  };
}
