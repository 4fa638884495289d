"""What frames every tab: the header, and the line that says what runs where."""

from __future__ import annotations

from markupsafe import Markup

from components.models.manager import Status
from components.views.markup import EMPTY, join
from components.views.wording import size


def header() -> Markup:
    """Say in one line what this page is, with the switch for a projector."""
    return Markup(
        '<header class="lab-header"><h1>Encoder Lab</h1><p>See encoder models, the BERT family, '
        "from the inside: real networks answer live, on your own sentences.</p>"
        '<button type="button" class="lab-present" aria-pressed="false" title="Larger type and '
        'fewer controls, on every tab">Presentation</button></header>'
    )


def tab_name(title: str) -> Markup:
    """Name a tab as a heading: for who goes from heading to heading by ear."""
    return Markup("<h2>{}</h2>").format(title)


def status_line(status: Status) -> Markup:
    """Draw the device, its precision, what is loaded and how much memory that takes."""
    if status.device is None:
        return Markup(
            '<p class="lab-status">Nothing is loaded yet: the first model is on its way.</p>'
        )
    loaded = join(
        [
            Markup('<span class="lab-chip">{} <small>{}</small></span>').format(
                model_id, f"{len(tasks)} head{'s' if len(tasks) > 1 else ''}"
            )
            for model_id, tasks in status.loaded
        ]
    )
    notices = join([Markup('<span class="lab-notice">{}</span>').format(n) for n in status.notices])
    return Markup(
        '<p class="lab-status"><span class="lab-chip lab-device">{} · {}</span> In memory: {} '
        '<span class="lab-bytes">{} of {}</span>{}</p>'
    ).format(
        status.device.upper(),
        status.precision,
        loaded or "nothing",
        size(status.weight_bytes),
        size(status.memory_limit),
        notices or EMPTY,
    )
