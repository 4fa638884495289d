/* Links pieces to characters: what shares characters with the one pointed at lights up, in the text and in every row.
   Pieces and characters carry data-from and data-to (characters of the text) and data-says; rows of them data-line. */
const linked = () => [...element.querySelectorAll('[data-from]')];
const partOf = (target) => (target && target.closest ? target.closest('[data-from]') : null);
const focused = () => (element.contains(document.activeElement) ? partOf(document.activeElement) : null);
const overlap = (one, other) => Number(one.dataset.from) < Number(other.dataset.to)
  && Number(other.dataset.from) < Number(one.dataset.to);
let pointed = null;
const point = (part) => {
  if (part === pointed) return;
  pointed = part;
  for (const other of linked()) {
    other.classList.toggle('lab-linked', part !== null && (other === part || overlap(part, other)));
    other.classList.toggle('lab-pointed', other === part);
  }
  const says = element.querySelector('.lab-link-says');
  if (says) says.textContent = part ? part.dataset.says : says.dataset.rest;
};
const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 'next', ArrowUp: 'previous' };
const neighbour = (part, step) => {
  const line = part.closest('[data-line]');
  const inLine = [...line.querySelectorAll('[data-from]')];
  if (typeof step === 'number') return inLine[inLine.indexOf(part) + step];
  const lines = [...element.querySelectorAll('[data-line]')];
  const other = lines[lines.indexOf(line) + (step === 'next' ? 1 : -1)];
  if (!other) return undefined;
  const theirs = [...other.querySelectorAll('[data-from]')];
  return theirs.find((one) => overlap(part, one)) || theirs[0];
};
element.addEventListener('pointerover', (event) => point(partOf(event.target) || focused()));
element.addEventListener('pointerleave', () => point(focused()));
element.addEventListener('focusin', (event) => point(partOf(event.target)));
element.addEventListener('focusout', () => point(null));
element.addEventListener('click', (event) => { if (partOf(event.target)) partOf(event.target).focus(); });
element.addEventListener('keydown', (event) => {
  const part = partOf(event.target);
  if (!part || !(event.key in STEPS)) return;
  event.preventDefault();
  const next = neighbour(part, STEPS[event.key]);
  if (!next) return;
  for (const one of next.closest('[data-line]').querySelectorAll('[data-from]')) one.tabIndex = one === next ? 0 : -1;
  next.focus();
});
watch('value', () => { pointed = null; });
