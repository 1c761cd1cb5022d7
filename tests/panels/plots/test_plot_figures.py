"""Figures of plot panels have the bytes of the command that repeats them."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace

import click
import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle

from shrec_viewer.cli.content_options import requested
from shrec_viewer.cli.figure import figure_command
from shrec_viewer.cli.program import program
from shrec_viewer.content.contents import build_chart
from shrec_viewer.panels.plots.curves import GainPanel, PrecisionRecallPanel
from shrec_viewer.panels.plots.generality import GeneralityPanel
from shrec_viewer.report.figures.rendering import figure_bytes
from shrec_viewer.viewmodels.content.data import content_data, styles_by_name


@pytest.fixture
def session(qtbot, tmp_path):
    for made in a_session():
        yield open_in(made, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
        made.shut_down()


def shown(kind, session, qtbot):
    panel = kind(session)
    qtbot.addWidget(panel)
    panel.resize(700, 520)
    panel.setUpdatesEnabled(False)  # figures do not come from the screen
    panel.show()
    qtbot.waitExposed(panel)
    wait(session, qtbot)
    return panel


def wait(session, qtbot):
    settle(session, qtbot)


def assert_repeated(panel, session):
    """The request makes the figure of the panel, and the command line makes the request."""
    (request,) = panel.requests()
    arguments = ["demo", *request.arguments("figure"), "--output=a.svg"]
    # With the settings of the program: click keeps the help option of a command, whose names come from them.
    parent = click.Context(program, **program.context_settings)
    options = dict(figure_command.make_context("figure", arguments, parent=parent).params)
    read = requested("figure", request.kind, options)
    assert read == request
    repeated = build_chart(content_data(session), read)
    assert_equal(repeated, drawn(panel, session))
    return repeated


def drawn(panel, session):
    """What the panel shows, in light colours and in the range of its axes."""
    plot = panel.plot_shown(styles_by_name(session, "light"))
    x_range, y_range = panel.plot.view_range()
    visible = {curve.key for curve in panel.plot.visible_curves()}
    curves = tuple(curve for curve in plot.curves if curve.is_drawn)
    assert {curve.key for curve in curves} == visible
    assert_equal(panel.plot._references.references, plot.references)
    selected = plot.selected if plot.selected is None or plot.selected in visible else ""  # a run that is hidden
    return replace(plot, axes=replace(plot.axes, x_range=x_range, y_range=y_range), curves=curves, selected=selected)


def assert_equal(one, other):
    """Contents of figures are equal, down to their arrays; drawing both would take ten times as long."""
    assert type(one) is type(other)
    if is_dataclass(one):
        for field in fields(one):
            assert_equal(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, strict=True)
    elif isinstance(one, tuple | list):
        for parts in zip(one, other, strict=True):
            assert_equal(*parts)
    elif isinstance(one, Mapping):
        assert list(one) == list(other)
        assert_equal(list(one.values()), list(other.values()))
    else:
        assert one == other or (one != one and other != other)  # NaN


def assert_equal_bytes(panel, session):
    repeated = assert_repeated(panel, session)
    assert figure_bytes(repeated, "svg") == figure_bytes(drawn(panel, session), "svg")


@pytest.mark.parametrize("kind", [PrecisionRecallPanel, GainPanel])
def test_curves(kind, session, qtbot):
    panel = shown(kind, session, qtbot)
    options = panel.header.options
    for means in (False, True):
        session.select(means=means, query=1, run=1)
        wait(session, qtbot)
        for index in range(panel.header.kinds.count()):
            panel.select_kind(panel.header.kinds.itemData(index))
            wait(session, qtbot)
            assert_repeated(panel, session)
        for action in options.values():
            if not action.isChecked():
                action.trigger()
            wait(session, qtbot)
        assert_repeated(panel, session)
    session.edits.toggle_run(0)
    session.edits.toggle_run(1)  # the selected one
    wait(session, qtbot)
    assert_equal_bytes(panel, session)


def test_a_zoomed_plot(session, qtbot):
    panel = shown(PrecisionRecallPanel, session, qtbot)
    panel.plot._canvas._box.setRange(xRange=(0.1, 0.7), yRange=(0.2, 1.0), padding=0)
    assert panel.plot.is_zoomed
    assert panel.requests()[0].x_range == pytest.approx((0.1, 0.7))
    assert_equal_bytes(panel, session)


def test_generality(session, qtbot):
    panel = shown(GeneralityPanel, session, qtbot)
    for means in (True, False):
        session.select(means=means, query=1, run=1)
        for key in ("1", "2", "E", "PR"):
            panel.select_kind(key)
            panel.set_option("show", ("ideal", "random") if key != "2" else ("random",))
            wait(session, qtbot)
            assert_repeated(panel, session)
    panel.select_kind("1")
    panel.set_option("vary", "classes")
    wait(session, qtbot)
    assert_equal_bytes(panel, session)


def test_request_for_the_surface(session, qtbot):
    panel = shown(GeneralityPanel, session, qtbot)
    panel.select_kind("GReP")
    session.cursor_state.show_generality(1.0)
    wait(session, qtbot)
    (request,) = panel.requests()
    content = build_chart(content_data(session), request)
    drawn = panel.surface_view.data
    assert (content.doublings == drawn.doublings).all()
    assert [line.label for line in content.lines] == [line.label for line in drawn.lines]
    assert content.lines[-1].label == "g = 1/2"
    assert (content.azimuth, content.elevation) == panel.surface_view.angles
