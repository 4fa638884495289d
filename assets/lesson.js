/* One step of the lesson, or of the quiz: its choices, the boxes of its picture, the ways to other steps and tabs. */
const article = () => element.querySelector('article');
const within = (selector) => [...element.querySelectorAll(selector)];
let stage = 0;
let moved = false;
const open = (number) => {
  const boxes = within('[data-stage]');
  if (!boxes.length) return;
  stage = Math.max(0, Math.min(number, boxes.length - 1));
  boxes.forEach((box, i) => box.setAttribute('aria-pressed', String(i === stage)));
  within('[data-said]').forEach((said, i) => { said.hidden = i !== stage; });
  within('[data-turn]').forEach((button) => { button.disabled = button.dataset.turn === '1' ? stage === boxes.length - 1 : stage === 0; });
};
const later = (find, then, tries = 40) => {
  const found = find();
  if (found) then(found); else if (tries) setTimeout(() => later(find, then, tries - 1), 150);
};
const put = (id, value) => later(() => document.querySelector(`#${id} textarea, #${id} input`), (field) => {
  field.value = value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
});
const leave = ({ tab, part, runs, fields }) => {
  const press = (id, then) => later(() => document.getElementById(id), (button) => { button.click(); then(); });
  const fill = () => {
    for (const [id, value] of JSON.parse(fields)) put(CSS.escape(id), value);
    if (runs === '1') later(() => document.getElementById(`${part || tab}-run`), (button) => setTimeout(() => button.click(), 300));
    window.scrollTo(0, 0);
  };
  press(`tab-${tab}-button`, part ? () => press(`tab-${part}-button`, fill) : fill);
};
const act = (target) => {
  const box = target.closest('[data-stage]');
  const turn = target.closest('[data-turn]');
  const choice = target.closest('[data-choice]');
  const to = target.closest('[data-to]');
  const way = target.closest('[data-tab]');
  if (box) open(Number(box.dataset.stage));
  if (turn) open(stage + Number(turn.dataset.turn));
  if (way) leave(way.dataset);
  if (to) { moved = true; document.dispatchEvent(new CustomEvent(`${article().dataset.walk}-go`, { detail: to.dataset.to })); }
  if (!choice || choice.disabled) return;
  const { number, text } = article().dataset;
  article().dataset.told = JSON.stringify({ step: Number(number), choice: Number(choice.dataset.choice), text });
  for (const other of within('[data-choice]')) other.disabled = true;
  trigger('answer');
};
element.addEventListener('click', (event) => act(event.target));
element.addEventListener('keydown', (event) => {
  const box = event.target.closest('[data-stage]');
  if (!box) return;
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key !== 'Enter' && event.key !== ' ' && !way) return;
  event.preventDefault();
  open(way ? Number(box.dataset.stage) + way : Number(box.dataset.stage));
  within('[data-stage]')[stage].focus();
});
let drawn = '';
watch('value', () => requestAnimationFrame(() => {
  if (!article()) return;
  const { number, text, verdict } = article().dataset;
  const same = drawn === `${number} ${text}`;
  drawn = `${number} ${text}`;
  open(same && verdict ? within('[data-stage]').length - 1 : 0);
  if (verdict) document.dispatchEvent(new CustomEvent(`${article().dataset.walk}-answer`, { detail: { step: number, said: verdict } }));
  if (!moved) return;
  moved = false;
  const heading = article().querySelector('h3');
  heading.focus({ preventScroll: true });
  document.getElementById(`${article().dataset.walk}-steps`).scrollIntoView({ block: 'start' });
}));
