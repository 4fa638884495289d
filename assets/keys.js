/* The keyboard on the whole page: arrows move along a row of tabs, Ctrl-Enter presses the main button. */
const STEPS = { ArrowRight: (at) => at + 1, ArrowLeft: (at) => at - 1, Home: () => 0, End: () => -1 };
const mainButton = () => {
  const seen = [...document.querySelectorAll('button.primary')].filter((button) => button.checkVisibility());
  const beside = document.activeElement.closest('.lab-columns');
  return seen.find((button) => beside && beside.contains(button)) || seen[0];
};
/* A row of tabs is one stop of the Tab key: the tab that is open. Rows and buttons come when a tab is first opened. */
const tidy = () => {
  for (const tab of document.querySelectorAll('[role=tab]')) tab.tabIndex = tab.ariaSelected === 'true' ? 0 : -1;
  for (const button of document.querySelectorAll('button.primary')) button.setAttribute('aria-keyshortcuts', 'Control+Enter');
};
document.addEventListener('click', () => setTimeout(tidy, 50));
document.addEventListener('focusin', tidy);
tidy();
document.addEventListener('keydown', (event) => {
  const tab = event.target.closest && event.target.closest('[role=tab]');
  if (!tab || !(event.key in STEPS) || event.ctrlKey || event.altKey || event.metaKey) return;
  const row = [...tab.closest('[role=tablist]').querySelectorAll('[role=tab]')];
  const next = row.at(STEPS[event.key](row.indexOf(tab)) % row.length);
  event.preventDefault();
  next.focus();
  next.click();
});
document.addEventListener('keydown', (event) => {
  const main = event.key === 'Enter' && (event.ctrlKey || event.metaKey) ? mainButton() : null;
  if (!main) return;
  event.preventDefault();  // else a field of one line sends what is in it a second time
  event.stopPropagation();
  main.click();
}, true);
