/* Clicks and keys on the marked parts of a view: tells Python which span of which text to replace. */
const act = (event) => {
  const part = event.target.closest('[data-put]');
  if (!part || !element.contains(part)) return;
  event.preventDefault();
  trigger('select', {
    index: part.dataset.span.split(',').map(Number),
    value: { text: part.closest('[data-text]').dataset.text, put: part.dataset.put },
  });
};
element.addEventListener('click', act);
