/* A token that is pressed shows below what the model would put in its place: all of it came with the page, as
   data-guesses ([word, probability] as JSON). A guess that is clicked makes the sentence to compare with.
   Needs clicks.js and bars.js. */
const tokens = () => [...element.querySelectorAll('.lab-every-piece')];
const cut = (piece) => {  // what stands before the token, itself, and behind it; spans count code points
  const letters = Array.from(piece.closest('[data-sentence]').dataset.sentence);
  const [start, end] = piece.dataset.at.split(',').map(Number);
  return [letters.slice(0, start), letters.slice(start, end), letters.slice(end)].map((part) => part.join(''));
};
const offered = (piece, [word, score]) => {
  const [before, own, after] = cut(piece);
  if (own.toLowerCase() === word.toLowerCase()) return bar([word, score]);
  const row = make('button', 'lab-bar');
  row.type = 'button';
  row.title = `Compare with “${word}” in its place`;
  row.dataset.span = '0,0';
  row.dataset.put = before + word + after;
  return bar([word, score], row);
};
const present = (piece) => {
  const detail = element.querySelector('.lab-every-detail');
  if (!piece || !detail) return;
  for (const other of tokens()) other.setAttribute('aria-pressed', String(other === piece));
  const { name, own } = piece.dataset;
  detail.querySelector('p').textContent = own
    ? `${name} gets ${own} when it is hidden. The model would put there:`
    : 'A blank. The model would put there:';
  detail.querySelector('.lab-bars').replaceChildren(...JSON.parse(piece.dataset.guesses).map((one) => offered(piece, one)));
};
element.addEventListener('click', (event) => {
  const piece = event.target.closest('.lab-every-piece');
  if (piece) present(piece);
});
const refresh = () => present(element.querySelector('.lab-every-piece[aria-pressed=true]'));
watch('value', () => requestAnimationFrame(refresh));
refresh();
