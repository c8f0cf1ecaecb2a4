// What has no number or a doubtful one, and why; where all was measured, and what differs there.

function paramsOf(json) {
  try {
    return Object.entries(parsed(json)).map(([key, value]) => key + '=' + value).join(' ');
  } catch (error) {
    return String(json);
  }
}

// The first line, and the rest of a long text when it is asked for.
function folded(text) {
  if (!text) return '–';
  const first = text.split('\n')[0];
  if (text.length <= 160 && first === text.trim()) return name(text);
  return el('details', null, el('summary', null, name(short(first, 140))), el('pre', {dir: 'auto', tabindex: '0'}, text));
}

function drawTroubles() {
  const made = section('failed', 'Failed, doubtful and rejected');
  made.append(el('h3', null, 'Failed'));
  if (data.failures.length === 0) made.append(el('p', null, 'No job failed.'));
  else
    made.append(long(data.failures, 15, (some) => table('Jobs without a number, by reason', [
      {title: 'status', of: (f) => el('span.tag.bad', null, f.status)},
      {title: 'jobs', number: true, of: (f) => f.jobs.toLocaleString('en')},
      {title: 'reason', of: (f) => folded(f.reason)},
      {title: 'for example', of: (f) => [name(paramsOf(f.params)), `, result ${f.result}`]},
      {title: 'its stderr', of: (f) => folded(f.stderr)}], some)));
  made.append(el('h3', null, 'Graded below A'));
  if (data.grades.length === 0) made.append(el('p', null, 'All that was measured is graded A.'));
  else
    made.append(long(data.grades, 15, (some) => table('B: with warnings; C: doubtful; X: wrong', [
      {title: 'grade', of: (g) => el('span.tag.' + (g.grade === 'B' ? 'open' : 'bad'), null, g.grade || 'none')},
      {title: 'jobs', number: true, of: (g) => g.jobs.toLocaleString('en')},
      {title: 'cause', of: (g) => g.cause || '–'},
      {title: 'reason, of the first', of: (g) => folded(g.reason)},
      {title: 'result', number: true, of: (g) => String(g.result)}], some)));
  made.append(el('h3', null, 'Rejected by the sweep file'),
    el('p', null, data.rejected ? name(data.rejected)
      : 'No point is known to have been rejected by the rules of the sweep file.'));
}

// Objects side by side, a row for each property; what differs is marked and comes first.
function sideBySide(caption, objects, heads) {
  const keys = Object.keys(objects[0]);
  const rows = keys.map((key) => ({key, differs: objects.some((o) => o[key] !== objects[0][key])}))
    .filter((row) => objects.some((o) => o[row.key] !== '' && o[row.key] !== null))
    .sort((a, b) => b.differs - a.differs);
  return table(caption, [{title: '', of: (row) => row.key + (row.differs ? ' (differs)' : '')},
    ...objects.map((object, i) => ({title: short(heads[i], 40), of: (row) => folded(String(object[row.key] ?? '–'))}))],
  rows, {rowClass: (row) => (row.differs && objects.length > 1 ? 'differs' : null)});
}

function drawProvenance() {
  const made = section('provenance', 'Where it was measured');
  if (data.hosts.length)
    made.append(el('h3', null, 'Hosts'), sideBySide(data.hosts.length > 1
      ? 'Hosts; what differs comes first' : 'The host', data.hosts.slice(0, 12), data.hosts.map((h) => h.name)));
  if (data.hosts.length > 12) made.append(el('p.faint', null, `The first 12 of ${data.hosts.length} hosts.`));
  if (data.software.length)
    made.append(el('h3', null, 'Software'), sideBySide('Builds, packs and libraries by content',
      data.software.slice(0, 8), data.software.map((s) => `software ${s.id}: ${s.pack}`)));
  if (data.software.length > 8) made.append(el('p.faint', null, `The first 8 of ${data.software.length} kinds.`));
  made.append(el('h3', null, 'The sweep file'), el('p.faint', null, name(data.sweep.file)),
    el('pre', {dir: 'auto', tabindex: '0'}, data.sweep.text));
  if (data.sweeps.length > 1)
    made.append(el('h3', null, 'Other sweeps of the database'), long(data.sweeps, 20, (some) =>
      table('A report of one: kernsweep report … --sweep NUMBER', [
        {title: 'sweep', of: (s) => [name(s.name), '@' + s.id]},
        {title: 'kernel', of: (s) => name(s.kernel)}, {title: 'state', of: (s) => s.state},
        {title: 'jobs', number: true, of: (s) => s.jobs.toLocaleString('en')}], some)));
}
