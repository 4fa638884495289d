/* The row of steps. Which one is open is told to Python; what was typed in each and what was answered
   stays here: texts as long as the page, answers in the browser (the first answer to a step counts). */
const all = (selector) => [...element.querySelectorAll(selector)];
const list = () => element.querySelector('nav');
const WALK = list().dataset.walk;
const KEY = `encoder-lab-${WALK}`;
const read = () => { try { return JSON.parse(localStorage.getItem(KEY)) || {}; } catch { return {}; } };
const keep = (known) => { try { localStorage.setItem(KEY, JSON.stringify(known)); } catch { /* a browser that keeps nothing */ } };
const typed = {};
const field = () => document.querySelector(`#${WALK}-text textarea`);
const current = () => element.querySelector('[aria-current]');
const show = () => {
  const known = read();
  const answered = Object.values(known.answers || {});
  for (const button of all('[data-step]')) {
    const said = (known.answers || {})[button.dataset.step];
    button.classList.toggle('lab-walk-done', said !== undefined);
    button.title = said === undefined ? '' : `answered, ${said === 'right' ? 'right' : 'wrong'} the first time`;
  }
  const right = answered.filter((said) => said === 'right').length;
  const says = answered.length
    ? `${right} of ${answered.length} right, ${list().dataset.asking} questions in all.`
    : `${list().dataset.asking} questions. Your score stays in this browser.`;
  element.querySelector('[role=status]').textContent = says;
  element.querySelector('[data-forget]').hidden = !answered.length;
};
const go = (button) => {
  if (!button) return;
  if (field()) typed[current().dataset.step] = field().value;
  for (const other of all('[data-step]')) other.removeAttribute('aria-current');
  button.setAttribute('aria-current', 'step');
  button.scrollIntoView({ block: 'nearest', inline: 'center' });
  const { step } = button.dataset;
  list().dataset.told = JSON.stringify([JSON.stringify({ step: Number(step) }), typed[step] ?? button.dataset.default]);
  keep({ ...read(), last: step });
  trigger('go');
};
element.addEventListener('click', (event) => {
  const step = event.target.closest('[data-step]');
  if (step) go(step);
  if (event.target.closest('[data-forget]')) { keep({}); show(); }
});
element.addEventListener('keydown', (event) => {
  const step = event.target.closest('[data-step]');
  const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const next = step && way ? all('[data-step]')[Number(step.dataset.step) - 1 + way] : null;
  if (!next) return;
  event.preventDefault();
  next.focus();
});
document.addEventListener(`${WALK}-go`, (event) => go(element.querySelector(`[data-step="${event.detail}"]`)));
document.addEventListener(`${WALK}-answer`, (event) => {
  const known = read();
  keep({ ...known, answers: { [event.detail.step]: event.detail.said, ...known.answers } });
  show();
});
show();
