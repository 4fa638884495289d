/* Words that can be pressed. Their frame carries what a click takes along (data-carry, JSON) and the name of
   the list that the pressed words go into (data-field). With data-live every press is told at once as that
   step; without it, only a button with data-next is. What was told is left in data-told of the frame. */
const frame = () => element.querySelector('[data-carry]');
const wordsOf = () => [...element.querySelectorAll('[data-word]')];
const pressed = () => wordsOf().filter((w) => w.getAttribute('aria-pressed') === 'true').map((w) => Number(w.dataset.word));
let kept = { carry: '', words: [], last: null };
const tell = (step) => {
  const { carry, field } = frame().dataset;
  frame().dataset.told = JSON.stringify({ ...JSON.parse(carry), step, [field]: pressed() });
  trigger('step');
};
element.addEventListener('click', (event) => {
  const word = event.target.closest('[data-word]');
  const next = event.target.closest('[data-next]');
  if (!frame() || !(word || next)) return;
  if (next) { tell(next.dataset.next); return; }
  word.setAttribute('aria-pressed', String(word.getAttribute('aria-pressed') !== 'true'));
  kept = { carry: frame().dataset.carry, words: pressed(), last: word.dataset.word };
  if (frame().dataset.live) tell(frame().dataset.live);
});
watch('value', () => {  // drawn anew: marks that nobody was told of stay, and so does the place of the keyboard
  if (!frame()) return;
  const same = frame().dataset.carry === kept.carry;
  for (const word of wordsOf()) {
    const number = word.dataset.word;
    if (same && !frame().dataset.live) word.setAttribute('aria-pressed', String(kept.words.includes(Number(number))));
    if (same && number === kept.last && document.activeElement === document.body) word.focus({ preventScroll: true });
  }
});
