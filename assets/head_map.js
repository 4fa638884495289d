/* The head map: cells that are chosen and given up again, by click or by keyboard.
   What is chosen is kept here, for the map is drawn anew with every answer; the page reads it from
   data-chosen. */
const chosen = new Set(); // "3.5": layer 3, head 5
let measure = 'points';
const root = () => element.querySelector('.lab-map');
const cells = () => [...element.querySelectorAll('.lab-cell')];
const heads = (cell) => cell.dataset.heads.split(' ');
const singles = () => cells().filter((cell) => heads(cell).length === 1);

const show = () => {
  if (!root()) return; // refused, or not answered yet
  root().dataset.measure = measure;
  root().dataset.chosen = [...chosen].join(', ');
  for (const cell of cells()) cell.setAttribute('aria-pressed', heads(cell).every((head) => chosen.has(head)));
  for (const name of ['points', 'logits']) {
    element.querySelector(`[data-do=${name}]`).setAttribute('aria-pressed', name === measure);
  }
  if (!cells().some((cell) => cell.tabIndex === 0)) stop(cells()[0]);
};

const tell = () => {
  show();
  trigger('select', { index: chosen.size, value: [...chosen].join(', ') });
};

const toggle = (cell) => {
  const isChosen = cell.getAttribute('aria-pressed') === 'true';
  for (const head of heads(cell)) {
    if (isChosen) chosen.delete(head);
    else chosen.add(head);
  }
  tell();
};

const largest = () => {
  const ranked = singles().sort((a, b) => Number(b.dataset.size) - Number(a.dataset.size));
  chosen.clear();
  for (const cell of ranked.slice(0, 3)) chosen.add(cell.dataset.heads);
  tell();
};

const ACTS = {
  points: () => { measure = 'points'; show(); },
  logits: () => { measure = 'logits'; show(); },
  clear: () => { chosen.clear(); tell(); },
  largest,
};

/* One stop of the Tab key for all cells; the arrows go on from there. */
const stop = (cell) => cells().forEach((one) => { one.tabIndex = one === cell ? 0 : -1; });
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const move = (event) => {
  const [across, down] = ARROWS[event.key];
  const place = event.target.closest('td');
  const row = place.parentElement;
  const next = (down ? row.parentElement.rows[row.sectionRowIndex + down] : row)?.cells[place.cellIndex + across];
  const cell = next?.querySelector('.lab-cell');
  if (!cell) return;
  event.preventDefault();
  stop(cell);
  cell.focus();
};

element.addEventListener('click', (event) => {
  const cell = event.target.closest('.lab-cell');
  const button = event.target.closest('[data-do]');
  if (cell) {
    stop(cell);
    toggle(cell);
  }
  if (button) ACTS[button.dataset.do]();
});
element.addEventListener('keydown', (event) => {
  if (event.key in ARROWS && event.target.closest('.lab-cell')) move(event);
});
watch('value', () => requestAnimationFrame(show));
requestAnimationFrame(show);
