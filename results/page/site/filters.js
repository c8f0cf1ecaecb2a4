// Filters over axes, and the number that all charts show.

const VALUES_MAX = 400;  // of an axis, with a box for each

function drawFilters() {
  const said = el('span.faint', {role: 'status', 'aria-live': 'polite'});
  const place = el('div.filters');
  const apply = () => {
    filterPoints();
    said.textContent = ' ' + state.visible.length.toLocaleString('en') + ' of ' +
      count(points.count, 'point') + ' shown';
    redraw();
  };
  const boxes = [];
  for (const axis of varied) place.append(axisFilter(axis, apply, boxes));
  const metric = choice('Charts show', METRICS.map((m) => [m.key, m.label]), state.metric.key, (key) => {
    state.metric = METRICS.find((m) => m.key === key);
    redraw();
  });
  const all = el('button', {type: 'button', onclick: () => {
    for (const axis of varied) axis.chosen.fill(1);
    for (const box of boxes) box();
    apply();
  }}, 'Show all');
  const made = el('section', {id: 'filters', 'aria-labelledby': 'filters-title'},
    el('h2', {id: 'filters-title', tabindex: '-1'}, 'Filters'), said,
    el('div.filters', null, METRICS.length > 1 && metric, varied.length > 0 && all), place);
  document.getElementById('report').append(made);
  addEventListener('click', (event) => {
    for (const open of place.querySelectorAll('details[open]'))
      if (!open.contains(event.target)) open.open = false;
  });
  made.addEventListener('keydown', (event) => {
    const open = event.key === 'Escape' && event.target.closest('details[open]');
    if (!open) return;
    open.open = false;
    open.querySelector('summary').focus();
  });
  return apply;
}

function axisFilter(axis, apply, boxes) {
  const summary = el('summary');
  const details = el('details', {'data-axis': axis.name}, summary);
  const tell = () => {
    const chosen = axis.texts.filter((_, i) => axis.chosen[i]);
    const narrowed = chosen.length < axis.texts.length;
    summary.replaceChildren(name(short(axis.name, 40)), ': ' +
      (narrowed ? short(chosen.join(', ') || 'nothing', 30) : 'all ' + axis.texts.length));
    details.classList.toggle('narrowed', narrowed);
  };
  let inputs = [];
  const mark = () => { inputs.forEach((input) => { input.checked = axis.chosen[input.value] === 1; }); tell(); };
  const set = (to) => { axis.chosen.fill(to); mark(); apply(); };
  details.addEventListener('toggle', () => {
    if (!details.open || details.children.length > 1) return;
    const order = axis.texts.map((_, i) => i);
    if (axis.numeric) order.sort((a, b) => axis.values[a] - axis.values[b]);
    const texts = apart(axis.texts, 120);
    inputs = order.slice(0, VALUES_MAX).map((i) => el('input', {type: 'checkbox', value: i, onchange: (event) => {
      axis.chosen[i] = event.target.checked ? 1 : 0;
      tell();
      apply();
    }}));
    details.append(el('fieldset', null, el('legend.faint', null, name(short(axis.name, 60))),
      el('div.both', null, el('button', {type: 'button', onclick: () => set(1)}, 'All'),
        el('button', {type: 'button', onclick: () => set(0)}, 'None')),
      inputs.map((input) => el('label', null, input, name(texts[input.value]))),
      order.length > VALUES_MAX && el('p.faint', null, 'The first ' + VALUES_MAX + ' of ' + order.length)));
    mark();
  });
  boxes.push(mark);
  tell();
  return details;
}
