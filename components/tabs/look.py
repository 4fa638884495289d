"""The theme: type and colours of Gradio's own parts; those of our views are in assets/style.css."""

from __future__ import annotations

import gradio as gr

# Only the 400 and 700 weights that Gradio bundles contain Latin letters.
_SANS = (gr.themes.LocalFont("Source Sans Pro", weights=(400, 700)), "system-ui", "sans-serif")
_MONO = (gr.themes.LocalFont("IBM Plex Mono", weights=(400, 700)), "ui-monospace", "monospace")


def theme() -> gr.themes.Base:
    """Give a theme whose contrast is enough in light and dark."""
    return gr.themes.Default(
        primary_hue=gr.themes.colors.blue,
        secondary_hue=gr.themes.colors.blue,
        neutral_hue=gr.themes.colors.slate,
        font=_SANS,
        font_mono=_MONO,
        text_size=gr.themes.sizes.text_md,
        radius_size=gr.themes.sizes.radius_md,
    ).set(
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_600",
        button_primary_background_fill_hover_dark="*primary_700",
        button_primary_text_color="white",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        block_title_text_color="*neutral_700",
        block_label_text_color="*neutral_700",
        block_shadow="none",
        block_border_width="0px",
        block_background_fill="transparent",
        block_background_fill_dark="transparent",
        block_padding="0px",
        input_border_width="1px",
    )
