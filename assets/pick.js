/* One button of many is pressed: those with data-value and aria-pressed. Arrows move along them, a press is told. */
const choices = () => [...element.querySelectorAll('[data-value]')];
const choiceOf = (event) => (event.target.closest ? event.target.closest('[data-value]') : null);
element.addEventListener('click', (event) => {
  const choice = choiceOf(event);
  if (!choice) return;
  for (const other of choices()) other.setAttribute('aria-pressed', String(other === choice));
  trigger('select', { index: Number(choice.dataset.value), value: Number(choice.dataset.value) });
});
element.addEventListener('keydown', (event) => {
  const choice = choiceOf(event);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const next = choice && step ? choices()[choices().indexOf(choice) + step] : null;
  if (!next) return;
  event.preventDefault();
  for (const other of choices()) other.tabIndex = other === next ? 0 : -1;
  next.focus();
});
