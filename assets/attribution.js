/* A word that is pressed, or pointed at, is marked in all strips, and what is said of it stands above.
   Words carry data-word, a number; those of the first strip data-says. One stop of the Tab key a strip. */
const words = () => [...element.querySelectorAll('[data-word]')];
const wordAt = (event) => (event.target.closest ? event.target.closest('[data-word]') : null);
const chosenWord = () => element.querySelector('[data-word][aria-pressed=true]');
const point = (word) => {
  if (!word) return;
  for (const other of words()) other.classList.toggle('lab-pointed', other.dataset.word === word.dataset.word);
  const first = element.querySelector(`[data-word="${word.dataset.word}"][data-says]`);
  element.querySelector('.lab-decided-says').textContent = first.dataset.says;
};
const press = (word) => {
  for (const other of words()) {
    const same = other.dataset.word === word.dataset.word;
    other.setAttribute('aria-pressed', String(same));
    other.tabIndex = same ? 0 : -1;
  }
  point(word);
};
element.addEventListener('pointerover', (event) => point(wordAt(event) || chosenWord()));
element.addEventListener('pointerleave', () => point(chosenWord()));
element.addEventListener('click', (event) => { if (wordAt(event)) press(wordAt(event)); });
element.addEventListener('keydown', (event) => {
  const word = wordAt(event);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!word || !step) return;
  const line = [...word.closest('.lab-decided-text').querySelectorAll('[data-word]')];
  const next = line[line.indexOf(word) + step];
  if (!next) return;
  event.preventDefault();
  press(next);
  next.focus();
});
watch('value', () => requestAnimationFrame(() => point(chosenWord())));
