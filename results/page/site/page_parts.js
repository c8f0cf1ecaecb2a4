// Elements and texts. Whatever comes from the data becomes text nodes, never markup.

// Numbers of JSON that a number of JavaScript cannot hold are texts: each digit is shown.
function parsed(json) {
  if (!/\d{16}/.test(json)) return JSON.parse(json);
  return JSON.parse(json.replace(/"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (word) =>
    (/^-?\d+$/.test(word) && !Number.isSafeInteger(Number(word)) ? `"${word}"` : word)));
}
const data = parsed(document.getElementById('data').textContent);

function append(to, parts) {
  for (const part of parts.flat(Infinity)) {
    if (part === null || part === undefined || part === false) continue;
    to.append(part instanceof Node ? part : document.createTextNode(String(part)));
  }
  return to;
}

// el('p.faint', {id: 'x'}, 'text', child): an element; `on...` properties are listeners.
function el(name, properties, ...parts) {
  const [tag, ...classes] = name.split('.');
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(' ');
  for (const [key, value] of Object.entries(properties || {})) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  return append(made, parts);
}

// Text that may be in any script and of any length: isolated, so that it turns nothing around it.
const NAME_MAX = 300;
function name(value) {
  const text = value === null || value === undefined ? 'not set' : String(value);
  if (text.length <= NAME_MAX) return el('bdi', null, text);
  return el('bdi', {title: text.slice(0, 2000)}, text.slice(0, NAME_MAX) + '…');
}
function short(value, most = 40) {
  const text = value === null || value === undefined ? 'not set' : String(value).replace(/\s+/g, ' ');
  if (text.length <= most) return text;
  const start = Math.ceil((most - 1) * 0.6);  // texts often differ at their ends
  return text.slice(0, start) + '…' + text.slice(text.length - (most - 1 - start));
}
// Texts shortened; whole where two that differ would look alike.
function apart(texts, most) {
  const textOf = new Map();
  for (const text of texts) {
    const shown = short(text, most);
    textOf.set(shown, textOf.has(shown) && textOf.get(shown) !== text ? null : text);
  }
  return texts.map((text) => (textOf.get(short(text, most)) === null ? text : short(text, most)));
}

function seconds(s) {
  if (s === null || !isFinite(s)) return '–';
  if (s === 0) return '0';
  for (const [unit, size] of [['s', 1], ['ms', 1e-3], ['µs', 1e-6], ['ns', 1e-9]])
    if (Math.abs(s) >= 0.9995 * size || size === 1e-9) return three(s / size) + ' ' + unit;
}
function three(x) {
  if (x === null || !isFinite(x)) return '–';
  const size = Math.abs(x);
  if (size >= 999.5) return Math.round(x).toLocaleString('en');
  if (size !== 0 && size < 1e-3) return x.toExponential(2);
  return Number(x.toPrecision(3)).toString();
}
// Of an axis, whose ticks may differ little.
const fine = (x) => (Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-4) ? x.toExponential(1)
  : Number(x.toPrecision(5)).toLocaleString('en'));
const count = (n, one, many) => n.toLocaleString('en') + ' ' + (n === 1 ? one : many || one + 's');
const times = (x) => (x === null ? '–' : three(x) + '×');
const moment = (unix) => (unix ? new Date(unix * 1000).toISOString().slice(0, 16).replace('T', ' ') + ' UTC' : '');

const VERDICTS = {
  wins: 'good', faster: 'good', confirmed: 'good', same: '', tied: '', leads: 'open', undecided: 'open',
  equal: '', slower: 'bad', refuted: 'bad',
};
const WORDS = {
  wins: 'nothing else that was tried is as fast, with 99 % confidence',
  tied: 'others are as fast within the margin',
  leads: 'the best that was measured; others may be as good',
  equal: 'others are as fast within a bound of at most 5 %',
};
function verdict(word) {
  if (!word) return el('span.tag', {title: 'there was nothing else to compare with'}, 'alone');
  return el('span.tag' + (VERDICTS[word] ? '.' + VERDICTS[word] : ''), {title: WORDS[word]}, word);
}

// A table that may be wider than the page scrolls by itself. columns: [{title, of(row), number}].
function table(caption, columns, rows, more = {}) {
  const head = el('tr', null, columns.map((c) => el('th' + (c.number ? '.number' : ''), {scope: 'col'}, c.title)));
  const body = rows.map((row, at) => el('tr', {class: more.rowClass && more.rowClass(row)},
    columns.map((c, i) => el((i === 0 ? 'th' : 'td') + (c.number ? '.number' : ''),
      i === 0 ? {scope: 'row'} : null, el('span.cell', null, c.of(row, at))))));
  return el('div.wide', {tabindex: '0', role: 'region', 'aria-label': caption},
    el('table' + (more.kind ? '.' + more.kind : ''), null, el('caption.faint', null, caption),
      el('thead', null, head), el('tbody', null, body)));
}

// The first `most` rows, and a button that shows the rest.
function long(rows, most, show) {
  const place = el('div');
  const draw = (all) => {
    place.replaceChildren(show(all ? rows : rows.slice(0, most)));
    if (!all && rows.length > most)
      place.append(el('button', {type: 'button', onclick: () => draw(true)},
        'Show all ' + rows.length.toLocaleString('en')));
  };
  draw(false);
  return place;
}

function section(id, title, ...parts) {
  const made = el('section', {id, 'aria-labelledby': id + '-title'},
    el('h2', {id: id + '-title', tabindex: '-1'}, title), parts);
  document.getElementById('report').append(made);
  return made;
}

// choice('Metric', ['a', 'b'], 'a', use): a labelled list; texts may be long and foreign.
function choice(label, options, chosen, use) {
  const list = el('select', {onchange: () => use(list.value)},
    apart(options.map(([, text]) => String(text)), 70).map((text, i) =>
      el('option', {value: options[i][0], selected: String(options[i][0]) === String(chosen)}, text)));
  return el('label', null, label, list);
}

const tip = document.getElementById('tip');
function showTip(event, text) {
  tip.hidden = !text;
  if (!text) return;
  if (tip.textContent !== text) tip.textContent = text;
  const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const y = event.clientY + 18 + tip.offsetHeight > innerHeight
    ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
  tip.style.left = Math.max(4, x) + 'px';
  tip.style.top = Math.max(4, y) + 'px';
}
const hideTip = () => { tip.hidden = true; };
addEventListener('keydown', (event) => { if (event.key === 'Escape') hideTip(); });
