// The page, in its order: answer, picture, filters, charts, verdicts, what failed, where it was measured.

function drawContents() {
  const sections = [...document.querySelectorAll('main > section')];
  document.getElementById('contents').append(el('ul', null, sections.map((made) =>
    el('li', null, el('a', {href: '#' + made.id}, made.querySelector('h2').textContent)))));
}

drawTop();
drawAnswer();
if (points.count > 0) {
  drawPicture();
  const apply = drawFilters();
  drawLines();
  drawHeat();
  drawRoofline();
  drawScaling();
  drawStrips();
  apply();
}
drawComparison();
drawClaims();
drawTroubles();
drawProvenance();
drawContents();
let width = document.getElementById('report').clientWidth;
new ResizeObserver(() => {
  const now = document.getElementById('report').clientWidth;
  if (now === width) return;
  width = now;
  redraw();
}).observe(document.getElementById('report'));
append(document.getElementById('foot'), [el('p.faint', null, 'Made by ' + data.made_by + ' from ',
  el('bdi', null, short(data.database, 200)), '. Charts: D3, in this file with its licence. Nothing is fetched.')]);
document.documentElement.dataset.ready = 'yes';
