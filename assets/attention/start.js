/* Attention, 6: events, and what happens when Python sends something new. */
[grid, sheet].forEach((holder) => {
  holder.addEventListener('click', chooseTile);
  holder.addEventListener('pointerover', tell);
  holder.addEventListener('focusin', tell);
  holder.addEventListener('keydown', (event) => {
    const all = buttonsOf(holder);
    if (!(event.key in ARROWS)) return;
    if (all.length) move(event, all, tilePlaces(data.value, holder.clientWidth, holder === grid).across);
    else moveCell(event);
  });
});
sheet.addEventListener('pointermove', (event) => { if (!isTiled()) showCell(cellAt(event)); });
sheet.addEventListener('pointerleave', () => { if (!isTiled()) showCell(null); });
const chooseToken = () => {
  if (data.value.view === 'match' && data.cell) choose({ token: data.value.match.positions[data.cell[0]] });
};
sheet.addEventListener('click', (event) => {
  if (isTiled()) return;
  showCell(cellAt(event));
  chooseToken();
});
sheet.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !isTiled()) chooseToken();
  if (event.key === 'Escape' && !isTiled()) showCell(null);
});
columns.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') show(null);
  const column = event.target.closest('[role=group]');
  if (column && event.key in ARROWS) move(event, [...column.children], 1);
});
['pointerover', 'focusin', 'click'].forEach((type) => columns.addEventListener(type, (event) => {
  const token = event.target.closest('.lab-token');
  if (token) show(token);
}));
columns.addEventListener('focusout', () => show(null));
columns.addEventListener('pointerleave', (event) => {
  const focused = document.activeElement.closest('.lab-token');
  if (event.pointerType === 'mouse') show(columns.contains(focused) ? focused : null);
});
columns.addEventListener('scroll', () => soon(drawLines));
const threshold = () => {
  const { value } = data;
  data.least = (Number(slider.value) / 100) * value.ceiling;
  tools.querySelector('output').textContent = slider.value === '0' ? 'nothing' : inWords(data.least);
  data.links = hasMatrix() ? linksAbove(current(), data.least, MOST_LINES) : [];
};
slider.addEventListener('input', () => { threshold(); soon(draw); });
tools.addEventListener('click', (event) => {
  if (event.target.dataset.save) save(event.target.dataset.save);
});

const refresh = () => {
  const { value } = data;
  threshold();
  part('main').querySelector('h4').textContent = value.title;
  part('heads').querySelector('h4').textContent = `All heads of layer ${value.layer + 1}`;
  sheet.querySelector('canvas').setAttribute('aria-label', value.title);
  soon(draw);
};
let lastView = null;
const update = () => {
  root.hidden = !props.value;
  const sent = props.value; // what looks and what is looked at are mostly the same tokens
  data.value = sent ? { ...sent, columns: sent.columns || sent.rows, specialColumns: sent.specialColumns || sent.specialRows } : null;
  if (!data.value) return;
  const { value } = data;
  data.matrices = value.matrices ? unpack(value.matrices) : null;
  data.tiles = unpack(value.tiles);
  data.cell = null;
  if (value.view !== lastView) slider.value = isLines() ? 1 : 0;
  lastView = value.view;
  root.dataset.view = value.view;
  columns.hidden = !isLines();
  sheet.hidden = isLines();
  part('heads').hidden = isTiled();
  part('threshold').hidden = !hasMatrix();
  sheet.tabIndex = isLines() || isTiled() ? -1 : 0;
  if (!isTiled()) buttonsOf(sheet).forEach((button) => button.remove());
  if (isLines()) fillColumns();
  if (isLines()) show(null);
  says.textContent = HINTS[value.view];
  refresh();
};
watch('value', update);
new ResizeObserver(() => soon(draw)).observe(root); // also when the tab is shown for the first time
new MutationObserver(() => soon(draw)).observe(document.body, { attributes: true, attributeFilter: ['class'] }); // light, dark
update();
