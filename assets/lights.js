/* An entry of a list lights up in the text beside it: under the pointer for a moment, on a click for good.
   Entries carry data-lights="3", the parts of the text data-lit-by="0 3". Without either, <mark> is lit. */
const all = (selector) => [...element.querySelectorAll(selector)];
const entryAt = (event) => event.target.closest && event.target.closest('[data-lights]');
const chosen = () => element.querySelector('[data-lights][aria-pressed=true]');
const light = (entry) => {
  const number = entry ? entry.dataset.lights : null;
  for (const part of all('[data-lit-by]')) {
    part.classList.toggle('lab-lit', number !== null && part.dataset.litBy.split(' ').includes(number));
  }
  for (const text of all('.lab-passage')) text.classList.toggle('lab-showing', number !== null);
};
const reveal = () => {
  const text = element.querySelector('.lab-passage');
  const part = text && text.querySelector(text.matches('.lab-showing') ? '.lab-lit' : 'mark');
  if (part) text.scrollTop = part.offsetTop - text.clientHeight / 3;  // the page itself stays where it is
};
element.addEventListener('pointerover', (event) => light(entryAt(event) || chosen()));
element.addEventListener('pointerleave', () => light(chosen()));
element.addEventListener('focusin', (event) => light(entryAt(event) || chosen()));
element.addEventListener('focusout', () => light(chosen()));
element.addEventListener('click', (event) => {
  const entry = entryAt(event);
  if (!entry) return;
  const on = entry.getAttribute('aria-pressed') !== 'true';
  for (const other of all('[data-lights]')) other.setAttribute('aria-pressed', String(on && other === entry));
  light(entry);
  reveal();
});
watch('value', () => requestAnimationFrame(reveal));
requestAnimationFrame(reveal);
