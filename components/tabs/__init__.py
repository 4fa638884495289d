"""Layer 4: layout and wiring, the only package that knows Gradio. Add a tab as a line of TABS."""

from components.tabs import attention, fill_mask
from components.tabs.base import Tab

TABS: tuple[Tab, ...] = (fill_mask.TAB, attention.TAB)
