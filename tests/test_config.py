from __future__ import annotations

import pytest

from components.config import Settings, SettingsError


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEVICE", "gpu"), ("DEVICE", "cuda:x"), ("DEVICE", "meta"), ("DEVICE", "cpu; rm"),
        ("PRECISION", "float33"), ("PRECISION", "int8"), ("PRECISION", "nn"),
        ("MEMORY_GB", "lots"), ("MEMORY_GB", "0"), ("MEMORY_GB", "-1"), ("MEMORY_GB", "nan"),
        ("MEMORY_GB", "inf"), ("MEMORY_GB", "1e999"), ("MEMORY_GB", "2 GB"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_stops_the_start_with_a_sentence(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as error:
        Settings.from_environment({f"ENCODER_LAB_{name}": value})
    assert f"ENCODER_LAB_{name}" in str(error.value)
    assert value in str(error.value)


def test_settings_are_read_from_the_environment() -> None:
    assert Settings.from_environment({}) == Settings()
    assert Settings.from_environment({"ENCODER_LAB_DEVICE": " ", "OTHER": "x"}) == Settings()
    made = Settings.from_environment(
        {
            "ENCODER_LAB_DEVICE": " CUDA:1 ",
            "ENCODER_LAB_PRECISION": "bfloat16",
            "ENCODER_LAB_MEMORY_GB": "0.5",
        }
    )
    assert made == Settings(device="cuda:1", precision="bfloat16", memory_limit=2**29)
