from __future__ import annotations

from copy import copy

from gradio.state_holder import SessionState

import app
from components.models.manager import ModelManager


def test_a_session_describes_only_what_it_changed_and_changes_nobody_elses(
    models: ModelManager,
) -> None:
    demo = app.create_app(models)
    one, other = SessionState(demo), SessionState(demo)
    assert not any(one.config_values.values())  # 2 MB each otherwise, and a tenth of a second
    assert one.blocks_config.blocks == demo.blocks
    assert one.blocks_config.fns == demo.fns
    key = next(iter(demo.blocks))
    changed = copy(demo.blocks[key])
    one[key] = changed
    assert one[key] is changed
    assert other[key] is demo.blocks[key]


def test_the_page_itself_describes_every_component(models: ModelManager) -> None:
    demo = app.create_app(models)
    described = {one["id"] for one in demo.get_config_file()["components"]}
    assert described == set(demo.blocks) - {demo._id}
