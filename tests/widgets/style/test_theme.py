"""Both looks can be read, reach everything, and change while the program runs."""

from dataclasses import fields

import pytest
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QCursor, QFont, QFontMetricsF, QTextDocument
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QStackedWidget,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import delete

from shrec_viewer.render.scene.palette import contrast
from shrec_viewer.widgets.style.theme import (
    DARK,
    GLYPHS,
    LIGHT,
    LOGO,
    SEMI_BOLD,
    THEMES,
    apply_text_size,
    apply_theme,
    current_theme,
    icon,
    icon_pixmap,
    style_sheet,
    text_font,
)

BOTH = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())


@pytest.fixture
def app(qapp):
    # Other tests leave the mouse where windows open, and a hovered widget is painted differently.
    QCursor.setPos(720, 720)
    yield qapp
    apply_theme(qapp, LIGHT)


@BOTH
def test_unchecked_boxes_and_buttons_have_contrast(app, qtbot, theme):
    """Radio buttons and boxes in lists had the outline of the platform's style, which is dark in the dark theme."""
    apply_theme(app, theme)
    tree = QTreeWidget()
    item = QTreeWidgetItem(tree, ["", ""])
    item.setCheckState(0, Qt.CheckState.Unchecked)
    for widget in (QCheckBox(), QRadioButton(), tree):
        qtbot.addWidget(widget)
        widget.resize(200, 100)
        widget.show()
        qtbot.waitExposed(widget)
        shown = tree.viewport() if widget is tree else widget
        row = (tree.visualItemRect(item) if widget is tree else widget.rect()).center().y()
        image = shown.grab().toImage()
        ground = image.pixelColor(100, row)
        found = max(contrast(image.pixelColor(x, row).name(), ground.name()) for x in range(48))
        assert found >= 3, type(widget).__name__


def test_menus_and_headers_get_the_font_of_the_program(app, monkeypatch):
    """Desktops set the fonts of single classes, here whenever Qt reads them again."""
    names = {"QMenu", "QMenuBar", "QToolButton", "QHeaderView", "QMessageBox", "QTipLabel"}
    apply_theme(app, LIGHT)  # a new font of the application resets those of the classes
    set_style_sheet, set_font, given = app.setStyleSheet, app.setFont, {}

    def set_like_a_desktop(sheet):
        set_style_sheet(sheet)
        for name in names:
            QApplication.setFont(QFont("Serif", 17), name)

    def record(font, *names):
        given.update(dict.fromkeys(names, font))
        set_font(font, *names)

    monkeypatch.setattr(app, "setStyleSheet", set_like_a_desktop)
    monkeypatch.setattr(app, "setFont", record)
    apply_theme(app, LIGHT)
    assert set(given) == names
    assert all(font == app.font() for font in given.values())


@BOTH
def test_texts_have_contrast(theme):
    backgrounds = ("window", "surface", "raised", "hover", "selection", "picture")
    for background in backgrounds:
        assert contrast(theme.ink, getattr(theme, background)) >= 7, background
        assert contrast(theme.muted, getattr(theme, background)) >= 4.5, background
    assert contrast(theme.accent_ink, theme.accent) >= 4.5
    assert contrast(theme.ink, theme.bar) >= 7
    for severity in ("info", "warning", "error"):
        background = getattr(theme, f"{severity}_background")
        assert contrast(theme.ink, background) >= 7
        assert contrast(getattr(theme, severity), background) >= 3


@BOTH
def test_controls_have_visible_outlines(theme):
    for background in ("window", "surface"):
        assert contrast(theme.line_strong, getattr(theme, background)) >= 3, background
        assert contrast(theme.accent, getattr(theme, background)) >= 3, background
        assert contrast(theme.faint, getattr(theme, background)) >= 2.9, background


@BOTH
def test_every_token_is_a_colour(theme):
    for field in fields(theme):
        if field.name != "name":
            assert QColor(getattr(theme, field.name)).isValid(), field.name


@BOTH
def test_style_sheet_is_complete_and_its_images_exist(theme):
    sheet = style_sheet(theme)
    assert "$" not in sheet
    for part in sheet.split('url("')[1:]:
        from pathlib import Path

        assert Path(part.split('"')[0]).is_file(), part.split('"')[0]


def test_theme_change_reaches_visible_widgets(app, qtbot):
    class Painted(QWidget):
        seen = ()

        def set_theme(self, theme):
            self.seen = (*self.seen, theme.name)

    painted, label = Painted(), QLabel("x")
    qtbot.addWidget(painted)
    qtbot.addWidget(label)
    label.show()
    apply_theme(app, DARK)
    assert current_theme() is DARK
    assert label.grab().toImage().pixelColor(0, 0).name().upper() == DARK.window
    apply_theme(app, LIGHT)
    assert current_theme() is LIGHT
    assert label.grab().toImage().pixelColor(0, 0).name().upper() == LIGHT.window
    assert painted.seen == ("dark", "light")


def test_digits_have_equal_width_in_either_weight(qapp):
    for strong in (False, True):
        metrics = QFontMetricsF(text_font(qapp.font(), bold=strong))
        assert len({metrics.horizontalAdvance(digit * 6) for digit in "0123456789"}) == 1


def test_font_is_bundled_and_keeps_the_system_size(qapp):
    base = qapp.font()
    font = text_font(base, 1.5)
    assert font.family() == "Inter"
    assert font.pointSizeF() == pytest.approx(1.5 * base.pointSizeF())
    twice = text_font(text_font(base))
    assert twice.families().count("Inter") == 1


def test_icons_have_the_colour_and_are_sharp(qapp):
    pixmap = icon_pixmap("close", "#FF0000", 16, 2.0)
    assert (pixmap.width(), pixmap.devicePixelRatio()) == (32, 2.0)
    image = pixmap.toImage()
    painted = [image.pixelColor(x, y) for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() > 200]
    assert painted
    assert all(colour.red() == 255 and colour.green() == 0 for colour in painted)
    assert not icon("close", LIGHT).isNull()


def test_icon_without_space_is_not_drawn(qapp):
    """Qt prints warnings if qtawesome draws it, and they fail a test."""
    assert icon("close", LIGHT).pixmap(QSize(0, 16)).isNull()
    assert icon("close", LIGHT).pixmap(QSize(16, 16)).toImage() == icon_pixmap("close", LIGHT.ink, 16).toImage()


def test_icons_are_cached(qapp):
    keys = {icon_pixmap("info", "#336699", 40).cacheKey() for _ in range(3)}
    assert len(keys) == 1, "of each pixmap that a label shows Qt keeps a scaled one, up to 10 MB"


def test_an_unknown_icon_is_an_error_that_names_it(qapp):
    with pytest.raises(KeyError, match="no-such-icon"):
        icon_pixmap("no-such-icon", "#000000", 16)


@BOTH
@pytest.mark.parametrize("name", [*GLYPHS, LOGO])
def test_every_icon_has_pixels(qapp, theme, name):
    image = icon_pixmap(name, theme.ink, 24).toImage()
    assert sum(image.pixelColor(x, y).alpha() > 0 for x in range(24) for y in range(24)) > 20


@BOTH
def test_text_page_has_a_frame_only_with_focus(app, qtbot, theme):
    apply_theme(app, theme)
    page = QTextBrowser()
    qtbot.addWidget(page)
    page.resize(120, 80)
    page.show()
    image = page.grab().toImage()
    edges = {image.pixelColor(x, y).name().upper() for x, y in ((0, 40), (119, 40), (60, 0), (60, 79), (0, 0))}
    assert edges == {theme.surface}
    page.setFocus()
    qtbot.waitUntil(page.hasFocus)
    assert page.grab().toImage().pixelColor(0, 40).name().upper() == theme.accent


def test_applying_twice_changes_nothing(app):
    apply_theme(app, DARK)
    before = (QApplication.font().toString(), QApplication.palette().window().color().name())
    apply_theme(app, DARK)
    assert (QApplication.font().toString(), QApplication.palette().window().color().name()) == before


class Page(QWidget):
    """Some widgets that the style sheet names; counts style changes."""

    def __init__(self) -> None:
        super().__init__()
        self.style_changes = 0
        self.box, muted = QComboBox(), QLabel("words")
        self.box.addItems(["first", "second"])
        muted.setProperty("muted", True)
        layout = QVBoxLayout(self)
        for widget in (self.box, muted, QCheckBox("choose"), QPushButton("press"), QLineEdit("text")):
            layout.addWidget(widget)

    def changeEvent(self, event: QEvent) -> None:
        self.style_changes += event.type() == QEvent.Type.StyleChange
        super().changeEvent(event)


@pytest.fixture
def pages(app, qtbot):
    apply_theme(app, LIGHT)
    pages = QStackedWidget()
    qtbot.addWidget(pages)
    for _ in range(2):
        pages.addWidget(Page())
    pages.resize(300, 300)
    pages.show()
    for index in (1, 0):  # both have been shown
        pages.setCurrentIndex(index)
        qtbot.waitExposed(pages)
    pages.setFocus()
    yield pages
    apply_text_size(app, 100)


def new_page_image(pages, qtbot):
    """Image of such a page created under the current theme."""
    other = QStackedWidget()
    qtbot.addWidget(other)
    other.addWidget(Page())
    other.resize(pages.size())
    other.show()
    qtbot.waitExposed(other)
    other.setFocus()
    return other.grab().toImage()


@pytest.mark.parametrize("themes", [(DARK,), (DARK, LIGHT), (DARK, LIGHT, DARK)])
def test_visible_and_hidden_pages_equal_new_ones_in_the_theme(pages, app, qtbot, themes):
    for theme in themes:
        apply_theme(app, theme)
    for index in range(2):
        pages.setCurrentIndex(index)
        assert pages.grab().toImage() == new_page_image(pages, qtbot)


def test_text_size_reaches_hidden_pages(pages, app, qtbot):
    apply_text_size(app, 130)
    pages.setCurrentIndex(1)
    assert pages.grab().toImage() == new_page_image(pages, qtbot)
    assert pages.widget(1).box.font().pointSizeF() == pytest.approx(app.font().pointSizeF())


def test_combo_boxes_keep_one_delegate(pages, app, qtbot):
    boxes = [pages.widget(index).box for index in range(2)]
    for _ in range(3):
        for index, theme in enumerate((DARK, LIGHT)):
            pages.setCurrentIndex(index)
            apply_theme(app, theme)
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert [len(box.findChildren(QAbstractItemDelegate)) for box in boxes] == [1, 1]


def test_a_widget_deleted_during_a_theme_change_is_skipped(pages, app):
    class Owner(QWidget):
        def __init__(self):
            super().__init__()
            self.child = QLabel("text", self)

        def set_theme(self, theme):
            if self.child is not None:
                delete(self.child)
                self.child = None

    owner = Owner()
    apply_theme(app, DARK)
    assert owner.child is None


def test_menus_have_the_application_font_on_desktops_with_menu_fonts(app):
    """KDE and GTK set fonts of menus and tool buttons, which `QApplication.setFont` keeps."""
    desktop = QFont("DejaVu Serif", 13)
    classes = ("QMenu", "QMenuBar", "QToolButton", "QHeaderView", "QMessageBox", "QTipLabel")
    for name in classes:
        app.setFont(desktop, name)
    apply_theme(app, LIGHT)
    for percent in (150, 100):
        apply_text_size(app, percent)
        assert {QApplication.font(name).toString() for name in classes} == {app.font().toString()}
        menu = QMenu()
        menu.addAction("Open")
        menu.ensurePolished()
        assert menu.font().family() == "Inter"
        assert menu.font().pointSizeF() == app.font().pointSizeF()


def test_bold_text_has_the_weight_of_a_bundled_font(app):
    """The font engine synthesises weights from 700 on."""
    document = QTextDocument()
    document.setDefaultStyleSheet(SEMI_BOLD)
    document.setHtml("<p>a <b>b</b></p><table><tr><th>c</th></tr></table>")
    weights = {}
    block = document.begin()
    while block.isValid():
        for fragment in block:
            weights[fragment.fragment().text().strip()] = fragment.fragment().charFormat().fontWeight()
        block = block.next()
    assert (weights["b"], weights["c"]) == (600, 600)
    assert text_font(app.font(), bold=True).weight() == QFont.Weight.DemiBold


def test_number_fields_have_no_arrow_buttons(app, qtbot):
    """Fusion paints only the edges of the arrow buttons of a field with a border of the style sheet."""
    apply_theme(app, LIGHT)
    images = []
    for symbols in (QSpinBox.ButtonSymbols.UpDownArrows, QSpinBox.ButtonSymbols.NoButtons):
        box = QSpinBox()
        qtbot.addWidget(box)
        box.setButtonSymbols(symbols)
        box.resize(120, 30)
        images.append(box.grab().toImage())
    assert images[0] == images[1]
