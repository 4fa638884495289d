/* The presentation switch: larger type and fewer controls on every tab (style.css), remembered by this browser. */
const KEPT = 'encoder-lab-presentation';
const remembered = () => { try { return localStorage.getItem(KEPT) === 'on'; } catch { return false; } };
const present = (on) => {
  document.documentElement.classList.toggle('lab-presenting', on);
  element.querySelector('.lab-present').setAttribute('aria-pressed', String(on));
  window.dispatchEvent(new Event('resize'));  // for what is drawn to its width
};
element.addEventListener('click', (event) => {
  const button = event.target.closest('.lab-present');
  if (!button) return;
  const on = button.getAttribute('aria-pressed') !== 'true';
  present(on);
  try { localStorage.setItem(KEPT, on ? 'on' : 'off'); } catch { /* a frame without storage: it holds until the page is left */ }
});
if (remembered()) present(true);
