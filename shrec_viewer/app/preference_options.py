"""What can be preferred: one row a setting, with its words and values."""

from dataclasses import dataclass

from shrec_viewer.app.settings import TEXT_SIZES


@dataclass(frozen=True)
class Option:
    """A setting that a person may change.

    Attributes
    ----------
    key : field of `Settings`.
    page : where it stands.
    label : before the field, or beside the box to tick.
    explanation : a sentence below it.
    values : value and text of each choice; none for something that is on or off.
    """

    key: str
    page: str
    label: str
    explanation: str
    values: tuple[tuple[object, str], ...] = ()


APPEARANCE, PICTURES, FILES, KEYS = "Appearance", "Pictures", "Files", "Keys"

PAGES = (APPEARANCE, PICTURES, FILES, KEYS)
"""In the order of the list."""

OPTIONS = (
    Option(
        "theme",
        APPEARANCE,
        "Theme",
        "The system's is followed while the program runs.",
        (("system", "As the system"), ("light", "Light"), ("dark", "Dark")),
    ),
    Option(
        "relevance",
        APPEARANCE,
        "Colours of relevance",
        "All but the last keep their levels apart for every kind of colour vision.",
        (
            ("ordinal", "Blue, amber, grey: what is not relevant stays quiet"),
            ("strict", "Strict: what is not relevant is red and hatched"),
            ("contrast", "High contrast"),
            ("classic", "Traffic lights: not for colour-blind eyes"),
        ),
    ),
    Option(
        "text_size",
        APPEARANCE,
        "Size of letters",
        "Percent of the system's size.",
        tuple((percent, f"{percent} %") for percent in TEXT_SIZES),
    ),
    Option("animations", APPEARANCE, "Animations", "Menus and lists open with a movement."),
    Option("convention_bar", APPEARANCE, "Conventions in sight", "A second bar shows the choices that change numbers."),
    Option(
        "card_size",
        PICTURES,
        "Size of pictures",
        "In the ranked list.",
        (("S", "Small"), ("M", "Medium"), ("L", "Large"), ("T", "Text alone")),
    ),
    Option(
        "renderer",
        PICTURES,
        "Draw models with",
        "Holds at once. Pictures drawn before are kept until they are cleared below.",
        (("auto", "OpenGL where there is any"), ("gl", "OpenGL"), ("software", "The processor alone")),
    ),
    Option("follow", FILES, "Follow changes on disk", "A run that changes is read anew; a note says what it did."),
)
"""Every preference but the keys and the caches, which have pages of their own kind."""
