from __future__ import annotations

from components.models.families import Task
from components.models.manager import Status
from components.views.page import header, status_line


def test_the_status_line_says_device_precision_models_and_bytes() -> None:
    loaded = (("bert-mini", (Task.FILL_MASK, Task.SENTIMENT)), ("a/<b>", (Task.ENCODER,)))
    html = status_line(Status("cuda", "bfloat16", loaded, 91_585_768, 2**31, ("<i>full</i>",)))
    for expected in ("CUDA · bfloat16", "2 heads", "1 head<", "91.6 MB of 2.1 GB"):
        assert expected in html
    assert "a/&lt;b&gt;" in html
    assert "&lt;i&gt;full" in html


def test_before_the_first_model_it_says_so() -> None:
    assert "Nothing is loaded yet" in status_line(Status(None, None, (), 0, 2**31, ()))


def test_the_page_has_one_heading() -> None:
    assert header().count("<h1>") == 1
