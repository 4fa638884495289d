/* A head chosen from a list: the pressed button names it in data-pick, where the page reads it. */
element.addEventListener('click', (event) => {
  const pick = event.target.closest('[data-pick]');
  if (!pick) return;
  for (const other of element.querySelectorAll('[data-pick]')) other.setAttribute('aria-pressed', other === pick);
  trigger('select', { index: 0, value: pick.dataset.pick });
});
